/** @module-tag slow */

import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import { TOKEN } from '../../../support/services/test-client.ts'
import {
  sendJson,
  startLoggingHost,
  openPanel,
  createPanelFolder,
  type OpenPanel,
} from '../../../support/program/panel.ts'

const NOTE_PATH = '/bridge/v1/notes/N-1'
const maskedChange = { where: 'answer', member: '', from: null, to: null, why: 'token-masked' }

/** Returns the exchanges of the panel's calls, newest first. */
async function fetchRows({ composed }: OpenPanel) {
  const filter = { origins: ['panel' as const] }
  const { bytes } = await composed.call('traffic.find', { filter, sort: { by: 'time', descending: true } })
  return (await composed.call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })).rows
}

/** Returns the call of the newest exchange, once the page has its response. */
async function waitForCall(panel: OpenPanel) {
  return expect
    .poll(async () => {
      const [row] = await fetchRows(panel)
      return row && (await panel.composed.call('panel.call', { exchangeId: row.id })).call
    })
    .toMatchObject({ answer: {} })
    .then(async () => {
      const [row] = await fetchRows(panel)
      return (await panel.composed.call('panel.call', { exchangeId: row?.id ?? '' })).call
    })
}

async function openPanelWithResponse(respond: (response: ServerResponse) => void, rules: readonly OverrideRule[] = []) {
  const host = await startLoggingHost(['GET /notes/{id}', 'POST /notes/{noteid}/practice-verdict'])
  const panel = await openPanel(createPanelFolder(), host.baseUrl, false)
  await panel.composed.call('panel.saveOverrides', { rules: [...rules] })
  await expect.poll(async () => (await panel.composed.call('panel.get', {})).plugin.id).toBe('plugin.one')
  host.respond = (_, response) => respond(response)
  return panel
}

test.each([
  [
    'in a body that arrives in pieces, cut anywhere',
    (response: ServerResponse) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.write(`{"echo":"${TOKEN.slice(0, 9)}`)
      setImmediate(() => response.end(`${TOKEN.slice(9)}"}`))
    },
  ],
  ['in a header', (response: ServerResponse) => void response.writeHead(200, { 'X-Echo': TOKEN }).end('{}')],
])('a token %s is masked, and the call reports it', async (_, respond) => {
  const panel = await openPanelWithResponse(respond)
  const page = await panel.requestAsPage('GET', NOTE_PATH)
  expect(page.status).toBe(200)
  expect(JSON.stringify(page)).not.toContain(TOKEN)
  expect((await waitForCall(panel))?.changes).toEqual([maskedChange])
})

test('a response without a body does not count as broken', async () => {
  const panel = await openPanelWithResponse((response) => void response.writeHead(204).end())
  expect((await panel.requestAsPage('GET', NOTE_PATH)).status).toBe(204)
  expect(await waitForCall(panel)).toMatchObject({
    reason: { code: 'listed', params: {} },
    answer: { status: 204, bytes: 0, broken: false },
  })
})

test('traffic names the rule that changes the response to a write', async () => {
  const rule: OverrideRule = {
    id: 'one',
    name: 'Another verdict',
    on: true,
    match: { method: 'POST', path: '/notes/{noteid}/practice-verdict' },
    answer: { kind: 'change', changes: [{ do: 'set', at: '/persisted', value: false }] },
    delayMs: 0,
  }
  const panel = await openPanelWithResponse((response) => sendJson(response, 200, { persisted: true }), [rule])
  await panel.composed.call('panel.configure', { writes: 'let-through' })
  const body = JSON.stringify({ self: 'again' })
  const response = await panel.requestAsPage(
    'POST',
    `${NOTE_PATH}/practice-verdict`,
    ['Content-Type: application/json'],
    body,
  )
  expect(JSON.parse(response.body)).toEqual({ persisted: false })
  expect(await waitForCall(panel)).toMatchObject({ decision: 'override' })
  expect((await fetchRows(panel))[0]).toMatchObject({ method: 'POST', rule: 'Another verdict' })
})

