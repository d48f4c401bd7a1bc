/** @module-tag slow */

import fc from 'fast-check'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dialectTraits, type DialectName } from '../../../electron/demo-host/dialects/index.ts'
import { driftVersions, listDrift, type DriftVersion } from '../../../electron/demo-host/drift/drift-list.ts'
import type { DemoHostOptions } from '../../../electron/demo-host/server.ts'
import { TRAFFIC_FILE } from '../../../electron/services/traffic/traffic-store.ts'
import { classifyRequest, endpoints } from '../../../shared/bridge/endpoints/index.ts'
import type { Deviation } from '../../../shared/contract/deviation.ts'
import { formatSarif, omitValues } from '../../../electron/core/sarif/deviation-sarif.ts'
import { formatDeviationMarkdown, type DeviationReport } from '../../../cli/output/deviation-report.ts'
import { createConnectionFlags, runCommandLine, startProgram, waitForExit } from '../../support/program/command-line.ts'
import { startComposedApp } from '../../support/program/composed-app.ts'
import { listCodeScanningErrors, listSarifErrors } from '../../support/data/sarif.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { isObject } from '../../../shared/json/object.ts'
import { startAlteringHost } from '../../support/hosts/altering-host.ts'
import { lawfulHosts } from '../../support/hosts/lawful-hosts.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { addAll, createBody, createEntry, openDiskStore } from '../../support/services/traffic.ts'

async function startHost(options: DemoHostOptions = {}) {
  const { host } = await startDemo({ nodes: 50, ...options })
  onTestFinished(() => host.close())
  return { host, flags: createConnectionFlags(host) }
}

type Identity = Pick<Deviation, 'kind' | 'method' | 'template' | 'pointer'>
const toIdentity = ({ kind, method, template, pointer }: Identity): string => `${kind} ${method} ${template} ${pointer}`

/** What a version deviates in, as far as reads of the contract show it. */
function listReadDrift(version: DriftVersion): string[] {
  const reads = new Set(
    endpoints.filter(({ access }) => access === 'read').map(({ method, path: template }) => `${method} ${template}`),
  )
  return listDrift(version)
    .filter(({ method, template }) => reads.has(`${method} ${template}`))
    .map((entry) => toIdentity(entry))
    .sort()
}

interface SarifLog {
  readonly runs: readonly {
    readonly results: readonly { readonly locations: { logicalLocations: { fullyQualifiedName: string }[] }[] }[]
  }[]
}

interface CheckReport {
  readonly deviations: Deviation[]
  readonly observed?: Deviation[]
  readonly muted: Deviation[]
  readonly total: number
  readonly unasked: { path: string; reason: string }[]
  readonly refused: { method: string; path: string; reason: string }[]
  readonly failed: { path: string; reason: string }[]
  readonly isPartial: boolean
}
const parseReport = (stdout: Buffer): CheckReport => JSON.parse(stdout.toString()) as CheckReport

/** What the spec or the capabilities of the host state otherwise. */
const bindingReadDrift: Readonly<Record<DriftVersion, readonly string[]>> = {
  '0.92': [
    'missing GET /documents/{bookmd5}/excerpts /topicCount',
    'wrong-type GET /documents/{bookmd5}/excerpts /duplicates',
    'wrong-type GET /study-sets/{topicid}/tree /walkLimitReached',
  ],
  '0.93': [
    'missing GET /documents/{bookmd5}/excerpts /topicCount',
    'missing GET /study-sets/{topicid}/note-palette /source',
    'wrong-type GET /documents/{bookmd5}/excerpts /items/*/text',
  ],
  '1.0': [
    'broken-promise GET /notes/{noteid}/content/{contentId} ',
    'broken-promise GET /study-sets/{topicid}/tree /nodes',
    'limit-exceeded GET /documents/{bookmd5}/pages /pages',
    'missing GET /documents/{bookmd5}/excerpts /items/*/endpos',
    'missing GET /documents/{bookmd5}/excerpts /topicCount',
    'missing GET /study-sets/{topicid}/note-palette /colors/*/displayColor/hex',
    'wrong-type GET /study-sets/{topicid}/note-palette /colors/*/baseColor/hex',
  ],
}

