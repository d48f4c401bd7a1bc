import { describe, expect, test } from 'vitest'
import type { PanelState } from '../../../../shared/panel/panel.ts'
import {
  sendJson,
  startLoggingHost,
  openPanel,
  createPanelFolder,
  type OpenPanel,
} from '../../../support/program/panel.ts'

const VERDICT = 'POST /notes/{noteid}/practice-verdict'
const target = '/bridge/v1/notes/N-1/practice-verdict'
const type = ['Content-Type: application/json']
const body = JSON.stringify({ self: 'again', addon: 'someone.else', confirm: false, practice: { topic: 'T-1' } })
const answered = { persisted: true, noteid: 'N-1', practice: { addon: 'plugin.one' } }

async function writing(readOnly: boolean) {
  const host = await startLoggingHost([VERDICT, 'GET /notes/{id}'])
  host.respond = ({ method }, response) => sendJson(response, method === 'POST' ? 201 : 200, answered)
  const panel = await openPanel(createPanelFolder(), host.baseUrl, readOnly)
  await expect.poll(async () => (await stateOf(panel)).plugin.id).toBe('plugin.one')
  return { host, panel, posted: () => host.requests.filter(({ url }) => url === target) }
}

const stateOf = ({ composed }: OpenPanel): Promise<PanelState> => composed.call('panel.get', {})
const send = (panel: OpenPanel) => panel.requestAsPage('POST', target, type, body)

