/** @module-tag slow */

import { copyFileSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkReporters, type CheckReport } from '../../../cli/output/check-report.ts'
import type { DemoLogEntry } from '../../../electron/demo-host/request-handler.ts'
import type { DemoHostOptions } from '../../../electron/demo-host/server.ts'
import { createConnectionFlags, runCommandLine } from '../../support/program/command-line.ts'
import { startComposedApp } from '../../support/program/composed-app.ts'
import { startLoggingHost } from '../../support/program/panel.ts'
import { startWritableApp } from '../../support/program/writable-app.ts'
import { saveRecording } from '../../support/program/saved-recording.ts'
import { DEFAULT_REDACTION } from '../../../shared/recordings/recording.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { listCodeScanningErrors, listSarifErrors } from '../../support/data/sarif.ts'
import { TOKEN } from '../../support/services/test-client.ts'

async function startHost(options: DemoHostOptions = {}) {
  const { host } = await startDemo({ nodes: 50, ...options })
  onTestFinished(() => host.close())
  return host
}

/** Records reads of a host: two of one, and one of another that lists cards. */
async function recordReads(): Promise<string> {
  const host = await startHost({ token: TOKEN })
  const app = await startComposedApp(createTempDir(), ['--base-url', host.baseUrl], { env: { BRIDGE_TOKEN: TOKEN } })
  await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
  for (const route of ['/study-sets', '/study-sets', '/decks'])
    await app.call('traffic.send', { method: 'GET', path: route, body: null })
  await expect.poll(async () => (await app.call('traffic.info', {})).exchanges).toBeGreaterThan(3)
  const file = path.join(createTempDir(), 'reads.birec')
  await saveRecording(app, file)
  await app.dispose()
  return file
}

/** Records that a study set is created and its only card renamed, and the reads between. */
async function recordWrites(): Promise<string> {
  const { app, host } = await startWritableApp({ host: { nodes: 50, token: TOKEN } })
  const read = (route: string) => app.call('traffic.send', { method: 'GET', path: route, body: null })
  const write = async (endpoint: string, params: Record<string, string>, body: object): Promise<void> => {
    const { ticket } = await app.call('operations.prepare', { endpoint, params, query: {}, body })
    await app.call('operations.send', { ticket })
  }
  await read('/library/study-sets')
  await write('studySets.create', {}, { title: 'Mine' })
  const created = host.state.library.sets.find(({ title }) => title === 'Mine')
  const card = created?.cards[0]
  if (!card) throw new Error('There is no such study set.')
  await read('/library/study-sets')
  await read(`/study-sets/${created.topicid}/tree`)
  await write('notes.title', { noteid: card.noteid }, { text: 'Yours' })
  await read(`/study-sets/${created.topicid}/tree`)
  const file = path.join(createTempDir(), 'writes.birec')
  await saveRecording(app, file)
  await app.dispose()
  return file
}

const writeEndpoints: ReadonlySet<string | null> = new Set(['studySets.create', 'notes.title'])
const isWrite = ({ endpoint }: DemoLogEntry): boolean => writeEndpoints.has(endpoint)

const parseReport = (stdout: Buffer): CheckReport => JSON.parse(stdout.toString()) as CheckReport

const readDifference = { kind: 'value', pointer: '/decks/0/title', expected: '"a"', actual: '"b"' } as const

test.each([
  ['recordings/my day.birec', 'recordings/my%20day.birec'],
  [path.resolve('recordings/day.birec'), 'recordings/day.birec'],
  ['../day.birec', 'day.birec'],
])('a SARIF log of %s names it as code scanning does, and the same read twice apart', (file, uri) => {
  const read = { method: 'GET', path: '/decks', differences: [readDifference], total: 1, problem: null }
  const sarif = checkReporters.sarif(
    {
      file,
      baseUrl: '',
      checked: [read, read],
      unchecked: [],
      volatilePointers: [],
      notCompared: '',
      isPartial: false,
      startedAt: 0,
      durationMs: 0,
    },
    '1.0.0',
    process.cwd(),
  )
  const log: unknown = JSON.parse(sarif)
  expect([listSarifErrors(log), listCodeScanningErrors(log)]).toEqual([null, []])
  expect(sarif).toContain(`"uri": "${uri}"`)
})

