/** @module-tag slow */

import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../../scripts/lib/paths.mjs'
import { ensureProgramBuilt } from '../../support/program/built-program.ts'
import { waitForExit } from '../../support/program/command-line.ts'
import { startComposedApp } from '../../support/program/composed-app.ts'
import { saveRecording } from '../../support/program/saved-recording.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'

/**
 * The examples of the reference, without the comment above each. They are the examples of the
 * help, which another test checks.
 */
const examples = [...readFileSync(path.join(root, 'docs/command-line.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.trim().split('\n'))
  .filter((line) => line !== '' && !line.startsWith('#'))

/** Writes a recording of reads that no example changes. */
async function recordReads({ baseUrl, token }: { baseUrl: string; token: string }, file: string): Promise<void> {
  const app = await startComposedApp(createTempDir(), ['--base-url', baseUrl], { env: { BRIDGE_TOKEN: token } })
  await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
  await app.call('traffic.send', { method: 'GET', path: '/decks', body: null })
  await saveRecording(app, file)
  await app.dispose()
}

/**
 * Creates a home directory with the profile "work" for a demo host, and the values of the
 * placeholders in the examples.
 */
async function createPreparedHome() {
  const { host } = await startDemo({ nodes: 50 })
  onTestFinished(() => host.close())
  const home = createTempDir()
  const dataDir = path.join(home, '.config', 'bridge-inspector')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const app = await startComposedApp(dataDir)
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  await app.call('profiles.save', { name: 'work', baseUrl: host.baseUrl, auth, readOnly: false })
  await app.dispose()
  await recordReads(host, path.join(home, 'day.birec'))
  copyFileSync(path.join(home, 'day.birec'), path.join(home, 'bug.birec'))
  const set = host.state.library.sets.find(({ documents }) => documents.length > 0)
  const cards = host.state.library.sets.flatMap((set) => set.cards)
  const [note, part] = cards.flatMap(({ noteid, parts }) =>
    parts.flatMap((part) => ('contentId' in part ? [[noteid, String(part.contentId)] as const] : [])),
  )[0] ?? ['', '']
  const [topic, md5] = [set?.topicid ?? '', set?.documents[0] ?? '']
  const requestId = randomUUID()
  const target = { topicid: topic, noteid: set?.cards[0]?.noteid ?? '', layerId: '' }
  writeFileSync(path.join(home, 'commit.json'), JSON.stringify({ requestId, surfaceId: 'surface-1', target }))
  writeFileSync(path.join(home, 'token'), host.token, { mode: 0o600 })
  const status = { name: 'status', method: 'GET', path: '/status', body: null }
  writeFileSync(path.join(home, 'smoke.json'), JSON.stringify({ name: 'Smoke', variables: {}, requests: [status] }))
  writeFileSync(path.join(home, 'topics.csv'), `topic\n${topic}\n`)
  mkdirSync(path.join(home, 'panel'))
  writeFileSync(path.join(home, 'panel', 'index.html'), '<title>Mine</title>')
  const bin = path.join(home, 'bin')
  mkdirSync(bin)
  const program = `#!/bin/sh\nexec '${process.execPath}' '${path.join(root, 'out/cli/bridge-inspector.js')}' "$@"\n`
  writeFileSync(path.join(bin, 'bridge-inspector'), program, { mode: 0o755 })
  const placeholderValues: Readonly<Record<string, string>> = {
    TOPIC: topic,
    NOTE: note,
    PART: part,
    MD5: md5,
    'REQUEST-ID': requestId,
    '127.0.0.1:42340': new URL(host.baseUrl).host,
  }
  const fillPlaceholders = (line: string): string =>
    line.replace(
      /\b(?:TOPIC|NOTE|PART|MD5|REQUEST-ID|127\.0\.0\.1:42340)\b/g,
      (word) => placeholderValues[word] ?? word,
    )
  const inherited = { ...process.env, HOME: home, PROFILE: path.join(home, 'profile.ps1'), BRIDGE_TOKEN: host.token }
  const env: Record<string, string | undefined> = { ...inherited, PATH: `${bin}:${process.env['PATH'] ?? ''}` }
  Reflect.deleteProperty(env, 'XDG_CONFIG_HOME')
  return { home, env, filled: fillPlaceholders }
}

test('every example of the reference works as it is written', { timeout: 900_000 }, async () => {
  ensureProgramBuilt()
  const { home, env, filled } = await createPreparedHome()
  const hasJq = spawnSync('jq', ['--version']).status === 0
  const runs = examples.filter((line) => !runsUntilStopped.test(line) && (hasJq || !line.includes('jq')))
  expect(runs.length).toBeGreaterThan(25)
  for (const line of runs) {
    // The host writes one export at a time and allows the next one after three seconds.
    if (line.includes('export map')) await new Promise((resolve) => setTimeout(resolve, 3_200))
    // A command that asks for confirmation runs at a terminal, where the test types "y".
    const needsConfirmation = line.includes('--write') && !line.includes('--yes') && !line.includes(' mcp ')
    const [program, ...args] = needsConfirmation
      ? ['script', '--quiet', '--return', '--command', filled(line), '/dev/null']
      : ['bash', '-o', 'pipefail', '-c', filled(line)]
    const child = spawn(program ?? '', args, { cwd: home, env, timeout: 60_000 })
    child.stdin.end(needsConfirmation ? 'y\n' : '')
    const { code, stdout, stderr } = await waitForExit(child)
    // No panel ran in this home directory, and a check that checked nothing does not pass.
    const isUnmet =
      /\b(?:findings|coverage|contract diff)\b.*--fail/.test(line) && stderr.startsWith('NOTHING_RECORDED')
    const output = code === 0 ? '' : stdout.toString() + stderr
    expect([line, code, isUnmet ? '' : output]).toEqual([line, isUnmet ? 11 : 0, ''])
  }
  for (const file of ['study-sets.csv', 'cards.csv', 'excerpts.csv', 'picture.png', '.bash_completion', 'profile.ps1'])
    expect(readFileSync(path.join(home, file)).byteLength).toBeGreaterThan(20)
})

/** Matches commands that run until they are stopped. */
const runsUntilStopped = /^bridge-inspector (?:--demo|serve|demo-host|panel|open)\b/

test('examples that run until they are stopped report their address', { timeout: 300_000 }, async () => {
  const { home, env } = await createPreparedHome()
  for (const line of examples.filter((example) => runsUntilStopped.test(example))) {
    if (line.startsWith('bridge-inspector panel')) {
      await expectEndAfterAddress(spawn('sh', ['-c', `exec ${line}`], { cwd: home, env }), /^Panel: http/)
      continue
    }
    const [, name = '', rest = ''] = /^bridge-inspector (demo-host|serve|)\s*(.*)$/.exec(line) ?? []
    // The entry points run directly, because the program would build the page first. Without a
    // PATH no browser opens.
    const entry = name === 'demo-host' ? 'electron/demo-host/main.ts' : 'electron/serve.ts'
    const args = [entry, ...rest.replace('--port 42340', '--port 0').split(' ')]
    const child = spawn(process.execPath, args, { cwd: root, env: { ...env, PATH: path.join(home, 'bin') } })
    await expectEndAfterAddress(child, /^(?:Demo host|Bridge Inspector): http/)
  }
})

/** Expects that a program prints its address, and then ends without an error when it is told to. */
async function expectEndAfterAddress(child: ChildProcessWithoutNullStreams, address: RegExp): Promise<void> {
  let out = ''
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()))
  await expect.poll(() => out, { timeout: 30_000 }).toMatch(address)
  const exited = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGINT')
  expect(await exited).toBe(0)
}