describe('writes of a panel', () => {
  test('let through: sent once, with confirm and the id of the plugin; the page gets the answer as it came', async () => {
    const { panel, posted } = await writing(false)
    await panel.composed.call('panel.configure', { writes: 'let-through' })
    const answer = await send(panel)
    expect([answer.status, JSON.parse(answer.body)]).toEqual([201, answered])
    expect(posted().map((one) => JSON.parse(one.body) as unknown)).toEqual([
      { self: 'again', practice: { topic: 'T-1' }, addon: 'plugin.one', confirm: true },
    ])
    const { items } = await panel.composed.call('operations.list', { offset: 0, limit: 10 })
    expect(items).toHaveLength(1)
    const traffic = await panel.composed.call('traffic.find', { filter: {}, sort: { by: 'time', descending: true } })
    const found = await panel.composed.call('traffic.rows', { seqs: [...new Uint32Array(traffic.bytes)] })
    const row = found.rows.find(({ origin }) => origin.kind === 'panel')
    expect(row).toMatchObject({ origin: { kind: 'panel', label: 'my-panel' }, status: 201, rule: null })
    const { call } = await panel.composed.call('panel.call', { exchangeId: row?.id ?? '' })
    expect(call).toMatchObject({ decision: 'passed', operationId: items[0]?.id, page: { body } })
    expect(call?.changes).toEqual([
      { where: 'body', member: '/addon', from: '"someone.else"', to: '"plugin.one"', why: 'addon-rewritten' },
      { where: 'body', member: '/confirm', from: 'false', to: 'true', why: 'confirm-filled' },
    ])
  })

  test('an upload is sent as the file that it is, up to a limit that its refusal names', async () => {
    const host = await startLoggingHost(['POST /library/documents/upload'])
    host.respond = (_, response) => sendJson(response, 200, { persisted: true })
    const panel = await openPanel(createPanelFolder(), host.baseUrl, false)
    const path = '/bridge/v1/library/documents/upload?filename=a.pdf'
    const upload = (body: BodyInit) => panel.serveDirectly(path, { method: 'POST', body })
    await panel.composed.call('panel.configure', { writes: 'let-through' })
    // Not UTF-8, and no JSON.
    const file = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0x00, 0xfe, 0x0a])
    expect((await upload(file)).status).toBe(200)
    expect(host.requests.map(({ url, body, headers }) => [url, body, headers['content-length']])).toEqual([
      [`${path}&confirm=1`, file.toString(), String(file.byteLength)],
    ])
    const { items } = await panel.composed.call('operations.list', { offset: 0, limit: 10 })
    expect(items).toMatchObject([{ endpoint: 'library.upload', state: 'persisted', caller: 'panel' }])

    await panel.composed.call('panel.configure', { writes: 'refuse' })
    expect((await upload(file)).status).toBe(403)
    const large = await upload(Buffer.alloc(8 * 1024 * 1024 + 1))
    expect([large.status, await large.json()]).toMatchObject([
      413,
      { error: { code: 'BODY_TOO_LARGE', message: expect.stringContaining('8 MB') as string } },
    ])
    expect(host.requests).toHaveLength(1)
  })

  test('ask: the page waits until somebody decides', async () => {
    const { panel, posted } = await writing(false)
    const sent = send(panel)
    await expect.poll(async () => (await stateOf(panel)).asks.length).toBe(1)
    const [ask] = (await stateOf(panel)).asks
    // The gate's changes say it, and nobody entered a field here.
    expect(ask?.changes.map(({ why }) => why)).toEqual(['addon-rewritten', 'confirm-filled'])
    const codes = ask?.prepared.warnings.map(({ code }) => code)
    expect(codes).not.toContain('confirm-ignored')
    expect(codes).not.toContain('addon-is-rewritten')
    expect(ask).toMatchObject({ prepared: { method: 'POST', path: '/notes/N-1/practice-verdict' } })
    expect(posted()).toEqual([])
    await panel.composed.call('panel.decide', { id: ask?.id ?? '', send: true })
    expect((await sent).status).toBe(201)
    expect(posted()).toHaveLength(1)

    const other = send(panel)
    await expect.poll(async () => (await stateOf(panel)).asks.length).toBe(1)
    const [next] = (await stateOf(panel)).asks
    await panel.composed.call('panel.decide', { id: next?.id ?? '', send: false })
    expect(await other).toMatchObject({ status: 403 })
    expect((await panel.composed.callExpectingError('panel.decide', { id: next?.id ?? '', send: true })).code).toBe(
      'ASK_UNKNOWN',
    )
    expect(posted()).toHaveLength(1)
  })

  test('ask: a page that leaves takes its question with it, and nothing is sent', async () => {
    const { panel, posted } = await writing(false)
    const page = new AbortController()
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' }, signal: page.signal }
    const left = panel.serveDirectly(target, init)
    await expect.poll(async () => (await stateOf(panel)).asks.length).toBe(1)
    page.abort()
    expect((await left).type).toBe('error')
    expect((await stateOf(panel)).asks).toEqual([])

    const stopped = send(panel)
    await expect.poll(async () => (await stateOf(panel)).asks.length).toBe(1)
    await panel.composed.call('panel.stop', {})
    await stopped.catch(() => undefined)
    expect((await stateOf(panel)).asks).toEqual([])
    expect(posted()).toEqual([])
  })

  test('refuse, and a profile that may only read: 403, nothing is sent', async () => {
    const { panel, posted } = await writing(true)
    expect((await panel.composed.callExpectingError('panel.configure', { writes: 'let-through' })).code).toBe(
      'READ_ONLY',
    )
    const locked = await send(panel)
    expect([locked.status, JSON.parse(locked.body)]).toMatchObject([403, { error: { code: 'READ_ONLY' } }])
    await panel.composed.call('panel.configure', { writes: 'refuse' })
    const refused = await send(panel)
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([403, { error: { code: 'PANEL_WRITE_REFUSED' } }])
    expect(posted()).toEqual([])
  })

  test('a connection that may no longer write falls back to asking', async () => {
    const { panel } = await writing(false)
    await panel.composed.call('panel.configure', { writes: 'let-through' })
    await panel.composed.call('connection.disconnect', {})
    expect((await stateOf(panel)).writes).toBe('ask')
  })
})
