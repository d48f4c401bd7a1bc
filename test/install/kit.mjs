import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../scripts/lib/paths.mjs'
import { createHome } from './program-test.mjs'
import { check, record } from './report.mjs'

/** A plugin's test without a test runner, which prints what it saw. */
const script = `
import { hostApi, startDemoHost, startPanel } from 'bridge-inspector/testing'
const startedAt = performance.now()
const host = await startDemoHost()
const panel = await startPanel({ panel: './panel', host })
const startMs = performance.now() - startedAt
const page = await (await fetch(panel.url)).text()
await fetch(new URL('/bridge/v1/token', panel.url))
const api = hostApi({ host, writes: 'allow' })
const { state } = await api('/ui-state')
const body = JSON.stringify({ text: 'New' })
const headers = { 'Content-Type': 'application/json' }
const { error } = await api('/notes/' + state.focusnoteid + '/title', { method: 'POST', headers, body })
const rules = (await panel.findings()).map(({ rule }) => rule)
const writes = (await api.operations()).length
await Promise.all([panel.close(), api.close()])
await host.close()
console.log(JSON.stringify({ page, rules, error: error ?? null, writes, startMs: Math.round(startMs) }))
`

/** A user's test, whose types must fit the declarations of the package. */
const typedTest = `
import type { BodyOf } from 'bridge-inspector/bridge'
import { expect, test } from 'bridge-inspector/playwright'
import { hostApi, startDemoHost, startPanel, type Finding, type Panel } from 'bridge-inspector/testing'

export async function check(goto: (url: string) => Promise<void>): Promise<readonly Finding[]> {
  const host = await startDemoHost({ nodes: 10, fault: null })
  const panel: Panel = await startPanel({
    ...{ panel: new URL('panel', import.meta.url), host, writes: 'ask' },
    overrides: [{ match: { path: '/status' }, answer: { kind: 'canned', body: { app: 'Mine' } } }],
  })
  await goto(panel.url)
  const [call] = await panel.calls()
  const status: number | null = call?.answer?.status ?? null
  const api = hostApi(host)
  const { state } = await api.api('/ui-state', { signal: AbortSignal.timeout(1_000) })
  console.log(status, state)
  await expect(panel).toKeepContract()
  return panel.findings()
}
test.use({ panelOptions: { panel: './panel', writes: 'allow' }, hostOptions: { nodes: 50 } })
test('has fixtures', async ({ page, panel, host }) => {
  panel.override({ path: '/status' }, ({ params }) => ({ body: params }), { once: true })
  await using served = await startPanel({ host })
  await page.goto(served.url)
})
// @ts-expect-error -- a panel has no such option
test.use({ panelOptions: { write: 'allow' } })
export const band: BodyOf<'POST /notes/{noteid}/blank-bands'> = { role: 'practice', height: 240 }
// @ts-expect-error -- writes has no such value
void startPanel({ writes: 'always' })
`

/** Installs the package into a plugin's folder, and uses its kit for tests there. */
export function testKit(folder, { name, bin }, file) {
  const plugin = path.join(createHome(folder), 'plugin')
  mkdirSync(path.join(plugin, 'panel'), { recursive: true })
  writeFileSync(path.join(plugin, 'package.json'), JSON.stringify({ name: 'plugin', type: 'module', private: true }))
  writeFileSync(path.join(plugin, 'panel', 'index.html'), '<title>Mine</title>')
  writeFileSync(path.join(plugin, 'test.js'), script)
  writeFileSync(path.join(plugin, 'typed.test.ts'), typedTest)
  const options = { cwd: plugin, encoding: 'utf8', env: { PATH: bin, HOME: path.dirname(plugin), LANG: 'C.UTF-8' } }
  const npm = spawnSync(path.join(bin, 'npm'), ['install', '--no-audit', '--no-fund', '--offline', file], options)
  check(`${name}: installs the package into a plugin`, npm)
  if (npm.status !== 0) return
  const { stdout, stderr } = spawnSync(path.join(bin, 'node'), ['test.js'], { ...options, timeout: 60_000 })
  record({ name: `${name}: the kit runs a panel and writes once`, ok: isExpected(stdout), detail: stdout + stderr })
  // A plugin has Playwright and the types of Node by itself; here they come from the checkout.
  mkdirSync(path.join(plugin, 'node_modules', '@types'), { recursive: true })
  for (const types of ['@types/node', 'undici-types'])
    cpSync(path.join(root, 'node_modules', types), path.join(plugin, 'node_modules', types), { recursive: true })
  mkdirSync(path.join(plugin, 'node_modules', '@playwright'))
  const playwright = path.join('node_modules', '@playwright', 'test')
  symlinkSync(path.join(root, playwright), path.join(plugin, playwright))
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']
  const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const types = spawnSync(process.execPath, [compiler, ...flags, 'typed.test.ts'], options)
  record({ name: `${name}: a test in TypeScript compiles`, ok: types.status === 0, detail: types.stdout })
}

/** An older Node says which one is needed, for a command and for a test of a plugin. */
export function testOldNode(folder, { name, bin }, file) {
  const plugin = path.join(createHome(folder), 'plugin')
  mkdirSync(plugin)
  writeFileSync(path.join(plugin, 'package.json'), JSON.stringify({ name: 'plugin', type: 'module' }))
  const options = { cwd: plugin, encoding: 'utf8', env: { PATH: bin, HOME: path.dirname(plugin), LANG: 'C.UTF-8' } }
  const flags = ['install', '--no-audit', '--no-fund', '--offline', file]
  check(`${name}: installs the package`, spawnSync(path.join(bin, 'npm'), flags, options))
  const command = ['node_modules/.bin/bridge-inspector', 'status', '--demo']
  for (const args of [command, ['--input-type=module', '--eval', "import 'bridge-inspector/testing'"]]) {
    const { status, stderr } = spawnSync(path.join(bin, 'node'), args, options)
    const isRefused = status === 1 && /needs Node 22\.16 or newer, but runs in Node 20\./.test(stderr)
    record({ name: `${name}: ${args.at(-1)} says which Node it needs`, ok: isRefused, detail: `${status} ${stderr}` })
  }
}

function isExpected(stdout) {
  try {
    const { page, rules, error, writes } = JSON.parse(stdout)
    return page === '<title>Mine</title>' && rules.join() === 'outside-allow-list' && error === null && writes === 1
  } catch {
    return false
  }
}
