import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openRecording } from '../../../electron/recording-file/recording-file.ts'
import { createGreyPicture, removeMetadata } from '../../../electron/services/recordings/redaction/pictures.ts'
import { readRecordedFindings } from '../../../electron/services/traffic/recorded/recorded-findings.ts'
import { findTypeMistake, writeOutKitTypes } from '../../../scripts/build/kit-types.ts'
import * as kit from '../../../testing/index.ts'
import type { DemoHost, HostApi, Panel, PanelOptions } from '../../../testing/api.ts'
import { toHostApiValue } from '../../../electron/core/panel/host-api.ts'
import { createPngWithText } from '../../support/data/planted-recording.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import {
  buildSpoiledPath,
  listWrites,
  spoilings,
  startSpoilingHost,
  type Spoiling,
} from '../../support/hosts/spoiling-host.ts'

async function startHost(...options: Parameters<typeof kit.startDemoHost>): Promise<DemoHost> {
  const host = await kit.startDemoHost(...options)
  onTestFinished(host.close)
  return host
}

async function startPanel(options: PanelOptions): Promise<Panel> {
  const panel = await kit.startPanel(options)
  onTestFinished(async () => void (await panel.close()))
  return panel
}

function createApi(...options: Parameters<typeof kit.hostApi>): HostApi {
  const api = kit.hostApi(...options)
  onTestFinished(async () => void (await api.close()))
  return api
}

