/** @module-tag slow */

import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startDemoHost } from '../../electron/demo-host/server.ts'
import { endpoints, getEndpointById } from '../../shared/bridge/endpoints/index.ts'
import { defaultSettings } from '../../shared/ipc/settings.ts'
import { ipcMethods, type MethodName } from '../../shared/ipc/index.ts'
import { DEFAULT_REDACTION } from '../../shared/recordings/recording.ts'
import {
  respondHostError,
  respondJson,
  respondRedirect,
  respondTruncated,
  type Behaviour,
} from '../support/hosts/behaviours.ts'
import { TOKEN } from '../support/services/test-client.ts'
import { createFakeKeyring } from '../support/services/ciphers.ts'
import { readAllFiles, startComposedApp, type ComposedApp } from '../support/program/composed-app.ts'
import { createTempDir } from '../support/data/temp-dir.ts'
import {
  everyRead,
  everyContent,
  everySent,
  everySeq,
  everyWrite,
  sort,
  read,
} from '../support/program/sweep-inputs.ts'
import { startMisbehavingHost } from '../support/hosts/misbehaving-host.ts'
import { expectNoSecret } from '../support/data/secrets.ts'
import { reach } from '../support/services/method-reach.ts'

const NEW_TOKEN = 'mnb0.Another-Token/Of+This~Machine_9sK2.q7Wz'
const redaction = DEFAULT_REDACTION
const auth = { header: 'Authorization', scheme: 'Bearer' }

/**
 * Longer than any test. Each request is attributed to the call before it, so a heartbeat would be
 * counted with whatever runs then.
 */
const HEARTBEAT_MS = 600_000

const heartbeat: readonly string[] = ['status.get', 'capabilities.get']

/**
 * Calls every method, most of them correctly and incorrectly, in an order in which each has
 * something to work on.
 */
