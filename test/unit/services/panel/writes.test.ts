/** @module-tag slow */

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
const TARGET_PATH = '/bridge/v1/notes/N-1/practice-verdict'
const JSON_HEADERS = ['Content-Type: application/json']
const body = JSON.stringify({ self: 'again', addon: 'someone.else', confirm: false, practice: { topic: 'T-1' } })
const hostResponse = { persisted: true, noteid: 'N-1', practice: { addon: 'plugin.one' } }

async function openWritingPanel(readOnly: boolean) {
  const host = await startLoggingHost([VERDICT, 'GET /notes/{id}'])
  host.respond = ({ method }, response) => sendJson(response, method === 'POST' ? 201 : 200, hostResponse)
  const panel = await openPanel(createPanelFolder(), host.baseUrl, readOnly)
  await expect.poll(async () => (await fetchState(panel)).plugin.id).toBe('plugin.one')
  return { host, panel, posted: () => host.requests.filter(({ url }) => url === TARGET_PATH) }
}

const fetchState = ({ composed }: OpenPanel): Promise<PanelState> => composed.call('panel.get', {})
const sendVerdict = (panel: OpenPanel) => panel.requestAsPage('POST', TARGET_PATH, JSON_HEADERS, body)

describe('write of a panel', () => {
  test('is sent once if it is let through, with confirm and the id of the plugin, and the page gets the response unchanged', async () => {
    const { panel, posted } = await openWritingPanel(false)
    await panel.composed.call('panel.configure', { writes: 'let-through' })
    const response = await sendVerdict(panel)
    expect([response.status, JSON.parse(response.body)]).toEqual([201, hostResponse])
    expect(posted().map((request) => JSON.parse(request.body) as unknown)).toEqual([
      { self: 'again', practice: { topic: 'T-1' }, addon: 'plugin.one', confirm: true },
    ])
    const { items } = await panel.composed.call('operations.list', { offset: 0, limit: 10 })
    expect(items).toHaveLength(1)
    const traffic = await panel.composed.call('traffic.find', { filter: {}, sort: { by: 'time', descending: true } })
    const rowsResult = await panel.composed.call('traffic.rows', { seqs: [...new Uint32Array(traffic.bytes)] })
    const row = rowsResult.rows.find(({ origin }) => origin.kind === 'panel')
    expect(row).toMatchObject({ origin: { kind: 'panel', label: 'my-panel' }, status: 201, rule: null })
    const { call } = await panel.composed.call('panel.call', { exchangeId: row?.id ?? '' })
    expect(call).toMatchObject({ decision: 'passed', operationId: items[0]?.id, page: { body } })
    expect(call?.changes).toEqual([
      { where: 'body', member: '/addon', from: '"someone.else"', to: '"plugin.one"', why: 'addon-rewritten' },
      { where: 'body', member: '/confirm', from: 'false', to: 'true', why: 'confirm-filled' },
    ])
  })

  test('is sent as a file if it is an upload, up to a limit that the refusal names', async () => {
    const host = await startLoggingHost(['POST /library/documents/upload'])
    host.respond = (_, response) => sendJson(response, 200, { persisted: true })
    const panel = await openPanel(createPanelFolder(), host.baseUrl, false)
    const path = '/bridge/v1/library/documents/upload?filename=a.pdf'
    const uploadFile = (body: BodyInit) => panel.serveDirectly(path, { method: 'POST', body })
    await panel.composed.call('panel.configure', { writes: 'let-through' })
    // The file is neither UTF-8 nor JSON.
    const file = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0x00, 0xfe, 0x0a])
    expect((await uploadFile(file)).status).toBe(200)
    expect(host.requests.map(({ url, body, headers }) => [url, body, headers['content-length']])).toEqual([
      [`${path}&confirm=1`, file.toString(), String(file.byteLength)],
    ])
    const { items } = await panel.composed.call('operations.list', { offset: 0, limit: 10 })
    expect(items).toMatchObject([{ endpoint: 'library.upload', state: 'persisted', caller: 'panel' }])

    await panel.composed.call('panel.configure', { writes: 'refuse' })
    expect((await uploadFile(file)).status).toBe(403)
    const large = await uploadFile(Buffer.alloc(8 * 1024 * 1024 + 1))
    expect([large.status, await large.json()]).toMatchObject([
      413,
      { error: { code: 'BODY_TOO_LARGE', message: expect.stringContaining('8 MB') as string } },
    ])
    expect(host.requests).toHaveLength(1)
  })

  test('waits for a decision of a person in the mode "ask"', async () => {
    const { panel, posted } = await openWritingPanel(false)
    const response = sendVerdict(panel)
    await expect.poll(async () => (await fetchState(panel)).asks.length).toBe(1)
    const [ask] = (await fetchState(panel)).asks
    // The changes of the gate explain this, and no person entered a field here.
    expect(ask?.changes.map(({ why }) => why)).toEqual(['addon-rewritten', 'confirm-filled'])
    const codes = ask?.prepared.warnings.map(({ code }) => code)
    expect(codes).not.toContain('confirm-ignored')
    expect(codes).not.toContain('addon-is-rewritten')
    expect(ask).toMatchObject({ prepared: { method: 'POST', path: '/notes/N-1/practice-verdict' } })
    expect(posted()).toEqual([])
    await panel.composed.call('panel.decide', { id: ask?.id ?? '', send: true })
    expect((await response).status).toBe(201)
    expect(posted()).toHaveLength(1)

    const other = sendVerdict(panel)
    await expect.poll(async () => (await fetchState(panel)).asks.length).toBe(1)
    const [next] = (await fetchState(panel)).asks
    await panel.composed.call('panel.decide', { id: next?.id ?? '', send: false })
    expect(await other).toMatchObject({ status: 403 })
    expect((await panel.composed.callExpectingError('panel.decide', { id: next?.id ?? '', send: true })).code).toBe(
      'ASK_UNKNOWN',
    )
    expect(posted()).toHaveLength(1)
  })

  test('is dropped together with its question if the page leaves', async () => {
    const { panel, posted } = await openWritingPanel(false)
    const page = new AbortController()
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' }, signal: page.signal }
    const aborted = panel.serveDirectly(TARGET_PATH, init)
    await expect.poll(async () => (await fetchState(panel)).asks.length).toBe(1)
    page.abort()
    expect((await aborted).type).toBe('error')
    expect((await fetchState(panel)).asks).toEqual([])

    const stopped = sendVerdict(panel)
    await expect.poll(async () => (await fetchState(panel)).asks.length).toBe(1)
    await panel.composed.call('panel.stop', {})
    await stopped.catch(() => undefined)
    expect((await fetchState(panel)).asks).toEqual([])
    expect(posted()).toEqual([])
  })

  test('of a read-only profile is asked for, and sent only once the profile was unlocked', async () => {
    const { panel, posted } = await openWritingPanel(true)
    const decideToSend = async (): Promise<void> => {
      await expect.poll(async () => (await fetchState(panel)).asks.length).toBe(1)
      const [ask] = (await fetchState(panel)).asks
      await panel.composed.call('panel.decide', { id: ask?.id ?? '', send: true })
    }
    const locked = sendVerdict(panel)
    await decideToSend()
    expect([(await locked).status, JSON.parse((await locked).body)]).toMatchObject([
      403,
      { error: { code: 'READ_ONLY' } },
    ])
    expect(posted()).toEqual([])
    const waiting = sendVerdict(panel)
    await expect.poll(async () => (await fetchState(panel)).asks.length).toBe(1)
    const { profile } = await panel.composed.call('connection.get', {})
    await panel.composed.call('operations.unlock', { profileId: profile?.id ?? '', scope: 'session' })
    await decideToSend()
    expect((await waiting).status).toBe(201)
    expect(posted()).toHaveLength(1)
  })

  test('is refused with 403 in the mode "refuse", and not let through in a read-only profile', async () => {
    const { panel, posted } = await openWritingPanel(true)
    expect((await panel.composed.callExpectingError('panel.configure', { writes: 'let-through' })).code).toBe(
      'READ_ONLY',
    )
    await panel.composed.call('panel.configure', { writes: 'refuse' })
    const refused = await sendVerdict(panel)
    expect([refused.status, JSON.parse(refused.body)]).toMatchObject([403, { error: { code: 'PANEL_WRITE_REFUSED' } }])
    expect(posted()).toEqual([])
  })

  test('falls back to asking if the connection may no longer write', async () => {
    const { panel } = await openWritingPanel(false)
    await panel.composed.call('panel.configure', { writes: 'let-through' })
    await panel.composed.call('connection.disconnect', {})
    expect((await fetchState(panel)).writes).toBe('ask')
  })
})
