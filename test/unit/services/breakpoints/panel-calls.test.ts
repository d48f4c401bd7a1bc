/** @module-tag slow */

import type { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { HeldContent } from '../../../../electron/services/breakpoints/held-message.ts'
import type { PageCall } from '../../../../electron/services/panel/call/page-call.ts'
import { decideHeldCall } from '../../../../electron/services/panel/policy/held-call.ts'
import { BY_HAND_MARK, HELD_MARK, type BreakpointRule, type HeldCall } from '../../../../shared/panel/breakpoints.ts'
import {
  createPanelFolder,
  openPanel,
  sendJson,
  startLoggingHost,
  type OpenPanel,
} from '../../../support/program/panel.ts'
import { TOKEN } from '../../../support/services/test-client.ts'

const NOTE_PATH = '/bridge/v1/notes/N-1'
const JSON_HEADERS = ['Content-Type: application/json', 'X-Mine: 1']

const createRule = (more: Partial<BreakpointRule> = {}): BreakpointRule => ({
  id: 'one',
  on: true,
  match: { method: '*', path: '/notes/*' },
  at: 'request',
  isErrorOnly: false,
  waitSeconds: 60,
  ...more,
})

async function openHeldPanel(...rules: BreakpointRule[]) {
  const host = await startLoggingHost(['GET /notes/{id}', 'POST /notes/{noteid}/practice-verdict'])
  const panel = await openPanel(createPanelFolder(), host.baseUrl, false)
  const { call } = panel.composed
  await expect.poll(async () => (await call('panel.get', {})).plugin.id).toBe('plugin.one')
  await call('breakpoints.save', { rules })
  const getState = () => call('breakpoints.get', {})
  /** Waits until this many calls are held, in the order in which they came. */
  const waitForHeld = async (count = 1): Promise<HeldCall[]> => {
    await expect.poll(async () => (await getState()).held.length).toBe(count)
    return (await getState()).held
  }
  return { host, panel, call, getState, waitForHeld }
}

async function fetchNewestRow({ composed: { call } }: OpenPanel) {
  const { bytes } = await call('traffic.find', {
    filter: { origins: ['panel'] },
    sort: { by: 'time', descending: true },
  })
  return (await call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })).rows[0]
}