function createFolder(): string {
  const folder = createTempDir()
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html><head></head><title>Mine</title>')
  return folder
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

/**
 * Sends a request with headers that `fetch` does not let a program choose, on a connection of its
 * own: a kept one that the server closed would hide whether a new one is refused.
 */
const request = (url: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    http
      .get(url, { headers, agent: false }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      .once('error', reject)
  })

test('declares exactly what it exports', () => {
  const types = writeOutKitTypes(fileURLToPath(new URL('../../../testing/api.ts', import.meta.url)))
  const declared = [...types.matchAll(/^export declare function (\w+)/gm)].map(([, name]) => name)
  expect(Object.keys(kit).sort()).toEqual(declared.sort())
  expect(findTypeMistake(types)).toBeNull()
  expect(types).not.toMatch(/^import |import\(|Zod/m)
  expect(types).toContain("readonly kind: 'ink' | 'excerpt_image' |")
  expect(types).toContain('/** Full paths, such as `#exam/2026`. */')
})

test('serves a folder as a panel, with host.api in its documents, and keeps the token', async () => {
  const host = await startHost()
  const panel = await startPanel({ panel: createFolder(), host })
  expect(panel.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
  const document = await fetch(panel.url, { headers: { Accept: 'text/html' } })
  expect(await document.text()).toContain('<script src="/__inspector/host.js"></script>')
  const response = await fetch(new URL('/bridge/v1/status', panel.url))
  expect(await response.json()).toMatchObject({ app: 'Demo Notes' })
  expect(host.requests().some(({ path: requestPath }) => requestPath === '/bridge/v1/status')).toBe(true)
  expect(await panel.calls()).toMatchObject([
    { page: { path: '/status' }, decision: 'passed', answer: { status: 200 } },
  ])
})

test('lists what the panel did against the contract', async () => {
  const panel = await startPanel({ panel: createFolder() })
  expect((await fetch(new URL('/bridge/v1/token', panel.url))).status).toBe(403)
  expect(await panel.findings()).toMatchObject([{ rule: 'outside-allow-list', resource: 'GET /token', count: 1 }])
})

test('tells what of the contract the panel met, within what it may call', async () => {
  const panel = await startPanel({ panel: createFolder() })
  const before = await panel.coverage()
  expect([before.met, before.percent]).toEqual([0, 0])
  expect(before.kinds.route.total).toBeGreaterThan(0)
  expect(before.routes.some(({ path: route }) => route === '/token')).toBe(false)
  await fetch(new URL('/bridge/v1/library/study-sets?own=1', panel.url))
  await fetch(new URL('/bridge/v1/own', panel.url))
  const coverage = await panel.coverage()
  expect(coverage.kinds.route).toEqual({ met: 1, total: before.kinds.route.total })
  expect(coverage.uncounted).toEqual([{ method: 'GET', path: '/own', calls: 1 }])
})

test('a finding has its severity, its calls and the line of code, also in the next run', async () => {
  const dataDir = createTempDir()
  const panel = await startPanel({ panel: createFolder(), dataDir })
  const stack = encodeURI('at load (/main.js:3:5)\nat start (/main.js:9:1)')
  await fetch(new URL('/bridge/v1/token', panel.url), {
    headers: { 'X-Inspector-Stack': stack, 'X-Inspector-Call': '0123456789ab-1' },
  })
  const [call] = await panel.calls()
  const initiator = { file: '/main.js', line: 3, column: 5, functionName: 'load' }
  expect(call).toMatchObject({ pageId: '0123456789ab-1', initiator })
  const finding = { rule: 'outside-allow-list', severity: 'error', exchanges: [call?.exchangeId], initiator }
  expect(await panel.findings()).toMatchObject([
    { ...finding, message: expect.stringContaining('IN_PROCESS_NOT_ALLOWED') as string },
  ])
  const result = await kit.toKeepContract(panel)
  expect(result.pass).toBe(false)
  expect(result.message()).toMatch(/error +outside-allow-list +\/main\.js:3:5 load +GET \/token/)
  await panel.close()

  const { findings } = await readRecordedFindings(dataDir, { run: 'last' })
  expect(findings).toMatchObject([{ rule: 'outside-allow-list', initiator }])
})

test('a finding about a call without a browser has the line of the test', async () => {
  const api = createApi()
  await api('/token') // This line is named.
  const lines = readFileSync(import.meta.filename, 'utf8').split('\n')
  const line = lines.findIndex((text) => text.endsWith('// This line is named.')) + 1
  const place = { file: 'test/unit/testing/kit.test.ts', line }
  expect(await api.findings()).toMatchObject([{ rule: 'outside-allow-list', initiator: place, stack: [place] }])
})

test('the matcher passes for a panel without findings', async () => {
  expect.extend({ toKeepContract: kit.toKeepContract })
  const panel = await startPanel({ panel: createFolder() })
  await fetch(new URL('/bridge/v1/status', panel.url))
  const expectation = expect(panel) as unknown as { toKeepContract(): Promise<void> }
  await expectation.toKeepContract()
  await fetch(new URL('/bridge/v1/token', panel.url))
  await expect(expectation.toKeepContract()).rejects.toThrow(/outside-allow-list +unknown +GET \/token/)
})

test('safety 68: refuses the panel to other sites, other names of this machine, and after it was closed', async () => {
  const panel = await kit.startPanel({ panel: createFolder() })
  const { port } = new URL(panel.url)
  expect(await request(panel.url, {})).toBe(200)
  expect(await request(panel.url, { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Dest': 'document' })).toBe(200)
  expect(await request(panel.url, { 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
  expect(await request(panel.url, { Origin: 'http://evil.example' })).toBe(403)
  expect(await request(panel.url, { Host: `evil.example:${port}` })).toBe(404)
  await panel.close()
  await expect(request(panel.url, {})).rejects.toThrow('ECONNREFUSED')
})

test('safety 83: each write reaches a host once, however its response is spoiled', async () => {
  const host = await startSpoilingHost()
  onTestFinished(() => host.close())
  const call = createApi({ host: { baseUrl: host.baseUrl, token: 'mnb0.kit-secret-0123456789' }, writes: 'allow' })
  const names = (Object.keys(spoilings) as Spoiling[]).filter((name) => name !== 'stall')
  const write = post({ self: 'again', practice: { topic: 'T-1' } })
  const paths = [...names, '421' as const].map((name) => buildSpoiledPath(name, 'kit'))
  const values = []
  // Node's own `fetch` sends a request again after the status 421.
  for (const spoiledPath of paths) values.push(await call(spoiledPath.replace('/bridge/v1', ''), write))
  expect(listWrites(host)).toEqual([...paths].sort())
  const broken = toHostApiValue('broken')
  expect(values).toEqual([...names.map(() => broken), expect.objectContaining({ error: { code: 'AGAIN' } })])
  expect((await call.operations()).map(({ state }) => state).sort()).toEqual(
    ['refused', ...names.map(() => 'unknown-no-answer')].sort(),
  )
})

test('refuses writes unless they are allowed', async () => {
  const host = await startHost()
  const body = { topicid: '', noteIds: [] }
  const readOnly = createApi(host)
  expect(await readOnly('/notes/N-1/practice-verdict', post(body))).toMatchObject({
    error: { code: 'PANEL_WRITE_REFUSED' },
  })
  expect(host.requests().every(({ method }) => method === 'GET')).toBe(true)
})

test('holds a write until it is decided', async () => {
  const host = await startHost()
  const api = createApi({ host, writes: 'ask' })
  const { state } = await api('/ui-state')
  const verdict = api(`/notes/${state.focusnoteid}/blank-bands`, post({ role: 'practice', height: 240 }))
  await expect.poll(() => api.waiting()).toMatchObject([{ method: 'POST', body: expect.stringContaining('240') }])
  const [write] = await api.waiting()
  await api.decide(write?.id ?? '', 'send')
  expect(await verdict).toHaveProperty('bands')
  expect(await api.operations()).toMatchObject([{ endpoint: 'notes.blankBands', noteid: state.focusnoteid }])
})

/** Returns the ids of a study set and of some of its cards without children. */
async function readLeaves({ baseUrl, token }: DemoHost): Promise<{ topicid: string; noteids: string[] }> {
  const read = async (requestPath: string): Promise<unknown> =>
    (await fetch(`${baseUrl}${requestPath}`, { headers: { Authorization: `Bearer ${token}` } })).json()
  const { state } = (await read('/ui-state')) as { state: { topicid: string } }
  const { nodes } = (await read(`/study-sets/${state.topicid}/tree`)) as {
    nodes: { noteid: string; childCount: number }[]
  }
  return {
    topicid: state.topicid,
    noteids: nodes.flatMap(({ noteid, childCount }) => (childCount === 0 ? [noteid] : [])),
  }
}

test('tells what the panel changed in a study set, and which call did it', async () => {
  const host = await startHost()
  const { topicid, noteids } = await readLeaves(host)
  const [renamed = '', tagged = '', byHand = ''] = noteids
  const panel = await startPanel({ host, writes: 'allow', studySets: [topicid] })
  expect(await panel.changes()).toEqual([])
  const write = (requestPath: string, body: unknown): Promise<Response> =>
    fetch(new URL(`/bridge/v1${requestPath}`, panel.url), {
      ...post(body),
      headers: {
        'Content-Type': 'application/json',
        'X-Inspector-Stack': encodeURIComponent(`Error\n    at rename (${panel.url}app.js:12:3)`),
      },
    })
  expect((await write(`/notes/${renamed}/title`, { text: 'By the panel' })).status).toBe(200)
  expect((await write('/notes/hashtags', { noteIds: [tagged], operation: 'add', hashtags: ['#new'] })).status).toBe(200)
  const headers = { Authorization: `Bearer ${host.token}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ text: 'By another client', confirm: true })
  await fetch(`${host.baseUrl}/notes/${byHand}/title`, { method: 'POST', headers, body })

  const changes = await panel.changes()
  const findChange = (id: string) => changes.find(({ noteid }) => noteid === id)
  expect(changes).toHaveLength(3)
  const [call] = await panel.calls()
  expect(findChange(renamed)).toMatchObject({
    ...{
      topicid,
      title: 'By the panel',
      kinds: expect.arrayContaining(['renamed']) as string[],
      after: { title: 'By the panel' },
    },
    cause: {
      certainty: 'named',
      calls: [{ exchangeId: call?.exchangeId, method: 'POST', file: '/app.js', line: 12 }],
    },
  })
  expect(findChange(tagged)).toMatchObject({
    members: expect.arrayContaining(['hashtags']) as string[],
    cause: { calls: [{ path: '/notes/hashtags' }] },
  })
  expect(findChange(byHand)).toMatchObject({ title: 'By another client', cause: { certainty: 'nobody', calls: [] } })
})

test('an edit by the user of the host has nobody as its cause', async () => {
  const host = await startHost()
  const { topicid } = await readLeaves(host)
  const panel = await startPanel({ host, writes: 'allow', studySets: [topicid] })
  const edits = Array.from({ length: 4 }, () => host.editAsUser())
  expect(edits.map((edit) => edit?.kind)).toEqual(['renamed', 'recoloured', 'tags', 'moved'])
  const changes = await panel.changes()
  for (const edit of edits) {
    expect(changes.find(({ noteid }) => noteid === edit?.noteid)).toMatchObject({
      kinds: expect.arrayContaining([edit?.kind]) as string[],
      cause: { certainty: 'nobody', calls: [] },
    })
  }
  expect(changes.every(({ cause }) => cause.certainty === 'nobody')).toBe(true)
})

test('knows the outcome of a commit as soon as the page has read it', async () => {
  const host = await startHost({ settleMs: 0 })
  const api = createApi({ host, writes: 'allow' })
  const { state } = (await api('/ui-state')) as { state: { topicid: string; focusnoteid: string } }
  const target = { topicid: state.topicid, noteid: state.focusnoteid, layerId: '' }
  const send = (path: string, body: object) => api(path, post({ requestId: 'r-1', ...body }))
  await send('/writing/pencil-commit', { surfaceId: 's', target })
  expect(await send('/writing/pencil-result', {})).toMatchObject({ settled: true })
  expect(await api.operations()).toMatchObject([{ state: 'settled' }])
})

test('compares nothing without study sets, or where the host does not list all cards', async () => {
  const host = await startHost()
  await expect(createApi({ host }).changes()).rejects.toThrow('changes() needs the option studySets')
  const { topicid } = await readLeaves(host)
  host.setFault('tree-problems')
  await expect(kit.startPanel({ host, studySets: [topicid] })).rejects.toThrow('were not read as a whole: ')
})

test('responds with overrides, which are not written into the folder', async () => {
  const folder = createFolder()
  const panel = await startPanel({
    panel: folder,
    overrides: [
      { match: { path: '/status' }, answer: { kind: 'canned', status: 503, body: { error: { code: 'BUSY' } } } },
      { match: { path: '/ui-state' }, answer: { kind: 'change', changes: [{ do: 'set', at: '/state', value: null }] } },
    ],
  })
  const status = await fetch(new URL('/bridge/v1/status', panel.url))
  expect([status.status, await status.json()]).toEqual([503, { error: { code: 'BUSY' } }])
  const uiState = await fetch(new URL('/bridge/v1/ui-state', panel.url))
  expect(await uiState.json()).toMatchObject({ state: null })
  expect(readdirSync(folder)).toEqual(['index.html'])
})

test('holds calls at breakpoints until they are continued, answered or failed', async () => {
  const panel = await startPanel({})
  const call = (): Promise<Response> => fetch(new URL('/bridge/v1/status', panel.url))
  await panel.held.set([{ match: { path: '/status' } }])
  const changed = call()
  const { id, status } = await panel.held.next()
  expect([status, (await panel.held.list()).length]).toEqual([200, 1])
  await panel.held.continue(id, { body: '{"app":"Changed"}' })
  expect(await (await changed).json()).toEqual({ app: 'Changed' })
  await panel.held.set([{ match: { path: '/status' }, at: 'request' }])
  const responded = call()
  await panel.held.respond((await panel.held.next()).id, { status: 418, body: '{}' })
  expect((await responded).status).toBe(418)
  const failed = call()
  const rejection = expect(failed).rejects.toThrow('fetch failed')
  await panel.held.fail((await panel.held.next()).id)
  await rejection
})

test('says what is wrong with a rule, a fault, a folder or a host', async () => {
  const noSlash = { match: { path: 'status' }, answer: { kind: 'canned', body: '' } } as const
  await expect(kit.startPanel({ overrides: [noSlash] })).rejects.toThrow('overrides[0]: match.path')
  const withoutMembers = { path: '/status' } as unknown as typeof noSlash
  await expect(kit.startPanel({ overrides: [withoutMembers] })).rejects.toThrow(
    /overrides\[0\]: .*match.path: .*path: there is no such member/,
  )
  await expect(kit.startDemoHost({ fault: 'gremlins' })).rejects.toThrow('There is no fault "gremlins".')
  await expect(kit.startPanel({ panel: '/does/not/exist' })).rejects.toMatchObject({ code: 'PANEL_NOT_FOUND' })
  const host = { baseUrl: 'http://127.0.0.1:9/bridge/v1', token: 'mnb0.nothing' }
  await expect(kit.startPanel({ host })).rejects.toMatchObject({ kind: 'offline' })
})

test('returns from host.api what a panel would get, and never rejects', async () => {
  const host = await startHost()
  const api = createApi({
    host,
    overrides: [{ match: { path: '/status' }, answer: { kind: 'fault', fault: 'reset' } }],
  })
  expect(await api.api('/status')).toMatchObject({ error: { code: 'NETWORK' } })
  expect(await api('/ui-state', { method: 'GET', body: 'text' })).toMatchObject({ error: { code: 'REQUEST_INVALID' } })
  expect(await api('/ui-state', { signal: AbortSignal.abort() })).toMatchObject({ error: { code: 'ABORTED' } })
})

test('resolves to an error while host.api cannot start, and starts with a later call', async () => {
  const host = await startHost()
  const options = { host: { ...host, baseUrl: 'http://127.0.0.1:9/bridge/v1' } }
  const api = createApi(options)
  expect(await api('/status')).toMatchObject({ error: { message: expect.any(String) } })
  await expect(api.findings()).rejects.toMatchObject({ kind: 'offline' })
  options.host.baseUrl = host.baseUrl
  expect(await api('/status')).toMatchObject({ app: 'Demo Notes' })
  const noSlash = { match: { path: 'status' }, answer: { kind: 'canned', body: '' } } as const
  const invalid = createApi({ overrides: [noSlash] })
  expect(await invalid('/status')).toMatchObject({
    error: { code: 'PANEL_NOT_STARTED', message: expect.stringContaining('overrides[0]') },
  })
  await invalid.close()
})

test('closes everything although a part cannot be closed, and each close waits for the end', async () => {
  const tempDir = createTempDir()
  vi.stubEnv('TMPDIR', tempDir)
  onTestFinished(() => void vi.unstubAllEnvs())
  const panel = await kit.startPanel()
  const close = vi.spyOn(http.Server.prototype, 'close').mockImplementationOnce(() => {
    throw new Error('It is stuck.')
  })
  onTestFinished(() => close.mockRestore())
  const closings = await Promise.allSettled([panel.close(), panel.close()])
  expect(closings.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(closings[0]).toMatchObject({ reason: { message: expect.stringContaining('It is stuck.') } })
  expect(readdirSync(tempDir)).toEqual([])
})

test('stops waiting for a held call when the panel is closed', async () => {
  const panel = await startPanel({})
  const waiting = expect(panel.held.next()).rejects.toThrow('The panel is closed.')
  await panel.held.list()
  await panel.close()
  await waiting
  await expect(panel.held.next()).rejects.toThrow('The panel is closed.')
})

test('runs twenty panels at once, and leaves nothing behind', async () => {
  const tempDir = createTempDir()
  vi.stubEnv('TMPDIR', tempDir)
  onTestFinished(() => void vi.unstubAllEnvs())
  const panels = await Promise.all(Array.from({ length: 20 }, () => kit.startPanel()))
  expect(new Set(panels.map(({ url }) => url)).size).toBe(20)
  const statuses = await Promise.all(panels.map(({ url }) => fetch(new URL('/bridge/v1/status', url))))
  expect(statuses.every(({ ok }) => ok)).toBe(true)
  await Promise.all(panels.map((panel) => panel.close()))
  expect(readdirSync(tempDir)).toEqual([])
})

test('keeps traffic and journal in the data directory that a test names', async () => {
  const dataDir = path.join(createTempDir(), 'data')
  const api = createApi({ dataDir })
  await api('/nope')
  expect(await api.findings()).toMatchObject([{ rule: 'outside-allow-list' }])
  await api.close()
  expect(existsSync(path.join(dataDir, 'traffic.db'))).toBe(true)
})

test('everything that the kit starts ends with its block, and is kept as a recording before', async () => {
  const file = path.join(createTempDir(), 'panel.birec')
  const dataDir = createTempDir()
  let address: string
  {
    await using host = await kit.startDemoHost()
    await using panel = await kit.startPanel({ host, dataDir })
    expect(await panel.saveRecording(file)).toBe(false)
    await fetch(new URL('/bridge/v1/status', panel.url))
    expect(await panel.saveRecording(file)).toBe(true)
    await using api = kit.hostApi({ host })
    expect(await api('/status')).toMatchObject({ app: 'Demo Notes' })
    address = panel.url
  }
  await expect(fetch(address)).rejects.toThrow('fetch failed')
  expect(readdirSync(path.join(dataDir, 'recordings')).filter((name) => name.endsWith('.birec'))).toEqual([])
  await using served = await kit.serveRecording(file)
  const { status } = await fetch(`${served.baseUrl}/status`, { headers: { Authorization: `Bearer ${served.token}` } })
  expect(status).toBe(200)
})

test('saves the pictures that a test takes of the page, grey unless it keeps them', async () => {
  const host = await startHost()
  const picture = createPngWithText('A private text')
  const save = async (options: PanelOptions) => {
    const panel = await startPanel({ host, takePicture: () => Promise.resolve(picture), ...options })
    await fetch(new URL('/bridge/v1/status', panel.url))
    await fetch(new URL('/bridge/v1/nope', panel.url))
    const file = path.join(createTempDir(), 'panel.birec')
    await panel.saveRecording(file)
    const recording = await openRecording(file)
    onTestFinished(() => recording.close())
    const moments = await recording.listLines('moments')
    const exchanges = await recording.listLines('exchanges')
    const { row } = exchanges.find(({ row: { seq } }) => seq === moments[0]?.exchange) ?? expect.fail('There is none.')
    const bytes = await Promise.all(recording.screenshots.map((name) => recording.readScreenshot(name)))
    return { moments, status: row.status, bytes }
  }
  const grey = await save({})
  expect(grey.moments).toMatchObject([{ screenshot: 'panel-0001.png' }])
  expect(grey.status).toBe(403)
  expect(grey.bytes).toEqual([createGreyPicture(picture)])
  const unchanged = await save({ redaction: { texts: 'keep', pictures: 'keep' } })
  expect(unchanged.bytes).toEqual([removeMetadata(picture)])
  expect(await save({ redaction: { pictures: 'drop' } }).catch((error: unknown) => String(error))).toContain('none')
})

test('says of a wrong use what is wrong with it, and what to do', async () => {
  const host = await startHost()
  const panel = await startPanel({ host })
  const api = createApi({ host })
  const uses: readonly (readonly [use: () => unknown, message: string])[] = [
    [() => startPanel({ host: Promise.resolve(host) as never }), 'startPanel: host is a promise. Is there an “await”'],
    [() => kit.hostApi(kit.startDemoHost() as never), 'hostApi: its argument is a promise. Is there an “await”'],
    [() => kit.toKeepContract(Promise.resolve(panel) as never), 'toKeepContract: what it is called with is a promise'],
    [() => kit.toKeepContract(host as never), 'toKeepContract takes what startPanel or hostApi returns.'],
    [() => kit.startDemoHost({ port: host.port }), `Port ${host.port} is in use. Without the option “port”`],
    [() => api.override({ path: '/bridge/v1/status' }, { body: 1 }), 'override: path: leave out /bridge/v1'],
    [() => api.override({ path: '/status' }, undefined as never), 'override: answer: '],
    [() => panel.close().then(() => panel.findings()), 'The panel is closed, so nothing of it can be read. close()'],
    [() => panel.override({ path: '/status' }, { body: 1 }), 'The panel is closed, so override() changes nothing.'],
    [() => api.close().then(() => api.override({ path: '/status' }, { body: 1 })), 'so override() changes nothing.'],
  ]
  for (const [use, message] of uses) await expect(async () => use()).rejects.toThrow(message)
  for (const wrongPath of ['ui-state', `${host.baseUrl}/ui-state`, { url: '/ui-state' }])
    expect(await api(wrongPath as string)).toMatchObject({
      error: { code: 'REQUEST_INVALID', message: expect.stringMatching(/^The path begins with a slash/) as string },
    })
})

test('leaves out what earlier runs stored in the data directory', async () => {
  const host = await startHost()
  const dataDir = path.join(createTempDir(), 'data')
  const first = createApi({ host, dataDir, writes: 'allow' })
  const { state } = await first('/ui-state')
  const writeBands = (api: HostApi): Promise<unknown> =>
    api(`/notes/${state.focusnoteid}/blank-bands`, post({ role: 'practice', height: 240 }))
  await writeBands(first)
  await first('/nope')
  expect([(await first.operations()).length, (await first.findings()).length]).toEqual([1, 1])
  await first.close()
  const second = createApi({ host, dataDir, writes: 'allow' })
  expect([await second.calls(), await second.operations(), await second.findings()]).toEqual([[], [], []])
  await writeBands(second)
  expect([(await second.calls()).length, (await second.operations()).length]).toEqual([1, 1])
})