describe('value that host.api resolved to', () => {
  const api = ['X-Inspector-Via: host.api']
  const large = JSON.stringify({ text: 'é'.repeat(60_000) })
  const responses: [string, (response: ServerResponse) => void, string | RegExp][] = [
    [
      'JSON as the page parses it',
      (response) => response.end('{"n":12345678901234567890 , "a":1,"a":2}'),
      '{"n":12345678901234567000,"a":2}',
    ],
    [
      'Markdown',
      (response) => response.end('# Guide'),
      /^\{"error":\{"code":"NOT_JSON","message":"200 with a body that is not JSON: # Guide"\}\}$/,
    ],
    ['Markdown of any length', (response) => response.end(`# Guide ${'é'.repeat(60_000)}`), /"code":"NOT_JSON"/],
    [
      'bytes',
      (response) => response.end(Buffer.from([0x89, 0x50, 0, 1])),
      /"code":"NOT_JSON","message":"200 [^"]*: \ufffdP\\u0000\\u0001"/,
    ],
    [
      'bytes of any length',
      (response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(Buffer.alloc(90_000)),
      /"code":"NOT_JSON"/,
    ],
    ['an error without a message', (response) => sendJson(response, 500, {}), /"code":"HTTP_500"/],
    ['a body longer than the stored part', (response) => response.end(large), large],
    [
      'a connection that breaks off',
      (response) => void (response.write('{"a":'), setTimeout(() => response.destroy(), 20)),
      /"code":"NETWORK"/,
    ],
  ]

  test.each(responses)(
    'is the same byte for byte in the lab and in a call as a panel: %s',
    async (_, respond, expected) => {
      const panel = await openPanelWithResponse(respond)
      await panel.requestAsPage('GET', NOTE_PATH, api).catch(() => undefined)
      const call = await waitForCall(panel)
      const resolved = await panel.composed.call('panel.resolvedValue', { exchangeId: call?.exchangeId ?? '' })
      const request = { pluginId: 'plugin.one', method: 'GET' as const, path: '/notes/N-1', body: null }
      const called = await panel.composed.call('panel.callAs', request)
      const text = Buffer.from(resolved.bytes).toString()
      expect(typeof expected === 'string' ? text === expected : expected.test(text)).toBe(true)
      expect(Buffer.from(called.bytes).toString()).toBe(text)
      expect([resolved.meta.isFailure, called.meta.isFailure]).toEqual(Array(2).fill(text.startsWith('{"error"')))
    },
  )

  test('is the result of an override, whatever its length', async () => {
    const rule: OverrideRule = {
      id: 'one',
      name: 'Other',
      on: true,
      match: { method: 'GET', path: '/notes/*' },
      answer: { kind: 'change', changes: [{ do: 'set', at: '/text', value: '\ufffd'.repeat(90_000) }] },
      delayMs: 0,
    }
    const panel = await openPanelWithResponse((response) => response.end(large), [rule])
    await panel.requestAsPage('GET', NOTE_PATH, api)
    const call = await waitForCall(panel)
    const { bytes } = await panel.composed.call('panel.resolvedValue', { exchangeId: call?.exchangeId ?? '' })
    expect(Buffer.from(bytes).toString()).toBe(JSON.stringify({ text: '\ufffd'.repeat(90_000) }))
  })

  test('is known for exchanges of other clients, but not for an unknown exchange', async () => {
    const panel = await openPanelWithResponse((response) => response.end('# Guide'))
    const { seq } = await panel.composed.call('traffic.send', { method: 'GET', path: '/notes/N-1', body: null })
    const { row } = await panel.composed.call('traffic.exchange', { seq })
    const { bytes } = await panel.composed.call('panel.resolvedValue', { exchangeId: row.id })
    expect(Buffer.from(bytes).toString()).toContain('NOT_JSON')
    await expect(panel.composed.call('panel.resolvedValue', { exchangeId: 'none' })).rejects.toMatchObject({
      code: 'EXCHANGE_UNKNOWN',
    })
  })
})