describe('a held request', () => {
  test('is shown without secrets, waits while other calls go on, and goes on unchanged', async () => {
    const { host, panel, call, waitForHeld } = await openHeldPanel(
      createRule({ match: { method: 'GET', path: '/notes/N-1' } }),
    )
    const response = panel.requestAsPage('GET', NOTE_PATH, ['Accept: text/html', 'Authorization: Bearer mine'])
    const [heldCall] = await waitForHeld()
    expect(heldCall).toMatchObject({ point: 'request', method: 'GET', path: '/notes/N-1', status: null })
    const detail = await call('breakpoints.held', { id: heldCall?.id ?? '' })
    expect(detail.request.headers).toEqual([['accept', 'text/html']])
    expect(detail.response).toBeNull()
    expect((await panel.requestAsPage('GET', '/bridge/v1/notes/N-2')).status).toBe(200)
    expect(host.requests.map(({ url }) => url)).toEqual(['/bridge/v1/notes/N-2'])
    const error = await panel.composed.callExpectingError('breakpoints.resume', {
      id: heldCall?.id,
      resumption: { kind: 'continue', edit: { headers: [['X-Mine', '1']] } },
    })
    expect(error.code).toBe('HEADER_FIXED')
    await call('breakpoints.resume', { id: heldCall?.id ?? '', resumption: { kind: 'continue' } })
    expect((await response).body).toContain('{"fine":true}')
    expect(await waitForHeld(0)).toEqual([])
    await expect.poll(() => fetchNewestRow(panel)).toMatchObject({ path: '/notes/N-1', rule: HELD_MARK })
    const row = await fetchNewestRow(panel)
    const { records } = await call('breakpoints.records', { exchangeId: row?.id ?? '' })
    expect(records).toMatchObject([{ point: 'request', outcome: 'continued', edited: [] }])
    const lateError = await panel.composed.callExpectingError('breakpoints.resume', {
      id: heldCall?.id,
      resumption: { kind: 'fail' },
    })
    expect(lateError.code).toBe('HELD_UNKNOWN')
  })

  test('is reviewed as it was edited, and the gate sets its members as always', async () => {
    const { host, panel, call, waitForHeld } = await openHeldPanel(
      createRule({ match: { method: 'POST', path: '/notes/{noteid}/practice-verdict' } }),
    )
    const response = panel.requestAsPage(
      'POST',
      `${NOTE_PATH}/practice-verdict`,
      JSON_HEADERS,
      JSON.stringify({ self: 'again', practice: { topic: 'T-1' } }),
    )
    const [heldCall] = await waitForHeld()
    const id = heldCall?.id ?? ''
    const edited = { self: 'good', practice: { topic: 'T-1' }, addon: 'someone.else', confirm: false }
    const resume = (edit: object) => ({ id, resumption: { kind: 'continue', edit } })
    for (const [edit, code] of [
      [{ body: `{"self":"${TOKEN}"}` }, 'TOKEN_IN_REQUEST'],
      [{ headers: [['Authorization', 'Bearer x']] }, 'HEADER_FIXED'],
      [{ headers: [['X-HTTP-Method-Override', 'DELETE']] }, 'HEADER_FIXED'],
      [{ headers: [['content-type', 'text/plain']] }, 'HEADER_FIXED'],
    ] as const) {
      expect((await panel.composed.callExpectingError('breakpoints.resume', resume(edit))).code).toBe(code)
    }
    await call('breakpoints.resume', { id, resumption: { kind: 'continue', edit: { body: JSON.stringify(edited) } } })
    await expect.poll(async () => (await call('panel.get', {})).asks.length).toBe(1)
    const [ask] = (await call('panel.get', {})).asks
    const sentBody = { self: 'good', practice: { topic: 'T-1' }, addon: 'plugin.one', confirm: true }
    expect(JSON.parse(ask?.prepared.body ?? '')).toEqual(sentBody)
    expect(ask?.prepared.path).toBe('/notes/N-1/practice-verdict')
    expect(host.requests).toEqual([])
    await call('panel.decide', { id: ask?.id ?? '', send: true })
    expect((await response).status).toBe(200)
    const verdicts = host.requests.filter(({ url }) => url.endsWith('/practice-verdict'))
    expect(verdicts.map(({ body }) => JSON.parse(body) as unknown)).toEqual([sentBody])
    const { items } = await call('operations.list', { offset: 0, limit: 10 })
    expect(items).toHaveLength(1)
    const row = await fetchNewestRow(panel)
    const panelCall = (await call('panel.call', { exchangeId: row?.id ?? '' })).call
    expect(panelCall?.page.body).toContain('"again"')
    expect(panelCall?.changes.map(({ why }) => why)).toEqual(
      expect.arrayContaining(['edited-by-hand', 'addon-rewritten', 'confirm-filled', 'header-removed']),
    )
    expect((await call('breakpoints.records', { exchangeId: row?.id ?? '' })).records).toMatchObject([
      { edited: ['body'] },
    ])
  })

  test('goes to the route that a person wrote, which the allow-list and the review of writes check', async () => {
    const { host, panel, call, waitForHeld } = await openHeldPanel(
      createRule({ match: { method: '*', path: '/notes/N-1' } }),
    )
    const sendEdited = async (edit: object) => {
      const response = panel.requestAsPage('GET', `${NOTE_PATH}?view=a`, JSON_HEADERS)
      const [heldCall] = await waitForHeld()
      const id = heldCall?.id ?? ''
      return { id, response, input: { id, resumption: { kind: 'continue' as const, edit } } }
    }
    const read = await sendEdited({ path: '/notes/N-2?view=b' })
    for (const [path, code] of [
      ['/notes/%2e%2e/x', 'PATH_AMBIGUOUS'],
      [`/notes/N-1?key=${TOKEN}`, 'TOKEN_IN_REQUEST'],
    ]) {
      const resumption = { kind: 'continue', edit: { path } }
      expect((await panel.composed.callExpectingError('breakpoints.resume', { id: read.id, resumption })).code).toBe(
        code,
      )
    }
    await call('breakpoints.resume', read.input)
    expect((await read.response).status).toBe(200)
    expect(host.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /bridge/v1/notes/N-2?view=b'])
    await expect.poll(() => fetchNewestRow(panel)).toMatchObject({ path: '/notes/N-2?view=b', rule: HELD_MARK })
    const row = await fetchNewestRow(panel)
    expect((await call('panel.call', { exchangeId: row?.id ?? '' })).call?.changes).toContainEqual({
      where: 'path',
      member: '',
      from: '/notes/N-1?view=a',
      to: '/notes/N-2?view=b',
      why: 'edited-by-hand',
    })
    expect((await call('breakpoints.records', { exchangeId: row?.id ?? '' })).records).toMatchObject([
      { edited: ['path'] },
    ])

    const write = await sendEdited({
      method: 'POST',
      path: '/notes/N-1/practice-verdict',
      body: '{"self":"good"}',
    })
    await call('breakpoints.resume', write.input)
    await expect.poll(async () => (await call('panel.get', {})).asks.length).toBe(1)
    const [ask] = (await call('panel.get', {})).asks
    expect(ask?.prepared).toMatchObject({ method: 'POST', path: '/notes/N-1/practice-verdict' })
    await call('panel.decide', { id: ask?.id ?? '', send: false })
    expect((await write.response).status).toBe(403)

    // The page did not ask for the route that is refused, so it is not held against the page.
    const refused = await sendEdited({ path: '/not/listed' })
    await call('breakpoints.resume', refused.input)
    expect((await refused.response).body).toContain('IN_PROCESS_NOT_ALLOWED')
    await expect.poll(() => fetchNewestRow(panel)).toMatchObject({ rule: BY_HAND_MARK, status: 403 })
    expect(host.requests).toHaveLength(1)
  })

  test('can be answered or failed by hand, which is never recorded as the host’s', async () => {
    const { host, panel, call, waitForHeld } = await openHeldPanel(createRule())
    const response = panel.requestAsPage('GET', NOTE_PATH)
    const [heldCall] = await waitForHeld()
    await call('breakpoints.resume', {
      id: heldCall?.id ?? '',
      resumption: { kind: 'answer', status: 418, headers: [['Content-Type', 'text/plain']], body: 'by me' },
    })
    expect(await response).toMatchObject({ status: 418, body: 'by me' })
    await expect.poll(() => fetchNewestRow(panel)).toMatchObject({ status: 418, rule: BY_HAND_MARK })
    const row = await fetchNewestRow(panel)
    expect((await call('panel.call', { exchangeId: row?.id ?? '' })).call).toMatchObject({
      decision: 'by-hand',
      reason: { code: 'answered-by-hand' },
      answer: { status: 418, body: 'by me' },
    })
    const failed = panel.serveDirectly(NOTE_PATH)
    const [secondCall] = await waitForHeld()
    await call('breakpoints.resume', { id: secondCall?.id ?? '', resumption: { kind: 'fail' } })
    expect((await failed).type).toBe('error')
    await expect
      .poll(() => fetchNewestRow(panel))
      .toMatchObject({ state: 'failed', errorCode: 'FAILED_BY_HAND', rule: BY_HAND_MARK })
    expect(host.requests).toEqual([])
  })

  test('is refused as soon as another host is connected, and its response reaches the page', async () => {
    const { host, panel, call, getState, waitForHeld } = await openHeldPanel(
      createRule({ match: { method: 'GET', path: '/notes/N-1' } }),
      createRule({ id: 'two', at: 'response', match: { method: 'GET', path: '/notes/N-2' } }),
    )
    const other = await startLoggingHost(['GET /notes/{id}'])
    const auth = { header: 'Authorization', scheme: 'Bearer' }
    const connectOther = async (): Promise<void> => {
      const { profile } = await call('profiles.save', { name: 'Other', baseUrl: other.baseUrl, auth, readOnly: false })
      await call('connection.connect', { profileId: profile.id })
    }
    const response = panel.requestAsPage('GET', NOTE_PATH)
    const secondResponse = panel.requestAsPage('GET', '/bridge/v1/notes/N-2')
    await waitForHeld(2)
    await connectOther()
    expect(await response).toMatchObject({ status: 503 })
    expect((await response).body).toContain('HOST_CHANGED')
    expect((await secondResponse).body).toContain('{"fine":true}')
    expect(await getState()).toMatchObject({ held: [], lapses: [{ reason: 'host-changed', count: 2 }] })
    const { bytes } = await call('traffic.find', {
      filter: { origins: ['panel'] },
      sort: { by: 'time', descending: false },
    })
    const { rows } = await call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })
    expect(rows.map((row) => row.host)).toEqual([host.baseUrl, host.baseUrl])
    for (const { id } of rows)
      expect((await call('breakpoints.records', { exchangeId: id })).records).toMatchObject([
        { outcome: 'host-changed', edited: [] },
      ])
    expect(host.requests.map(({ url }) => url)).toEqual(['/bridge/v1/notes/N-2'])
    expect(other.requests).toEqual([])
  })

  test('goes on by itself after its time, and ends with the page, which is reported', async () => {
    const { host, panel, call, getState, waitForHeld } = await openHeldPanel(createRule({ waitSeconds: 1 }))
    expect((await panel.requestAsPage('GET', NOTE_PATH)).status).toBe(200)
    expect(await getState()).toMatchObject({ held: [], lapses: [{ reason: 'timed-out', count: 1 }] })
    await call('breakpoints.save', { rules: [createRule()] })
    await call('breakpoints.forgetLapses', {})
    const abort = new AbortController()
    const aborted = panel.serveDirectly(NOTE_PATH, { signal: abort.signal })
    await waitForHeld()
    abort.abort()
    expect((await aborted).type).toBe('error')
    expect(await getState()).toMatchObject({ held: [], lapses: [{ reason: 'gone', count: 1 }] })
    const reloaded = panel.serveDirectly(NOTE_PATH)
    const [heldCall] = await waitForHeld()
    const { endsAt } = await call('breakpoints.extend', { id: heldCall?.id ?? '' })
    expect(endsAt).toBeGreaterThan(heldCall?.endsAt ?? Infinity)
    await call('panel.reload', {})
    expect((await reloaded).type).toBe('error')
    expect(await getState()).toMatchObject({ held: [], lapses: [{ reason: 'gone', count: 2 }] })
    expect(host.requests).toHaveLength(1)
  })

  test('is not held if the allow list refuses it', async () => {
    const { panel, getState } = await openHeldPanel(createRule({ match: { method: '*', path: '*' } }))
    expect((await panel.requestAsPage('GET', '/bridge/v1/decks')).status).toBe(403)
    expect((await getState()).held).toEqual([])
  })
})