describe('contract check with a host', () => {
  test.each(driftVersions)('reports exactly in what version %s deviates', async (version) => {
    const { flags } = await startHost({ fault: 'drift', driftVersion: version })
    const command = ['contract', 'check', '--json', '--fail', '--observed', ...flags]
    const { code, stdout, stderr } = await runCommandLine(command)
    const report = parseReport(stdout)
    const { observed = [] } = report
    expect([...report.deviations, ...observed].map(toIdentity).sort()).toEqual(listReadDrift(version))
    expect(report.deviations.map(toIdentity).sort()).toEqual(bindingReadDrift[version])
    expect([code, report.total, report.isPartial]).toEqual([11, report.deviations.length, false])
    expect(stderr).not.toContain('STOPPED')
    expect(report.deviations.every(({ hostVersions }) => hostVersions.join() === version)).toBe(true)
  })

  test.each(fc.sample(lawfulHosts, { seed: 44, numRuns: 4 }))(
    'reports nothing of a host that keeps the contract: $description',
    async ({ changeBody }) => {
      const { host, flags } = await startHost()
      const changedIds = new Set<string>()
      const baseUrl = await startAlteringHost(host, ({ method, path: requestPath }, { status, body }) => {
        const id = classifyRequest(method, requestPath).endpoint?.id
        if (id === undefined || status >= 300 || !isObject(body)) return null
        const changedBody = changeBody(id, body)
        if (JSON.stringify(changedBody) !== JSON.stringify(body)) changedIds.add(id)
        return { status, body: changedBody }
      })
      const altered = flags.map((flag) => (flag === host.baseUrl ? baseUrl : flag))
      const { code, stdout } = await runCommandLine(['contract', 'check', '--json', '--fail', ...altered])
      expect([code, parseReport(stdout).deviations]).toEqual([0, []])
      expect(changedIds.size).toBeGreaterThan(3)
    },
  )

  test.each(Object.keys(dialectTraits) as DialectName[])(
    'reports nothing of a host that speaks %s',
    async (dialect) => {
      const { flags } = await startHost({ dialect })
      const { code, stdout, stderr } = await runCommandLine(['contract', 'check', '--fail', ...flags])
      expect(
        stdout
          .toString()
          .split('\n')
          .filter((line) => !/^not asked: /.test(line)),
      ).toEqual([''])
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/No deviations in the \d+ responses that could be judged\./),
      ])
    },
  )

  test('asks each read at most once besides the connection, and never writes', async () => {
    const { host, flags } = await startHost()
    await runCommandLine(['contract', 'check', ...flags])
    const ids = host.log.map(({ endpoint }) => endpoint)
    const planned = ids.filter((id) => id !== 'status.get' && id !== 'capabilities.get')
    expect(new Set(planned).size).toBe(planned.length)
    const reads = endpoints.filter(({ access }) => access === 'read').map(({ id }) => id)
    expect(ids.every((id) => reads.some((read) => read === id))).toBe(true)
    expect(planned.length).toBeGreaterThan(30)
  })

  test('names the reads for which the host names no id', async () => {
    const { flags } = await startHost()
    const { stdout } = await runCommandLine(['contract', 'check', '--json', ...flags])
    expect(parseReport(stdout).unasked).toContainEqual({
      method: 'POST',
      path: '/writing/pencil-result',
      code: null,
      reason: 'no response names a value for requestId',
    })
  })

  test('does not pass a host whose responses could not be read', async () => {
    const { host, flags } = await startHost({ nodes: 10 })
    host.setFault('html-500')
    const { code, stdout, stderr } = await runCommandLine(['contract', 'check', '--json', ...flags])
    const { failed, refused } = parseReport(stdout)
    expect([code, refused, failed.length > 5]).toEqual([10, [], true])
    expect(stderr).toContain(`NOT_JUDGED: ${failed.length} reads got no usable response.`)
  })

  test('names the reads that the host answered with an error', async () => {
    const { flags } = await startHost({ fault: 'drift' })
    const { code, stdout } = await runCommandLine(['contract', 'check', '--json', ...flags])
    const { failed, refused } = parseReport(stdout)
    expect([code, failed]).toEqual([0, []])
    expect(refused).toEqual([
      {
        ...{ method: 'GET', path: '/decks/{deckId}/cards', code: 'DECK_HAS_MOVED' },
        reason: expect.stringContaining('DECK_HAS_MOVED: ') as unknown,
      },
    ])
  })

  test('asks a host although nothing recorded can be read', async () => {
    const { host } = await startHost({ fault: 'drift', driftVersion: '0.92' })
    const dataDir = createTempDir()
    writeFileSync(path.join(dataDir, TRAFFIC_FILE), 'no database')
    const { code, stdout, stderr } = await runCommandLine([
      ...['contract', 'check', '--json'],
      ...createConnectionFlags(host, dataDir),
    ])
    expect([code, parseReport(stdout).total]).toEqual([0, bindingReadDrift['0.92'].length])
    expect(stderr).toContain(
      'What was muted is listed too: The recorded traffic of this data directory cannot be read.',
    )
  })

  test('prints a valid SARIF log, annotations of GitHub and a Markdown table', async () => {
    const { flags } = await startHost({ fault: 'drift' })
    const file = path.join(createTempDir(), 'contract.sarif')
    const run = await runCommandLine(['contract', 'check', '--sarif', '-o', file, ...flags])
    expect([run.code, run.stdout.toString()]).toEqual([0, ''])
    const log = JSON.parse(readFileSync(file, 'utf8')) as SarifLog
    expect(listSarifErrors(log)).toBe(null)
    expect(listCodeScanningErrors(log)).toEqual([])
    expect(listSarifErrors({ ...log, version: '2.0.0' })).not.toBe(null)
    const results = log.runs[0]?.results ?? []
    expect(JSON.stringify(log)).not.toContain('high')
    expect(results.length).toBe(bindingReadDrift['1.0'].length)
    expect(results.map(({ locations }) => locations[0]?.logicalLocations[0]?.fullyQualifiedName)).toContain(
      'GET /study-sets/{topicid}/note-palette#/colors/*/displayColor/hex',
    )
    const annotated = await runCommandLine(['contract', 'check', '--github', '--artifact', 'src/a,b.ts', ...flags])
    const annotations = annotated.stdout.toString().split('\n')
    expect(annotations.length).toBe(results.length + 1)
    expect(annotations.at(-1)).toBe('')
    expect(annotations).toContainEqual(
      expect.stringMatching(
        /^::error file=src\/a%2Cb\.ts,line=1,col=1,title=missing::GET \/\S+ \/\S+: A member that the contract shows/,
      ),
    )
    expect(annotated.stdout.toString()).not.toContain('high')
    const markdown = (
      await runCommandLine(['contract', 'check', '--markdown', '--observed', ...flags])
    ).stdout.toString()
    const [, group = ''] = markdown.split('## Otherwise than seen on 0.49')
    expect(group).toContain(
      '| unknown member | `GET /study-sets/{topicid}/note-palette` | `/contrast` |  | `string` | 1 | `1.0` |',
    )
    expect(markdown).toContain('| `POST /writing/pencil-result` | `no response names a value for requestId` |')
  })

  test('prints each deviation as text, with what was sent and expected', async () => {
    const { flags } = await startHost({ fault: 'drift', driftVersion: '0.92' })
    const { code, stdout, stderr } = await runCommandLine(['contract', 'check', ...flags])
    expect([code, stdout.toString()]).toEqual([0, expect.not.stringContaining('unknown status') as unknown])
    expect(stderr).toContain('Otherwise than seen on 0.49, where the contract is open: 9. --observed lists them.')
    expect(stdout.toString()).toContain('missing: GET /documents/{bookmd5}/excerpts /topicCount\n')
    const all = await runCommandLine(['contract', 'check', '--observed', ...flags])
    expect(all.stdout.toString()).toContain(
      'otherwise than seen on 0.49: unknown status: GET /decks\n  sent: 203; expected: 200 | 304; once; host version 0.92\n',
    )
  })

  test('ends a run that Ctrl+C stops with what was found by then', async () => {
    const { host, flags } = await startHost({ fault: 'drift' })
    const child = startProgram(['contract', 'check', '--json', ...flags])
    const ended = waitForExit(child)
    await expect.poll(() => host.log.some(({ endpoint }) => endpoint === 'studySets.palette')).toBe(true)
    host.setLatency(600_000)
    child.kill('SIGINT')
    const { code, stdout, stderr } = await ended
    const { deviations, unasked, isPartial } = parseReport(stdout)
    expect([code, isPartial]).toEqual([10, true])
    expect(stderr).toContain('STOPPED: This is only a part')
    expect(deviations.map(toIdentity)).toContain(
      'missing GET /study-sets/{topicid}/note-palette /colors/*/displayColor/hex',
    )
    expect(unasked.map(({ reason }) => reason)).toContain('it was stopped before')
  })

  test.skipIf(!existsSync('/dev/full'))('safety 66: fails if its output can’t be written', async () => {
    const { flags } = await startHost()
    const run = await waitForExit(
      startProgram(['contract', 'check', '--sarif', ...flags], { shell: 'exec "$@" > /dev/full' }),
    )
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('ENOSPC')])
  })

  test('refuses two formats, and flags of other actions', async () => {
    const { host, flags } = await startHost()
    const two = await runCommandLine(['contract', 'check', '--json', '--sarif', ...flags])
    expect([two.code, two.stderr]).toEqual([
      2,
      expect.stringContaining('FLAG_INVALID: --json, --sarif, --markdown and --github'),
    ])
    const other = await runCommandLine(['contract', 'export', '--fail'])
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('--fail is not for contract export.')])
    expect(host.log).toEqual([])
  })
})

