// node test/bench/cold.mjs (xvfb-run -a without a display): a cold start of the desktop app beside
// a bare Electron window, and both at rest.
import { _electron } from '@playwright/test'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { findElectron, getRootFlags } from '../../scripts/lib/electron.mjs'
import { root } from '../../scripts/lib/paths.mjs'

const ROUNDS = 3
const REST_MS = 4_000
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/**
 * Milliseconds to the first landmark, and memory and processor time of all processes afterwards,
 * each in the median, ours and bare.
 */
export async function measureCold() {
  ensureBuilt('desktop')
  const home = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-cold-'))
  const kinds = {
    bare: [path.join(root, 'test/bench/bare'), `--user-data-dir=${path.join(home, 'bare')}`],
    ours: [root, '--data-dir', path.join(home, 'ours')],
  }
  const runs = { bare: [], ours: [] }
  // The first round fills the caches.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, args] of Object.entries(kinds)) {
      const run = await start(args)
      if (round > 0) runs[name].push(run)
    }
  }
  rmSync(home, { recursive: true, force: true })
  const medianOf = (name, figure) => median(runs[name].map((run) => run[figure]))
  return Object.fromEntries(
    ['start', 'processor', 'memory'].map((figure) => [
      figure,
      {
        ours: medianOf('ours', figure),
        bare: medianOf('bare', figure),
        ratio: medianOf('ours', figure) / medianOf('bare', figure),
      },
    ]),
  )
}

async function start(args) {
  const started = performance.now()
  const app = await _electron.launch({ executablePath: findElectron(), args: [...getRootFlags(), ...args], cwd: root })
  try {
    const page = await app.firstWindow()
    await page.locator('nav').first().waitFor()
    const elapsed = performance.now() - started
    const pids = familyOf(app.process().pid)
    const processor = pids.reduce((sum, pid) => sum + processorOf(pid), 0)
    await sleep(REST_MS)
    const memory = familyOf(app.process().pid).reduce((sum, pid) => sum + memoryOf(pid), 0)
    return { start: elapsed, processor, memory }
  } finally {
    await app.close()
  }
}

const read = (pid, file) => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}
const fieldsOf = (pid) =>
  read(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ')

/** The process and everything below it (Linux). */
function familyOf(first) {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  const family = new Set([first])
  for (let size = 0; size !== family.size;) {
    size = family.size
    for (const pid of all) if (family.has(Number(fieldsOf(pid)[1]))) family.add(pid)
  }
  return [...family]
}

/** Milliseconds, in ticks of ten. */
const processorOf = (pid) => (Number(fieldsOf(pid)[11] ?? 0) + Number(fieldsOf(pid)[12] ?? 0)) * 10
/** Kilobytes, with shared pages divided among those who share them. */
const memoryOf = (pid) => Number(/^Pss:\s+(\d+)/m.exec(read(pid, 'smaps_rollup'))?.[1] ?? 0)

if (process.argv[1] === import.meta.filename) console.log(await measureCold())