async function callEverything(app: ComposedApp, profileId: string, baseUrl: string, reads = everyRead): Promise<void> {
  const inputs: Readonly<Record<MethodName, readonly unknown[]>> = {
    'app.info': [{}, { extra: 1 }],
    'settings.get': [{}],
    'settings.update': [{ ...defaultSettings, heartbeatMs: HEARTBEAT_MS, lastPlace: '#/library' }, { theme: 'pink' }],
    'app.openExternal': [{ url: 'https://example.invalid/' }, { url: 7 }],
    'app.dismissNotice': [{ id: 'n1' }, {}],
    'app.revealSaved': [{}, { file: TOKEN }],
    'app.reportUnsaved': [{ writes: 1, heldCalls: 0, forms: 0 }, { writes: -1 }],
    'app.reportFault': [
      { kind: 'script', message: TOKEN, stack: `at ${TOKEN}`, where: encodeURIComponent(TOKEN) },
      { kind: 'script', message: 'x'.repeat(2_001), stack: '', where: '' },
    ],
    'app.startDemo': [{}],
    'contract.deviations': [{}, { all: TOKEN }],
    'contract.judgeAgain': [{ after: 0 }, { after: -1 }],
    'contract.mute': [{ id: 'missing GET /status ', reason: TOKEN }, { id: '' }],
    'contract.mark': [{}, { all: TOKEN }],
    'contract.learned': [
      { filter: { host: null, version: TOKEN, from: null, to: null } },
      { filter: { host: null, version: null, from: 'today', to: null } },
    ],
    'contract.learnedShape': [
      { filter: { host: TOKEN, version: null, from: null, to: null }, method: 'GET', template: '/status' },
      { filter: null, method: 'GET', template: '/status' },
    ],
    'contract.exportDeviations': [{}, { extra: 1 }],
    'contract.export': [
      { format: 'openapi', side: { kind: 'contract' }, examples: false },
      { format: 'pdf', side: { kind: 'contract' }, examples: false },
    ],
    'contract.compare': [
      { before: { kind: 'contract' }, after: { kind: 'contract' } },
      { before: { kind: 'contract' }, after: TOKEN },
    ],
    'contract.ask': [
      { method: 'GET', template: TOKEN, after: 0, lastOutcomes: [], question: { kind: 'deviation', id: TOKEN } },
      { method: TOKEN },
    ],
    'findings.list': [
      { offset: 0, limit: 10 },
      { offset: -1, limit: 0 },
    ],
    'findings.of': [{ seq: 1 }, { seq: TOKEN }],
    'findings.judge': [{}, { all: TOKEN }],
    'findings.clear': [{}, { all: TOKEN }],
    'findings.mute': [
      { rule: 'read-burst', reason: TOKEN },
      { rule: TOKEN, reason: '' },
    ],
    'findings.unmute': [{ rule: 'read-burst' }, { rule: 7 }],
    'breakpoints.get': [{}],
    'breakpoints.save': [{ rules: [] }, { rules: [{ id: TOKEN }] }],
    'breakpoints.holdAll': [{ on: true }, { on: false }, {}],
    'breakpoints.held': [{ id: TOKEN }, {}],
    'breakpoints.extend': [{ id: TOKEN }, {}],
    'breakpoints.resume': [
      { id: TOKEN, resumption: { kind: 'fail' } },
      { id: 'x', resumption: { kind: 'answer', status: 200, headers: [], body: TOKEN } },
      { id: 'x', resumption: { kind: 'send' } },
    ],
    'breakpoints.forgetLapses': [{}],
    'breakpoints.records': [{ exchangeId: TOKEN }, {}],
    'clientProxy.get': [{}],
    'clientProxy.start': [{}, { port: -1 }, { label: 'x'.repeat(101) }],
    'clientProxy.name': [{ label: 'A tool' }, {}],
    'clientProxy.stop': [{}],
    'recordings.list': [{}, { all: TOKEN }],
    'recordings.preview': [
      { selection: { kind: 'filter', filter: { thisRun: true } }, redaction },
      { selection: { kind: 'filter', filter: { text: TOKEN } }, redaction },
      { selection: { kind: TOKEN }, redaction },
    ],
    'recordings.save': [
      { selection: { kind: 'operation', id: TOKEN }, redaction, jobId: 'j', name: TOKEN, steps: TOKEN },
      { selection: { kind: 'filter', filter: {} }, redaction, jobId: 'j', name: 'n', steps: '', pictures: [TOKEN] },
      { selection: null, redaction: null },
    ],
    'recordings.info': [{ id: TOKEN }, {}],
    'recordings.screenshot': [{ id: TOKEN, name: TOKEN }, {}],
    'recordings.verify': [{ id: TOKEN, jobId: 'j' }, {}],
    'recordings.redact': [{ source: { from: 'list', id: TOKEN }, jobId: 'j', redaction }, {}],
    'recordings.reduce': [{ id: TOKEN, jobId: 'j', finding: TOKEN, name: TOKEN }, {}],
    'recordings.exportArchive': [{ id: TOKEN }, {}],
    'recordings.exportPage': [{ id: TOKEN }, {}],
    'recordings.slice': [
      { id: TOKEN, start: 0, end: 1 },
      { id: TOKEN, start: -1, end: 1 },
    ],
    'recordings.serve': [{ id: TOKEN }, {}],
    'recordings.stopServing': [{ id: TOKEN }, {}],
    'recordings.open': [{ source: { from: 'list', id: TOKEN } }, { source: TOKEN }],
    'recordings.close': [{}],
    'recordings.current': [{}, { all: TOKEN }],
    'recordings.choose': [{}],
    'recordings.reveal': [{ id: TOKEN }, {}],
    'recordings.loads': [{}, { all: TOKEN }],
    'recordings.cardPath': [
      { source: { from: 'list', id: TOKEN } },
      { source: { from: 'traffic', filter: { caller: TOKEN, load: 1 } } },
      { source: { from: 'list' } },
    ],
    'recordings.compare': [
      { before: { from: 'list', id: TOKEN }, after: { from: 'traffic', filter: { thisRun: true } }, jobId: 'j' },
      { before: { from: 'traffic', filter: { text: TOKEN } }, after: { from: 'list', id: TOKEN }, jobId: 'j' },
      { before: TOKEN, after: null, jobId: 'j' },
    ],
    'recordings.comparedPairs': [
      { comparison: TOKEN, start: 0, count: 1 },
      { comparison: TOKEN, start: -1, count: 1 },
    ],
    'recordings.comparedBody': [
      { comparison: TOKEN, side: 'after', pair: 0 },
      { comparison: TOKEN, side: TOKEN, pair: 0 },
    ],
    'recordings.forget': [{ id: TOKEN, removesFile: true }, {}],
    'updates.get': [{}],
    'updates.check': [{}],
    'updates.download': [{}],
    'updates.cancel': [{}],
    'updates.install': [{}],
    'uploads.begin': [{ size: 4 }, { size: -1 }],
    'uploads.add': [
      { uploadId: TOKEN, offset: 0, data: 'AAAA' },
      { uploadId: 'u', offset: 0, data: '?' },
    ],
    'uploads.drop': [{ uploadId: 'u' }, {}],
    'uploads.cancel': [{ uploadId: 'u' }, {}],
    'profiles.list': [{}],
    'vault.storage': [{}],
    'connection.get': [{}],
    'connection.connect': [{ profileId: 'nobody' }, { profileId }],
    'connection.retry': [{}],
    'connection.installCode': [{}],
    'connection.doctor': [{ profileId }, { profileId: 'nobody' }],
    'connection.test': [
      { profile: { name: 'T', baseUrl, auth, readOnly: true }, token: TOKEN },
      { profile: { id: profileId, name: 'T', baseUrl, auth, readOnly: true }, token: null },
      { profile: { name: TOKEN, baseUrl: 'ftp://x', auth, readOnly: true }, token: 'two words' },
    ],
    'bridge.read': reads,
    'bridge.limits': [{}, { extra: 1 }],
    'console.saveCollection': [
      {
        id: 'ours',
        name: 'Ours',
        variables: {},
        requests: [{ name: 'Status', method: 'GET', path: '/status', body: null }],
      },
      { id: 'secret', name: 'S', variables: { token: TOKEN }, requests: [] },
      { id: '../outside', name: 'O', variables: {}, requests: [] },
    ],
    'console.collections': [{}],
    'console.setFolder': [{ folder: `/no/such/${encodeURIComponent(TOKEN)}` }, { folder: 7 }, { folder: null }],
    'console.saveTabs': [
      { tabs: [{ id: 't', method: 'GET', path: `/x?t=${TOKEN}`, body: null, saved: null, seq: null }], current: 't' },
      { tabs: [], current: null },
    ],
    'console.tabs': [{}],
    'console.removeCollection': [{ id: 'ours' }, { id: 'nope' }],
    'content.open': everyContent,
    'content.release': [{ handle: 'nope' }, {}],
    'content.slice': [
      { handle: 'nope', start: 0, end: 9 },
      { handle: 'nope', start: -1, end: 0 },
    ],
    'content.save': [{ handle: 'nope' }],
    'operations.prepare': everyWrite,
    'operations.preview': [{ ticket: 'nope' }],
    'operations.send': [{ ticket: 'nope' }, {}],
    'operations.list': [
      { offset: 0, limit: 10 },
      { offset: -1, limit: 10 },
    ],
    'operations.get': [{ id: 'nope' }],
    'operations.seen': [{ id: 'nope' }],
    'operations.seenAll': [{}],
    'operations.watch': [{ requestId: TOKEN }],
    'operations.look': [{ id: 'nope' }],
    'operations.stop': [{ id: 'nope' }],
    'operations.resume': [{ id: 'nope' }],
    'operations.readBack': [{ id: 'nope' }],
    'operations.readBackAll': [{}],
    'operations.writing': [{ profileId }, { profileId: 'nobody' }],
    'operations.unlock': [
      { profileId, scope: 'lock' },
      { profileId: 'nobody', scope: 'session' },
    ],
    'traffic.send': everySent,
    'traffic.find': [
      { filter: { text: TOKEN, inBodies: true, heartbeats: true }, sort },
      { filter: { nope: 1 }, sort },
    ],
    'traffic.head': [
      { filter: { text: TOKEN, inBodies: true, heartbeats: true }, sort },
      { filter: {}, sort: { by: 'nope', descending: true } },
    ],
    'traffic.rows': [{ seqs: everySeq }, { seqs: [0] }],
    'traffic.exchange': [...everySeq.map((seq) => ({ seq })), { id: TOKEN }],
    'traffic.body': [
      { seq: 1, side: 'response', start: 0, end: 9 },
      { seq: 1, side: 'request', start: 5, end: 1 },
      { seq: 1_000_000, side: 'response', start: 0, end: 9 },
    ],
    'traffic.strip': [
      { filter: {}, from: 0, to: Date.now(), buckets: 10 },
      { filter: {}, from: 0, to: 1, buckets: 0 },
    ],
    'traffic.coverage': [{ after: 0 }, { after: -1 }],
    'traffic.info': [{}],
    'traffic.pin': [{ seqs: [1], pinned: true }, { seqs: [] }],
    'traffic.pause': [{ paused: true }, { paused: false }],
    'traffic.clear': [{}],
    'snapshots.list': [{ topicid: TOKEN }, { topicid: '' }],
    'snapshots.take': [{ topicid: 'NO-SUCH', details: true }, { topicid: 7 }],
    'snapshots.compare': [
      { topicid: 'NO-SUCH', before: 1, after: 'now', layout: 'tree', offset: 0, limit: 10 },
      { topicid: TOKEN, before: 'now', after: 'then', layout: 'list', offset: 0, limit: 10 },
    ],
    'snapshots.marks': [
      { topicid: 'NO-SUCH', before: 1, after: 'now', offset: 0, limit: 10 },
      { topicid: TOKEN, before: 'then', after: 'now', offset: -1, limit: 10 },
    ],
    'snapshots.ghosts': [
      { topicid: 'NO-SUCH', before: 1, after: 'now', offset: 0, limit: 10 },
      { topicid: TOKEN, before: 'then', after: 'now', offset: -1, limit: 10 },
    ],
    'snapshots.forecast': [
      { host: TOKEN, endpoint: 'notes.title', path: `/notes/${TOKEN}/title`, body: '{"text":"x"}' },
      { host: 'http://127.0.0.1:1', endpoint: TOKEN, path: '', body: null, span: { startedAt: 0, endedAt: 1 } },
      { host: 7 },
    ],
    'snapshots.read': [{ topicid: 'NO-SUCH', snapshot: 'now' }, { topicid: TOKEN }],
    'snapshots.clear': [{ topicid: 'NO-SUCH' }, {}, { all: TOKEN }],
    'agents.asks': [{}, { all: true }],
    'agents.ask': [{ id: TOKEN }, { id: 7 }],
    'agents.decide': [{ id: TOKEN, send: true }, { id: 7 }],
    'panel.open': [
      { source: { kind: 'folder', path: `/no/such/${encodeURIComponent(TOKEN)}` } },
      { source: { kind: 'server', url: 'http://192.0.2.1/' } },
      { source: { kind: 'folder', path: 7 } },
    ],
    'panel.get': [{}],
    'panel.reload': [{}],
    'panel.configure': [{ writes: 'let-through' }, { allowMode: 'all', pluginId: TOKEN }, { allowMode: 'none' }],
    'panel.decide': [{ id: TOKEN, send: true }, {}],
    'panel.recent': [{}],
    'panel.forget': [{ source: { kind: 'sample', name: 'practice' } }, { source: { kind: 'sample', name: 'nope' } }],
    'panel.notes': [{ after: 0 }, { after: -1 }],
    'panel.clearNotes': [{}],
    'panel.callAs': [
      { pluginId: 'plugin.one', method: 'GET', path: `/notes/${TOKEN}`, body: null },
      { pluginId: 'plugin.one', method: 'GET', path: '/../..', body: null },
      { pluginId: 'plugin.one', method: 'CONNECT', path: '/status', body: null },
    ],
    'panel.resolvedValue': [{ exchangeId: TOKEN }, {}],
    'panel.call': [{ exchangeId: TOKEN }, {}],
    'panel.calls': [{ exchangeIds: [TOKEN] }, { exchangeIds: TOKEN }],
    'panel.source': [
      { caller: TOKEN, position: { file: TOKEN, line: 1, column: null }, isOriginal: true },
      { caller: TOKEN, position: { file: TOKEN, line: 0, column: null }, isOriginal: true },
    ],
    'panel.chooseFolder': [{}],
    'callers.who': [
      { method: 'GET', path: `/notes/${TOKEN}/render` },
      { method: 'GET', path: '' },
    ],
    'panel.memory': [{}],
    'panel.devTools': [{}],
    'panel.overrides': [{}],
    'panel.saveOverrides': [{ rules: [] }, { rules: [{ id: '' }] }],
    'panel.ruleFrom': [{ seq: 1 }, { seq: 0 }],
    'panel.stop': [{}],
    'lab.plan': [{ probe: 'missing-confirm', target: { topicid: null, noteid: null } }],
    'lab.run': [{ probe: 'band-without-selection', target: { topicid: null, noteid: null } }],
    'journal.info': [{}],
    'listing.key': [{}, { extra: 1 }],
    'journal.clear': [{ before: 0 }],
    'discovery.scan': [{}],
    'discovery.adopt': [
      { foundId: 'nope', useToken: true },
      { foundId: `local-${new URL(baseUrl).port}`, useToken: true },
    ],
    'discovery.pair': [
      { name: 'P', baseUrl, code: '000000', deviceName: 'd' },
      { name: 'P', baseUrl: 'ftp://x', code: '000000', deviceName: 'd' },
    ],
    'connection.trustCertificate': [{ profileId, fingerprint: 'AA' }],
    'profiles.save': [
      { id: profileId, name: 'Renamed', baseUrl, auth, readOnly: true },
      { name: TOKEN, baseUrl: 'file:///x', auth, readOnly: true },
    ],
    'vault.set': [
      { profileId, token: 'two words', remember: false },
      { profileId, token: NEW_TOKEN, remember: true },
      { profileId, token: TOKEN, remember: false },
      { profileId, token: [TOKEN], remember: false },
    ],
    'vault.forget': [{ profileId }, { profileId: 'nobody' }],
    'connection.disconnect': [{}],
    'profiles.remove': [{ profileId }, { profileId }],
  }
  let id = 0
  for (const [method, list] of Object.entries(inputs)) {
    for (const input of list) {
      id += 1
      app.replies.push(await app.app.dispatcher.call('page', { id: `sweep-${id}`, method, input }))
    }
  }
}