describe('the formats that are passed on', () => {
  const SECRET = 'My diary'
  const deviate = (members: Partial<Deviation>): Deviation => ({
    ...{
      method: 'GET',
      template: '/decks',
      endpoint: 'decks.list',
      pointer: '/x',
      kind: 'unknown-value',
      basis: 'spec',
      id: 'id',
    },
    ...{ expected: '', actual: '', example: `"${SECRET}"`, count: 1, exchangeCount: 1, firstAt: 0, lastAt: 0 },
    ...{ firstSeq: 1, lastSeq: 1, hostVersions: [], hasMoreVersions: false, hasUnknownVersion: false },
    ...{ sampleSeq: null, sampleId: null, muted: null, isNew: false },
    ...members,
  })
  const read = { method: 'GET', path: '/decks', code: 'DECK_LOCKED', reason: `DECK_LOCKED: ${SECRET}` }
  const createReport = (deviations: Deviation[]): DeviationReport => ({
    ...{ baseUrl: null, deviations, muted: [], ungroupedCount: 0, exchanges: 1, isPartial: false },
    ...{ unasked: [], refused: [read], failed: [read], observed: [], listsObserved: false },
  })

  test.each([
    ['unknown-value', '"red"', `"${SECRET}"`, '"red"', 'string'],
    ['unknown-value', '"red"', `{"a":"${SECRET}","b":1}, ["${SECRET}",2], …`, '"red"', 'object | array | …'],
    ['unknown-value', '0..1', '2, true, null, …', '0..1', 'number | boolean | null | …'],
    ['broken-promise', SECRET, SECRET, 'string', 'string'],
    ['broken-promise', '', SECRET, '', 'string'],
    ['broken-promise', '≤ 10 px', '64 px', '≤ 10 px', '64 px'],
    ['broken-promise', 'true', 'false', 'true', 'false'],
    ['wrong-type', 'string', 'number', 'string', 'number'],
  ] as const)('show types instead of values: %s, %s, %s', (kind, expected, actual, shownExpected, shownActual) => {
    const deviation = deviate({ kind, expected, actual })
    expect(omitValues(deviation)).toMatchObject({ expected: shownExpected, actual: shownActual })
    for (const format of [formatSarif, formatDeviationMarkdown]) {
      const text = format(createReport([deviation]), '1.0.0')
      expect(text).toContain(shownActual.replaceAll('|', format === formatSarif ? '|' : '\\|'))
      expect(text).toContain('DECK_LOCKED')
      expect(text).not.toContain(SECRET)
    }
  })
})

