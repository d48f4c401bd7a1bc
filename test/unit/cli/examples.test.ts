import { spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../../scripts/lib/paths.mjs'
import { ensureProgramBuilt, waitForExit } from '../../support/program/command-line.ts'
import { startComposedApp } from '../../support/program/composed-app.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'

/**
 * The examples of the reference, which are those of the help (another test holds that): a comment
 * above each, without it.
 */
const examples = [...readFileSync(path.join(root, 'docs/command-line.md'), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.trim().split('\n'))
  .filter((line) => line !== '' && !line.startsWith('#'))

/**
 * A home directory with a profile "work" of a demo host, and what the placeholders of the examples
 * stand for.
 */
async function prepared() {
  const { host } = await startDemo({ nodes: 50 })
  onTestFinished(() => host.close())
  const home = createTempDir()
  const dataDir = path.join(home, '.config', 'bridge-inspector')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const app = await startComposedApp(dataDir)
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  await app.call('profiles.save', { name: 'work', baseUrl: host.baseUrl, auth, readOnly: false })
  await app.dispose()
  const set = host.state.library.sets.find(({ documents }) => documents.length > 0)
  const cards = host.state.library.sets.flatMap((one) => one.cards)
  const [note, part] = cards.flatMap(({ noteid, parts }) =>
    parts.flatMap((one) => ('contentId' in one ? [[noteid, String(one.contentId)] as const] : [])),
  )[0] ?? ['', '']
  const [topic, md5] = [set?.topicid ?? '', set?.documents[0] ?? '']
  const requestId = randomUUID()
  const target = { topicid: topic, noteid: set?.cards[0]?.noteid ?? '', layerId: '' }
  writeFileSync(path.join(home, 'commit.json'), JSON.stringify({ requestId, surfaceId: 'surface-1', target }))
  writeFileSync(path.join(home, 'token'), host.token, { mode: 0o600 })
  const bin = path.join(home, 'bin')
  mkdirSync(bin)
  const program = `#!/bin/sh\nexec '${process.execPath}' '${path.join(root, 'out/cli/bridge-inspector.js')}' "$@"\n`
  writeFileSync(path.join(bin, 'bridge-inspector'), program, { mode: 0o755 })
  const stands: Readonly<Record<string, string>> = {
    TOPIC: topic,
    NOTE: note,
    PART: part,
    MD5: md5,
    'REQUEST-ID': requestId,
    '127.0.0.1:42340': new URL(host.baseUrl).host,
  }
  const filled = (line: string): string =>
    line.replace(/\b(?:TOPIC|NOTE|PART|MD5|REQUEST-ID|127\.0\.0\.1:42340)\b/g, (word) => stands[word] ?? word)
  const inherited = { ...process.env, HOME: home, PROFILE: path.join(home, 'profile.ps1'), BRIDGE_TOKEN: host.token }
  const env: Record<string, string | undefined> = { ...inherited, PATH: `${bin}:${process.env['PATH'] ?? ''}` }
  Reflect.deleteProperty(env, 'XDG_CONFIG_HOME')
  return { home, env, filled }
}

test('every example of the reference works as it is written', { timeout: 240_000 }, async () => {
  ensureProgramBuilt()
  const { home, env, filled } = await prepared()
  const hasJq = spawnSync('jq', ['--version']).status === 0
  const runs = examples.filter((line) => !lasting.test(line) && (hasJq || !line.includes('jq')))
  expect(runs.length).toBeGreaterThan(25)
  for (const line of runs) {
    // The host writes one export at a time, and says that the next one may come after three
    // seconds.
    if (line.includes('export map')) await new Promise((resolve) => setTimeout(resolve, 3_200))
    // What asks is asked at a terminal, and told yes.
    const asks = line.includes('--write') && !line.includes('--yes') && !line.includes(' mcp ')
    const [program, ...args] = asks
      ? ['script', '--quiet', '--return', '--command', filled(line), '/dev/null']
      : ['bash', '-o', 'pipefail', '-c', filled(line)]
    const child = spawn(program ?? '', args, { cwd: home, env, timeout: 60_000 })
    child.stdin.end(asks ? 'y\n' : '')
    const { code, stdout, stderr } = await waitForExit(child)
    expect([line, code, code === 0 ? '' : stdout.toString() + stderr]).toEqual([line, 0, ''])
  }
  for (const file of ['study-sets.csv', 'cards.csv', 'excerpts.csv', 'picture.png', '.bash_completion', 'profile.ps1'])
    expect(readFileSync(path.join(home, file)).byteLength).toBeGreaterThan(20)
})

/** What goes on until it is stopped. */
const lasting = /^bridge-inspector (?:--demo|serve|demo-host)\b/

test('those that go on until they are stopped say that they work', { timeout: 120_000 }, async () => {
  const { home, env } = await prepared()
  for (const line of examples.filter((one) => lasting.test(one))) {
    const [, name = '', rest = ''] = /^bridge-inspector (demo-host|serve|)\s*(.*)$/.exec(line) ?? []
    // The entry points themselves: the program would build the page first. Without a PATH no
    // browser can be opened.
    const entry = name === 'demo-host' ? 'electron/demo-host/main.ts' : 'electron/serve.ts'
    const args = [entry, ...rest.replace('--port 42340', '--port 0').split(' ')]
    const child = spawn(process.execPath, args, { cwd: root, env: { ...env, PATH: path.join(home, 'bin') } })
    let out = ''
    child.stdout.on('data', (piece: Buffer) => (out += piece.toString()))
    await expect.poll(() => out, { timeout: 30_000 }).toMatch(/^(?:Demo host|Bridge Inspector): http/)
    const over = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGINT')
    expect(await over).toBe(0)
  }
})