/** The program on its own directory, connected to `baseUrl` with a remembered token. */
async function connected(baseUrl: string): Promise<{ app: ComposedApp; profileId: string }> {
  const app = await startComposedApp(createTempDir(), ['--demo-nodes', '10'], {
    ports: { cipher: createFakeKeyring() },
  })
  await app.call('settings.update', { heartbeatMs: HEARTBEAT_MS })
  const { profile } = await app.call('profiles.save', { name: 'Host', baseUrl, auth, readOnly: true })
  await app.call('vault.set', { profileId: profile.id, token: TOKEN, remember: true })
  await app.call('connection.connect', { profileId: profile.id })
  return { app, profileId: profile.id }
}

/**
 * Everything that left the service process towards a page or a disk. What the host sent as the
 * answer to a read is its own, byte for byte, and is excluded.
 */
function everythingSaid({ replies, events, dataDir }: ComposedApp): string {
  const readable = replies.map((reply) => {
    const value = reply.ok && isBinary(reply.value) ? { ...reply.value, bytes: null } : reply
    return `${inspect(value, { depth: 20, maxStringLength: null, maxArrayLength: null })}\n${JSON.stringify(value)}`
  })
  return [...readable, JSON.stringify(events), readAllFiles(dataDir)].join('\n')
}

