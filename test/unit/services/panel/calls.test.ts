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

const NOTE = '/bridge/v1/notes/N-1'
const masked = { where: 'answer', member: '', from: null, to: null, why: 'token-masked' }

/** The rows of the panel's calls, newest first. */
async function rowsOf({ composed }: OpenPanel) {
  const filter = { origins: ['panel' as const] }
  const { bytes } = await composed.call('traffic.find', { filter, sort: { by: 'time', descending: true } })
  return (await composed.call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })).rows
}

/** The call of the newest exchange, once the page has its answer. */
async function ended(panel: OpenPanel) {
  return expect
    .poll(async () => {
      const [row] = await rowsOf(panel)
      return row && (await panel.composed.call('panel.call', { exchangeId: row.id })).call
    })
    .toMatchObject({ answer: {} })
    .then(async () => {
      const [row] = await rowsOf(panel)
      return (await panel.composed.call('panel.call', { exchangeId: row?.id ?? '' })).call
    })
}

async function opened(answer: (response: ServerResponse) => void, rules: readonly OverrideRule[] = []) {
  const host = await startLoggingHost(['GET /notes/{id}', 'POST /notes/{noteid}/practice-verdict'])
  const panel = await openPanel(createPanelFolder(), host.baseUrl, false)
  await panel.composed.call('panel.saveOverrides', { rules: [...rules] })
  await expect.poll(async () => (await panel.composed.call('panel.get', {})).plugin.id).toBe('plugin.one')
  host.respond = (_, response) => answer(response)
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
])('a token %s is masked, and the call says so', async (_, answer) => {
  const panel = await opened(answer)
  const page = await panel.requestAsPage('GET', NOTE)
  expect(page.status).toBe(200)
  expect(JSON.stringify(page)).not.toContain(TOKEN)
  expect((await ended(panel))?.changes).toEqual([masked])
})

test('an answer without a body is no broken one', async () => {
  const panel = await opened((response) => void response.writeHead(204).end())
  expect((await panel.requestAsPage('GET', NOTE)).status).toBe(204)
  expect(await ended(panel)).toMatchObject({
    reason: { code: 'listed', params: {} },
    answer: { status: 204, bytes: 0, broken: false },
  })
})

test('a rule that changes the answer to a write is named in traffic', async () => {
  const rule: OverrideRule = {
    id: 'one',
    name: 'Another verdict',
    on: true,
    match: { method: 'POST', path: '/notes/{noteid}/practice-verdict' },
    answer: { kind: 'change', changes: [{ do: 'set', at: '/persisted', value: false }] },
    delayMs: 0,
  }
  const panel = await opened((response) => sendJson(response, 200, { persisted: true }), [rule])
  await panel.composed.call('panel.configure', { writes: 'let-through' })
  const body = JSON.stringify({ self: 'again' })
  const answer = await panel.requestAsPage('POST', `${NOTE}/practice-verdict`, ['Content-Type: application/json'], body)
  expect(JSON.parse(answer.body)).toEqual({ persisted: false })
  expect(await ended(panel)).toMatchObject({ decision: 'override' })
  expect((await rowsOf(panel))[0]).toMatchObject({ method: 'POST', rule: 'Another verdict' })
})

describe('what host.api resolved to', () => {
  const api = ['X-Inspector-Via: host.api']
  const large = JSON.stringify({ text: 'é'.repeat(60_000) })
  const answers: [string, (response: ServerResponse) => void, string | RegExp][] = [
    [
      'JSON, as the page parses it',
      (one) => one.end('{"n":12345678901234567890 , "a":1,"a":2}'),
      '{"n":12345678901234567000,"a":2}',
    ],
    [
      'Markdown',
      (one) => one.end('# Guide'),
      /^\{"error":\{"code":"NOT_JSON","message":"200 with a body that is not JSON: # Guide"\}\}$/,
    ],
    ['Markdown of any length', (one) => one.end(`# Guide ${'é'.repeat(60_000)}`), /"code":"NOT_JSON"/],
    [
      'bytes',
      (one) => one.end(Buffer.from([0x89, 0x50, 0, 1])),
      /"code":"NOT_JSON","message":"200 [^"]*: \ufffdP\\u0000\\u0001"/,
    ],
    [
      'bytes of any length',
      (one) => one.writeHead(200, { 'Content-Type': 'image/png' }).end(Buffer.alloc(90_000)),
      /"code":"NOT_JSON"/,
    ],
    ['an error without a word', (one) => sendJson(one, 500, {}), /"code":"HTTP_500"/],
    ['more than is kept of a call', (one) => one.end(large), large],
    [
      'a connection that breaks off',
      (one) => void (one.write('{"a":'), setTimeout(() => one.destroy(), 20)),
      /"code":"NETWORK"/,
    ],
  ]

  test.each(answers)('%s: the lab and a call as a panel agree to the byte', async (_, answer, expected) => {
    const panel = await opened(answer)
    await panel.requestAsPage('GET', NOTE, api).catch(() => undefined)
    const call = await ended(panel)
    const shown = await panel.composed.call('panel.resolvedValue', { exchangeId: call?.exchangeId ?? '' })
    const asked = { pluginId: 'plugin.one', method: 'GET' as const, path: '/notes/N-1', body: null }
    const made = await panel.composed.call('panel.callAs', asked)
    const text = Buffer.from(shown.bytes).toString()
    expect(typeof expected === 'string' ? text === expected : expected.test(text)).toBe(true)
    expect(Buffer.from(made.bytes).toString()).toBe(text)
    expect([shown.meta.isFailure, made.meta.isFailure]).toEqual(Array(2).fill(text.startsWith('{"error"')))
  })

  test('is what an override made of it, whatever its length', async () => {
    const rule: OverrideRule = {
      id: 'one',
      name: 'Other',
      on: true,
      match: { method: 'GET', path: '/notes/*' },
      answer: { kind: 'change', changes: [{ do: 'set', at: '/text', value: '\ufffd'.repeat(90_000) }] },
      delayMs: 0,
    }
    const panel = await opened((one) => one.end(large), [rule])
    await panel.requestAsPage('GET', NOTE, api)
    const call = await ended(panel)
    const { bytes } = await panel.composed.call('panel.resolvedValue', { exchangeId: call?.exchangeId ?? '' })
    expect(Buffer.from(bytes).toString()).toBe(JSON.stringify({ text: '\ufffd'.repeat(90_000) }))
  })

  test('is told of an exchange of somebody else, and not of one whose body was not kept', async () => {
    const panel = await opened((one) => one.end('# Guide'))
    const { seq } = await panel.composed.call('traffic.send', { method: 'GET', path: '/notes/N-1', body: null })
    const { row } = await panel.composed.call('traffic.exchange', { seq })
    const { bytes } = await panel.composed.call('panel.resolvedValue', { exchangeId: row.id })
    expect(Buffer.from(bytes).toString()).toContain('NOT_JSON')
    await expect(panel.composed.call('panel.resolvedValue', { exchangeId: 'none' })).rejects.toMatchObject({
      code: 'EXCHANGE_UNKNOWN',
    })
  })
})