test('calls belong to the opening and the load of their page, whatever its later title is', async () => {
  const panel = await openPanelWithResponse((response) => sendJson(response, 200, { fine: true }))
  const { composed } = panel
  const reportLoad = (number: number, timestamp = Date.now(), isReload = false) =>
    panel.requestAsPage('POST', '/__inspector/load', [], JSON.stringify({ load: number, at: timestamp, isReload }))
  const startLoad = async (): Promise<string> => {
    const script = await panel.requestAsPage('GET', '/__inspector/host.js')
    const number = /const pageLoad = '(\d+)'/.exec(script.body)?.[1] ?? ''
    await reportLoad(Number(number))
    return number
  }
  const callAndGetOrigin = async (headers: readonly string[] = []) => {
    await panel.requestAsPage('GET', NOTE_PATH, headers)
    const [row] = await fetchRows(panel)
    return row?.origin
  }
  const first = await startLoad()
  const { caller } = await composed.call('panel.get', {})
  expect([first, caller]).toEqual(['1', expect.stringMatching(/^[0-9a-f-]{36}$/)])
  expect(await callAndGetOrigin([`X-Inspector-Load: ${first}`])).toEqual({
    kind: 'panel',
    label: 'my-panel',
    caller,
    load: 1,
  })
  await panel.requestAsPage('POST', '/__inspector/notes', [], JSON.stringify({ title: 'Another title' }))
  const second = await startLoad()
  expect(await callAndGetOrigin([`X-Inspector-Load: ${second}`])).toMatchObject({
    label: 'Another title',
    caller,
    load: 2,
  })
  // These calls began before a reload, or have no load mark, or have an invented one.
  expect(await callAndGetOrigin([`X-Inspector-Load: ${first}`])).toMatchObject({ caller, load: 1 })
  expect(await callAndGetOrigin()).toMatchObject({ caller, load: 2 })
  expect(await callAndGetOrigin(['X-Inspector-Load: 99'])).toMatchObject({ caller, load: 2 })
  expect(await composed.call('panel.get', {})).toMatchObject({ caller, pageLoad: 2 })
  // A frame in the page gets a number, but no load.
  await panel.requestAsPage('GET', '/__inspector/host.js')
  for (const number of [1, 99]) await reportLoad(number)
  expect(await callAndGetOrigin()).toMatchObject({ caller, load: 2 })
  const filter = { caller: caller ?? '', load: 1 }
  const searchResult = await composed.call('traffic.find', { filter, sort: { by: 'time', descending: true } })
  expect([...new Uint32Array(searchResult.bytes)]).toHaveLength(2)
  await composed.call('panel.open', {
    source: (await composed.call('panel.get', {})).source ?? { kind: 'sample', name: 'practice' },
  })
  expect((await composed.call('panel.get', {})).caller).not.toBe(caller)
})

test('a page reports its own load with its time and cause', async () => {
  const panel = await openPanelWithResponse((response) => sendJson(response, 200, { fine: true }))
  const { composed } = panel
  const fetchState = () => composed.call('panel.get', {})
  const fetchLoads = async () =>
    (await composed.call('panel.notes', { after: 0 })).notes.filter(({ kind }) => kind === 'load')
  const reportLoad = async (timestamp: number, isReload: boolean) => {
    const script = await panel.requestAsPage('GET', '/__inspector/host.js')
    const load = Number(/const pageLoad = '(\d+)'/.exec(script.body)?.[1])
    await panel.requestAsPage('POST', '/__inspector/load', [], JSON.stringify({ load, at: timestamp, isReload }))
    return fetchState()
  }
  expect(await fetchState()).toMatchObject({ load: 1, pageLoad: 0, loadedAt: null })
  const startedAt = Date.now() - 5_000
  expect(await reportLoad(startedAt, false)).toMatchObject({
    load: 1,
    pageLoad: 1,
    loadedAt: startedAt,
    loadedBecause: 'opened',
  })
  expect(await reportLoad(startedAt + 1, true)).toMatchObject({
    load: 1,
    pageLoad: 2,
    loadedAt: startedAt + 1,
    loadedBecause: 'itself',
  })
  await composed.call('panel.reload', {})
  expect(await reportLoad(startedAt + 2, true)).toMatchObject({
    load: 2,
    pageLoad: 3,
    loadedAt: startedAt + 2,
    loadedBecause: 'reloaded',
  })
  const { loadedAt } = await reportLoad(Date.now() + 90_000, false)
  expect(loadedAt).toBeLessThanOrEqual(Date.now())
  expect((await fetchLoads()).map(({ text }) => text)).toEqual(['opened', 'itself', 'reloaded', 'opened'])
})