describe('a held response', () => {
  test('reaches the page as it was edited, while the exchange keeps what the host sent', async () => {
    const { panel, call, waitForHeld } = await openHeldPanel(createRule({ at: 'response' }))
    const response = panel.requestAsPage('GET', NOTE_PATH)
    const [heldCall] = await waitForHeld()
    expect(heldCall).toMatchObject({ point: 'response', status: 200 })
    const id = heldCall?.id ?? ''
    expect((await call('breakpoints.held', { id })).response).toMatchObject({
      body: '{"fine":true}',
      isBodyEditable: true,
    })
    const edit = { status: 503, body: '{"error":{"code":"BUSY"}}' }
    await call('breakpoints.resume', { id, resumption: { kind: 'continue', edit } })
    expect(await response).toMatchObject({ status: 503, body: edit.body })
    const row = await fetchNewestRow(panel)
    expect(row).toMatchObject({ status: 200, rule: HELD_MARK })
    expect((await call('panel.call', { exchangeId: row?.id ?? '' })).call).toMatchObject({
      decision: 'by-hand',
      reason: { code: 'edited-by-hand' },
      answer: { status: 503 },
      changes: [
        { where: 'answer', member: 'status', from: '200', to: '503' },
        { where: 'answer', member: '', from: '{"fine":true}', to: edit.body },
      ],
    })
    expect((await call('breakpoints.records', { exchangeId: row?.id ?? '' })).records).toMatchObject([
      { point: 'response', edited: ['status', 'body'] },
    ])
  })

  test('stays a changed one after an override, also if nobody edits it', async () => {
    const changes = [{ where: 'answer', member: '/a', from: '1', to: '2', why: 'override' }] as const
    const holds = {
      isRequestHeld: false,
      shouldHoldResponse: () => true,
      readResponseBody: (_: number, body: Readable) => Promise.resolve(body),
      hold: ({ response, request }: { response: HeldContent | null; request: HeldContent }) =>
        Promise.resolve({ kind: 'continue' as const, content: response ?? request, edited: [] }),
      saveRecords: () => undefined,
    }
    const { signal } = new AbortController()
    const call: PageCall = {
      ...{ method: 'GET', path: '/notes/N', headers: [], body: null, bodyBytes: 0, signal },
      sentMembers: { confirm: false, addon: false },
      ...{ via: 'fetch', load: 1, pageId: null, frames: null, loader: null, referrer: '' },
    }
    const { response } = await decideHeldCall(call, {
      holds,
      signal,
      decide: () =>
        Promise.resolve({
          response: { kind: 'answer', status: 200, headers: [], body: Buffer.from('{}'), changes },
          exchangeId: 'x',
          decision: 'override',
          reason: { code: 'override-applied', params: {} },
        }),
    })
    expect(response).toMatchObject({ changes })
  })

  test('is released in any order while all responses are held', async () => {
    const { panel, call, waitForHeld, getState } = await openHeldPanel()
    await call('breakpoints.holdAll', { on: true })
    const order: string[] = []
    const requests = ['N-1', 'N-2', 'N-3'].map(async (name) => {
      const response = await panel.requestAsPage('GET', `/bridge/v1/notes/${name}`)
      order.push(name)
      return response
    })
    const heldCalls = await waitForHeld(3)
    const release = async (path: string): Promise<void> => {
      const heldCall = heldCalls.find((candidate) => candidate.path === path)
      const length = order.length
      await call('breakpoints.resume', { id: heldCall?.id ?? '', resumption: { kind: 'continue' } })
      await expect.poll(() => order.length).toBe(length + 1)
    }
    await release('/notes/N-3')
    await release('/notes/N-1')
    await call('breakpoints.holdAll', { on: false })
    for (const request of requests) expect((await request).body).toBe('{"fine":true}')
    expect(order).toEqual(['N-3', 'N-1', 'N-2'])
    expect((await getState()).held).toEqual([])
  })

  test('is held only for errors, or only for one of the calls, if the breakpoint says so', async () => {
    const { host, panel, call, getState, waitForHeld } = await openHeldPanel(
      createRule({ id: 'errors', at: 'response', isErrorOnly: true, match: { method: 'GET', path: '/notes/N-1' } }),
      createRule({ id: 'second', match: { method: 'GET', path: '/notes/N-2', nth: 2 } }),
    )
    expect((await panel.requestAsPage('GET', NOTE_PATH)).status).toBe(200)
    expect((await panel.requestAsPage('GET', '/bridge/v1/notes/N-2')).status).toBe(200)
    expect(await fetchNewestRow(panel)).toMatchObject({ rule: null })
    host.respond = (_, response) => sendJson(response, 500, {})
    const failing = panel.requestAsPage('GET', NOTE_PATH)
    const second = panel.requestAsPage('GET', '/bridge/v1/notes/N-2')
    const heldCalls = await waitForHeld(2)
    expect(heldCalls.map(({ status }) => status).sort()).toEqual([500, null])
    for (const { id } of heldCalls) await call('breakpoints.resume', { id, resumption: { kind: 'continue' } })
    expect([(await failing).status, (await second).status]).toEqual([500, 500])
    expect((await getState()).lapses).toEqual([])
    // A response that no breakpoint held reached the page as fast as without one.
    const { bytes } = await call('traffic.find', {
      filter: { origins: ['panel'], text: '/notes/N-1' },
      sort: { by: 'time', descending: false },
    })
    const { rows } = await call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })
    const records = await Promise.all(rows.map(({ id }) => call('breakpoints.records', { exchangeId: id })))
    expect(records.map((result) => result.records.map(({ point, outcome }) => [point, outcome]))).toEqual([
      [],
      [['response', 'continued']],
    ])
  })
})