test('calls belong to the opening and to the load that made them, whatever the page is called by then', async () => {
  const panel = await opened((response) => sendJson(response, 200, { fine: true }))
  const { composed } = panel
  const report = (number: number, at = Date.now(), isReload = false) =>
    panel.requestAsPage('POST', '/__inspector/load', [], JSON.stringify({ load: number, at, isReload }))
  const load = async (): Promise<string> => {
    const script = await panel.requestAsPage('GET', '/__inspector/host.js')
    const number = /const pageLoad = '(\d+)'/.exec(script.body)?.[1] ?? ''
    await report(Number(number))
    return number
  }
  const called = async (headers: readonly string[] = []) => {
    await panel.requestAsPage('GET', NOTE, headers)
    const [row] = await rowsOf(panel)
    return row?.origin
  }
  const first = await load()
  const { caller } = await composed.call('panel.get', {})
  expect([first, caller]).toEqual(['1', expect.stringMatching(/^[0-9a-f-]{36}$/)])
  expect(await called([`X-Inspector-Load: ${first}`])).toEqual({ kind: 'panel', label: 'my-panel', caller, load: 1 })
  await panel.requestAsPage('POST', '/__inspector/notes', [], JSON.stringify({ title: 'Another title' }))
  const second = await load()
  expect(await called([`X-Inspector-Load: ${second}`])).toMatchObject({ label: 'Another title', caller, load: 2 })
  // What was begun before a reload, what the script could not mark, and what a page makes up.
  expect(await called([`X-Inspector-Load: ${first}`])).toMatchObject({ caller, load: 1 })
  expect(await called()).toMatchObject({ caller, load: 2 })
  expect(await called(['X-Inspector-Load: 99'])).toMatchObject({ caller, load: 2 })
  expect(await composed.call('panel.get', {})).toMatchObject({ caller, pageLoad: 2 })
  // A frame in the page takes a number and no load of its own.
  await panel.requestAsPage('GET', '/__inspector/host.js')
  for (const number of [1, 99]) await report(number)
  expect(await called()).toMatchObject({ caller, load: 2 })
  const filter = { caller: caller ?? '', load: 1 }
  const found = await composed.call('traffic.find', { filter, sort: { by: 'time', descending: true } })
  expect([...new Uint32Array(found.bytes)]).toHaveLength(2)
  await composed.call('panel.open', {
    source: (await composed.call('panel.get', {})).source ?? { kind: 'sample', name: 'practice' },
  })
  expect((await composed.call('panel.get', {})).caller).not.toBe(caller)
})

test('a load is told by the page itself: when it began, and that nobody here caused it', async () => {
  const panel = await opened((response) => sendJson(response, 200, { fine: true }))
  const { composed } = panel
  const state = () => composed.call('panel.get', {})
  const loads = async () =>
    (await composed.call('panel.notes', { after: 0 })).notes.filter(({ kind }) => kind === 'load')
  const report = async (at: number, isReload: boolean) => {
    const script = await panel.requestAsPage('GET', '/__inspector/host.js')
    const load = Number(/const pageLoad = '(\d+)'/.exec(script.body)?.[1])
    await panel.requestAsPage('POST', '/__inspector/load', [], JSON.stringify({ load, at, isReload }))
    return state()
  }
  expect(await state()).toMatchObject({ load: 1, pageLoad: 0, loadedAt: null })
  const at = Date.now() - 5_000
  expect(await report(at, false)).toMatchObject({ load: 1, pageLoad: 1, loadedAt: at, loadedBecause: 'opened' })
  expect(await report(at + 1, true)).toMatchObject({ load: 1, pageLoad: 2, loadedAt: at + 1, loadedBecause: 'itself' })
  await composed.call('panel.reload', {})
  expect(await report(at + 2, true)).toMatchObject({
    load: 2,
    pageLoad: 3,
    loadedAt: at + 2,
    loadedBecause: 'reloaded',
  })
  const { loadedAt } = await report(Date.now() + 90_000, false)
  expect(loadedAt).toBeLessThanOrEqual(Date.now())
  expect((await loads()).map(({ text }) => text)).toEqual(['opened', 'itself', 'reloaded', 'opened'])
})