describe('check', () => {
  test('finds no difference on a host of the same library, and asks each read once', async () => {
    const file = await recordReads()
    const host = await startHost()
    const { code, stdout, stderr } = await runCommandLine(['check', file, '--json', ...createConnectionFlags(host)])
    const { checked, isPartial, baseUrl } = parseReport(stdout)
    expect(
      checked.flatMap(({ path: route, differences }) => differences.map((difference) => ({ route, difference }))),
    ).toEqual([])
    expect([code, isPartial, baseUrl, stderr]).toEqual([0, false, host.baseUrl, expect.any(String)])
    expect(checked.filter(({ path: route }) => route === '/study-sets')).toHaveLength(1)
  })

  test('tells what another library has, by pointer, and ends with 11', async () => {
    const file = await recordReads()
    const host = await startHost({ seed: 7 })
    const { code, stdout } = await runCommandLine(['check', file, '--json', ...createConnectionFlags(host)])
    expect(code).toBe(11)
    const decks = parseReport(stdout).checked.find(({ path: route }) => route === '/decks')
    expect(decks?.total).toBeGreaterThan(0)
    expect(decks?.differences.every(({ kind }) => kind === 'value')).toBe(true)
    const shape = await runCommandLine(['check', file, '--shape', ...createConnectionFlags(host)])
    expect(shape.code).toBe(0)
  })

  test('leaves out the places that it is told', async () => {
    const file = await recordReads()
    const host = await startHost({ seed: 7 })
    const first = await runCommandLine(['check', file, '--json', ...createConnectionFlags(host)])
    const pointers = new Set(
      parseReport(first.stdout).checked.flatMap(({ differences }) => differences.map(({ pointer }) => pointer)),
    )
    const ignores = [...pointers].flatMap((pointer) => ['--ignore', pointer])
    const second = await runCommandLine(['check', file, '--json', ...ignores, ...createConnectionFlags(host)])
    expect([second.code, parseReport(second.stdout).checked.filter(({ total }) => total > 0)]).toEqual([0, []])
  })

  test('writes reports for machines and people', async () => {
    const file = await recordReads()
    const host = await startHost({ seed: 7 })
    const output = path.join(createTempDir(), 'report')
    const flags = createConnectionFlags(host)
    await runCommandLine(['check', file, '--junit', '-o', output, ...flags])
    expect(readFileSync(output, 'utf8')).toContain('<failure message="another value')
    await runCommandLine(['check', file, '--markdown', '-o', output, '--force', ...flags])
    expect(readFileSync(output, 'utf8')).toContain('| `GET /decks` | another value |')
    await runCommandLine(['check', file, '--sarif', '-o', output, '--force', ...flags])
    const log = JSON.parse(readFileSync(output, 'utf8')) as { runs: { results: { ruleId: string }[] }[] }
    expect(log.runs[0]?.results.map(({ ruleId }) => ruleId)).toContain('value')
    expect([listSarifErrors(log), listCodeScanningErrors(log)]).toEqual([null, []])
    const { stdout } = await runCommandLine(['check', file, ...flags])
    expect(stdout.toString()).toContain('different GET /decks')
  })

  test('does not compare what a redaction replaced, and says so', async () => {
    const host = await startHost({ token: TOKEN })
    const app = await startComposedApp(createTempDir(), ['--base-url', host.baseUrl], { env: { BRIDGE_TOKEN: TOKEN } })
    await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
    for (const route of ['/study-sets', '/decks', '/search?q=atlas'])
      await app.call('traffic.send', { method: 'GET', path: route, body: null })
    const { entry } = await app.call('recordings.save', {
      ...{ selection: { kind: 'filter', filter: {} }, redaction: DEFAULT_REDACTION },
      ...{ name: 'redacted', steps: '', jobId: 'job' },
    })
    const file = path.join(createTempDir(), 'redacted.birec')
    copyFileSync(entry?.file ?? '', file)
    await app.dispose()
    const flags = createConnectionFlags(await startHost())
    const { code, stdout } = await runCommandLine(['check', file, '--json', ...flags])
    const { checked, unchecked, notCompared } = parseReport(stdout)
    expect(checked.filter(({ total }) => total > 0)).toEqual([])
    expect(checked.map(({ path: route }) => route)).toEqual(expect.arrayContaining(['/study-sets', '/decks']))
    expect(unchecked).toContainEqual(expect.objectContaining({ reason: 'redacted' }))
    expect(notCompared).toContain('texts')
    expect(code).toBe(0)
  })

  test('sends the writes once and in order with --write, and knows the ids that they create', async () => {
    const file = await recordWrites()
    const host = await startHost()
    const flags = ['--json', '--write', '--yes', ...createConnectionFlags(host)]
    const { code, stdout, stderr } = await runCommandLine(['check', file, ...flags])
    const { checked, isPartial } = parseReport(stdout)
    expect(checked.filter(({ total, problem }) => total > 0 || problem !== null)).toEqual([])
    expect([code, isPartial, stderr]).toEqual([0, false, expect.any(String)])
    expect(checked.filter(({ path: route }) => route.endsWith('/tree'))).toHaveLength(2)
    const created = host.state.library.sets.find(({ title }) => title === 'Mine')
    expect(created?.cards.map(({ title }) => title)).toEqual(['Yours'])
    expect(host.log.filter(isWrite).map(({ endpoint }) => endpoint)).toEqual(['studySets.create', 'notes.title'])
  })

  test('does not ask for what only the recording created', async () => {
    const file = await recordWrites()
    const host = await startHost({ chooseFault: (id) => (id === 'studySets.create' ? 'rate-limit' : null) })
    const flags = ['--json', '--write', '--yes', ...createConnectionFlags(host)]
    const { code, stdout } = await runCommandLine(['check', file, ...flags])
    const { checked, unchecked, isPartial } = parseReport(stdout)
    const creation = checked.find(({ method, path: route }) => method === 'POST' && route === '/library/study-sets')
    expect(creation?.differences[0]?.kind).toBe('status')
    const unasked = unchecked.filter(({ reason }) => reason === 'created').map(({ path: route }) => route)
    expect(unasked).toEqual(expect.arrayContaining([expect.stringMatching(/tree$/), expect.stringMatching(/title$/)]))
    expect([code, isPartial]).toEqual([11, false])
    expect(host.log.filter(({ endpoint }) => endpoint === 'notes.title')).toEqual([])
  })

  test('sends no write without --write, nor without a confirmation', async () => {
    const file = await recordWrites()
    const host = await startHost()
    const { stdout } = await runCommandLine(['check', file, '--json', ...createConnectionFlags(host)])
    expect(parseReport(stdout).unchecked.filter(({ reason }) => reason === 'write')).toHaveLength(2)
    const { code, stderr } = await runCommandLine(['check', file, '--write', ...createConnectionFlags(host)])
    expect([code, stderr]).toEqual([6, expect.stringContaining('NOT_CONFIRMED')])
    expect(host.log.filter(isWrite)).toEqual([])
  })

  test('refuses --write for a host that does not say that it is a demo, before anything is asked', async () => {
    const file = await recordWrites()
    const host = await startLoggingHost(['GET /library/study-sets', 'POST /library/study-sets'])
    const flags = createConnectionFlags({ baseUrl: host.baseUrl, token: TOKEN })
    const { code, stderr } = await runCommandLine(['check', file, '--write', '--yes', ...flags])
    expect([code, stderr]).toEqual([6, expect.stringContaining('NOT_A_DEMO_HOST')])
    expect(host.requests.filter(({ method, url }) => method !== 'GET' || url.includes('study-sets'))).toEqual([])
  })

  test('refuses what is no recording, and a pointer that is none', async () => {
    const flags = ['--demo', '--demo-nodes', '10']
    const { code, stderr } = await runCommandLine(['check', 'package.json', ...flags])
    expect(stderr).toContain('RECORDING_NOT_A_RECORDING')
    expect(code).not.toBe(0)
    expect((await runCommandLine(['check', 'package.json', '--ignore', 'nodes', ...flags])).code).toBe(2)
  })
})