const CLIENT_SCRIPT = `
const call = (path) => fetch(process.env.BRIDGE_BASE_URL + path, { headers: { Authorization: 'Bearer ' + process.env.BRIDGE_TOKEN } })
const { state } = await (await call('/ui-state')).json()
await (await call('/study-sets/' + state.topicid + '/note-palette')).json()
await (await call('/capabilities')).json()
await (await call('/library/tags')).json()`

describe('contract check without a host', () => {
  test('judges what was recorded, and leaves out what is muted', async () => {
    const { host } = await startHost({ fault: 'drift', driftVersion: '0.92' })
    const dataDir = createTempDir()
    const recording = ['record', '-o', path.join(createTempDir(), 'a.har'), '--write']
    const client = ['--', process.execPath, '-e', CLIENT_SCRIPT]
    expect((await runCommandLine([...recording, ...createConnectionFlags(host, dataDir), ...client])).code).toBe(0)
    const check = ['contract', 'check', '--json', '--fail', '--data-dir', dataDir]
    const run = await runCommandLine(check)
    const identities = parseReport(run.stdout).deviations.map(toIdentity)
    expect(run.code).toBe(11)
    expect(identities).toContain('unknown-route GET /library/tags ')
    expect(identities).toEqual(['unknown-route GET /library/tags '])

    const app = await startComposedApp(dataDir)
    // A busy machine judges what was recorded in several calls.
    await expect
      .poll(async () => (await app.call('contract.deviations', {})).unjudgedExchanges, { timeout: 20_000 })
      .toBe(0)
    for (const { id } of (await app.call('contract.deviations', {})).deviations)
      await app.call('contract.mute', { id, reason: 'known' })
    await app.dispose()
    const muted = await runCommandLine(check)
    expect([muted.code, parseReport(muted.stdout).muted.length]).toEqual([0, identities.length])
    const checked = await runCommandLine(['contract', 'check', '--json', ...createConnectionFlags(host, dataDir)])
    expect(parseReport(checked.stdout).deviations.map(toIdentity)).not.toContain(identities[0])
  })

  test('fails if places deviate that are not listed, although all that are listed are muted', async () => {
    const dataDir = createTempDir()
    const opened = openDiskStore(dataDir)
    const createDecks = (index: number) =>
      createEntry({
        row: { endpoint: 'studySets.tree', path: '/study-sets/T/tree', template: '/study-sets/{topicid}/tree' },
        response: createBody(`{"bridgeApiVersion":"0.91","nodes":[],"nextCursor":null,"name${index}":1}`),
      })
    addAll(
      opened,
      Array.from({ length: 300 }, (_, index) => createDecks(index)),
    )
    const broken = createDecks(300)
    addAll(opened, [{ ...broken, response: createBody('{"bridgeApiVersion":"0.91","nodes":{},"nextCursor":null}') }])
    const { contract } = opened.store
    while (contract.judgeNew(100));
    for (const { id } of contract.list().deviations) contract.mute(id, { reason: 'known', at: 1 })
    opened.store.close()
    const run = await runCommandLine(['contract', 'check', '--fail', '--data-dir', dataDir])
    expect([run.code, run.stdout.toString()]).toEqual([11, ''])
    expect(run.stderr).toContain('NOT_LISTED: ')
  })

  test('says that nothing was recorded instead of finding nothing', async () => {
    const run = await runCommandLine(['contract', 'check', '--quiet', '--data-dir', createTempDir()])
    expect([run.code, run.stderr.split(':')[0]]).toEqual([0, 'NOTHING_JUDGED'])
    expect((await runCommandLine(['contract', 'check', '--fail', '--data-dir', createTempDir()])).code).toBe(11)
  })
})
