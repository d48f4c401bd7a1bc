import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { record } from './report.mjs'

const visitor = fileURLToPath(new URL('visit.mjs', import.meta.url))
let homes = 0

/** Creates an empty home directory. */
export function createHome(folder) {
  homes += 1
  const home = path.join(folder, `home ${homes}`)
  mkdirSync(home)
  return home
}

/**
 * Describes the command `npx ./file.tgz serve --demo`, run next to the file on this machine with
 * this environment only.
 */
export function buildNpxCommand(folder, { bin }, file, env = {}) {
  const command = [
    path.join(bin, 'npx'),
    '--yes',
    `./${path.basename(file)}`,
    'serve',
    '--demo',
    '--no-open',
    '--port',
    '0',
  ]
  return { command, cwd: path.dirname(file), env: { PATH: bin, HOME: createHome(folder), LANG: 'C.UTF-8', ...env } }
}

/**
 * Runs a case (`visit.mjs`), behind the words of `before`: another user, another network. Returns
 * what was seen. Not `spawnSync`: what the case runs into may be served from here.
 */
export async function visitProgram(program, before = []) {
  const [executable, ...args] = [...before, process.execPath, visitor, JSON.stringify(program)]
  const child = spawn(executable, args, { cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout.on('data', (data) => (out += data))
  child.stderr.on('data', (data) => (err += data))
  await new Promise((resolve) => {
    child.once('error', resolve)
    child.once('close', resolve)
  })
  try {
    return JSON.parse(out)
  } catch {
    return { error: err.slice(-1000) || out.slice(-1000) || 'it did not run' }
  }
}

/**
 * Runs a case, and records whether the demo library could be read and whether the program exited
 * cleanly. Returns the observations of the visit.
 */
export async function testProgram(name, program, { before = [] } = {}) {
  const visit = await visitProgram(program, before)
  const works = visit.page === 'Bridge Inspector' && visit.state === 'online' && visit.studySets > 0
  record({ name: `${name}: shows the demo library`, ok: works, detail: JSON.stringify(visit) })
  if (!works) return visit
  if (program.kill !== 'SIGKILL')
    record({ name: `${name}: ends with Ctrl+C`, ok: visit.left === 'ended', detail: visit.left })
  const keepsJournal = !visit.notices.includes('JOURNAL_NO_DATABASE')
  record({ name: `${name}: keeps a journal`, ok: keepsJournal, detail: visit.stderr })
  return visit
}