const isBinary = (value: unknown): value is { bytes: ArrayBuffer } =>
  typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof ArrayBuffer

describe('every method of the contract', () => {
  test('is classified', () => {
    expect(Object.keys(reach).sort()).toEqual(Object.keys(ipcMethods).sort())
  })

  test('safety 1, safety 2: leaks no token into replies, pushes, log lines or files with a healthy host', async () => {
    const host = await startDemoHost({ nodes: 10, token: TOKEN })
    onTestFinished(() => host.close())
    const { app, profileId } = await connected(host.baseUrl)
    expect((await app.call('connection.get', {})).phase).toBe('online')
    await callEverything(app, profileId, host.baseUrl)
    expect(app.replies.filter(({ ok }) => ok).length).toBeGreaterThan(30)
    expect(app.replies.filter(({ ok }) => !ok).length).toBeGreaterThan(30)
    const text = everythingSaid(app)
    for (const token of [TOKEN, NEW_TOKEN]) expectNoSecret(text, token)
  })

  const echo = `what you sent: ${TOKEN}, ${Buffer.from(TOKEN).toString('base64')}, ${encodeURIComponent(TOKEN)}`
  test.each<[string, Behaviour]>([
    ['errors', respondHostError(500, { code: echo, message: echo, details: { [echo]: [echo] } })],
    ['refusals', respondHostError(401, { code: 'UNAUTHORIZED', message: echo })],
    ['pages', (socket) => void socket.end(`HTTP/1.1 502 Bad\r\nContent-Type: text/html\r\n\r\n<p>${echo}`)],
    ['redirects', respondRedirect(307, `http://127.0.0.1:1/?${encodeURIComponent(TOKEN)}`)],
    ['halves', respondTruncated(JSON.stringify({ app: echo, more: 'x'.repeat(500) }), 200)],
    [
      'headers',
      respondJson({ routes: [] }, { type: `application/json; x="${echo}"`, headers: { Server: echo, ETag: echo } }),
    ],
    ['its status', respondJson({ app: echo, appVersion: TOKEN, instanceNonce: TOKEN, authorized: true, routes: [] })],
  ])('safety 1, safety 2: leaks no token if the host echoes it in %s', async (_, behaviour) => {
    const host = await startMisbehavingHost(behaviour)
    onTestFinished(() => host.close())
    const { app, profileId } = await connected(host.baseUrl)
    await callEverything(app, profileId, host.baseUrl, [read('studySets.list'), read('notes.move')])
    expect(host.getReceivedBytes().toString()).toContain(TOKEN)
    expectNoSecret(everythingSaid(app), TOKEN)
  })

  test('safety 40: sends only the requests of its class, and only pairing changes anything', async () => {
    const host = await startDemoHost({ nodes: 10, token: TOKEN })
    onTestFinished(() => host.close())
    const { app, profileId } = await connected(host.baseUrl)
    const { call } = app.app.dispatcher
    const heard = new Map<MethodName, Set<string | null>>()
    let method: MethodName = 'app.info'
    let from = host.log.length
    const note = (): void => {
      const observed = heard.get(method) ?? new Set()
      for (const entry of host.log.slice(from)) observed.add(entry.endpoint ?? entry.method)
      heard.set(method, observed)
      from = host.log.length
    }
    const watched: ComposedApp = {
      ...app,
      app: {
        ...app.app,
        dispatcher: {
          ...app.app.dispatcher,
          async call(caller, request) {
            // What the call before caused after its reply belongs to that call.
            note()
            method = (request as { method: MethodName }).method
            const reply = await call(caller, request)
            // A reconnect triggered by the call belongs to it.
            await expect.poll(async () => (await app.call('connection.get', {})).phase).not.toBe('connecting')
            note()
            return reply
          },
        },
      },
    }
    await callEverything(watched, profileId, host.baseUrl)
    for (const [name, observations] of heard) {
      const allowed: readonly string[] = {
        nothing: [],
        heartbeat,
        reads: [...heartbeat, ...endpoints.filter(({ access }) => access === 'read').map(({ id }) => id)],
        // A path that nobody knows, too.
        gets: [...heartbeat, 'GET', ...endpoints.filter(({ access }) => access === 'read').map(({ id }) => id)],
        pairing: [...heartbeat, 'pair.post'],
      }[reach[name]]
      expect([name, [...observations].filter((id) => !allowed.includes(id ?? ''))]).toEqual([name, []])
    }
    expect(heard.size).toBe(Object.keys(ipcMethods).length)
    const changing = host.log.filter(({ endpoint: id }) => id !== null && getEndpointById(id).access !== 'read')
    expect(new Set(changing.map(({ endpoint: id }) => id))).toEqual(new Set(['pair.post']))
  })
})
