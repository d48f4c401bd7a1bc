/** @module-tag slow */

import http from 'node:http'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startDirectPanelListener } from '../../../../electron/browser-host/panel-listener.ts'
import { OVERRIDES_FILE } from '../../../../shared/panel/overrides.ts'
import {
  buildSpoiledPath,
  listWrites,
  resentStatuses,
  spoilings,
  startSpoilingHost,
  type Spoiling,
} from '../../../support/hosts/spoiling-host.ts'
import type { MisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'
import { createPanelFolder, openPanel, type OpenPanel } from '../../../support/program/panel.ts'

let host: MisbehavingHost
beforeEach(async () => {
  host = await startSpoilingHost()
})
afterEach(() => host.close())

async function openWritingPanel(files: Readonly<Record<string, string>> = {}): Promise<OpenPanel> {
  const panel = await openPanel(createPanelFolder(files), host.baseUrl, false)
  await panel.composed.call('panel.configure', { writes: 'let-through' })
  return panel
}

const body = JSON.stringify({ self: 'again', practice: { topic: 'T-1' } })

interface Target {
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
  readonly agent: http.Agent
}

/** Returns the status of a response, or the code of the error that a client gets instead. */
const send = (
  { port, headers, agent }: Target,
  method: string,
  path: string,
  more: Readonly<Record<string, string>> = {},
): Promise<number | string> =>
  new Promise((resolve) => {
    const options = { port, host: '127.0.0.1', method, path, agent }
    const request = http.request(
      { ...options, headers: { ...headers, ...more, 'Content-Type': 'application/json' } },
      (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0))
        response.once('error', ({ message }) => resolve(message))
      },
    )
    request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    request.end(method === 'POST' ? body : undefined)
  })

function createTarget(port: number, host_: string): Target {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return { port, agent, headers: { Host: host_, 'Sec-Fetch-Site': 'same-origin', Origin: `http://${host_}` } }
}

/** A network error that no browser repeats: it is a response, but not a valid one. */
const INVALID_RESPONSE = /^HPE_/

const names = (Object.keys(spoilings) as Spoiling[]).filter((name) => name !== 'stall')

describe('safety 83: a write whose response is spoiled', () => {
  for (const door of ['browser host', 'panel command']) {
    test(`reaches the host once, and ends without a lost connection (${door})`, async () => {
      const panel = await openWritingPanel()
      let target = createTarget(panel.port, panel.host)
      if (door === 'panel command') {
        const listener = await startDirectPanelListener(panel.composed.app.panel)
        onTestFinished(() => listener.close())
        const { url } = await panel.composed.call('panel.get', {})
        const { port, host: directHost } = new URL(url ?? '')
        target = createTarget(Number(port), directHost)
      }
      for (const name of names) {
        expect(await send(target, 'POST', buildSpoiledPath(name, 'first')), name).toMatch(INVALID_RESPONSE)
        expect(await send(target, 'GET', '/bridge/v1/ui-state')).toBe(200)
        expect(await send(target, 'POST', buildSpoiledPath(name, 'reused')), name).toMatch(INVALID_RESPONSE)
      }
      const expected = names.flatMap((name) => ['first', 'reused'].map((kind) => buildSpoiledPath(name, kind)))
      expect(listWrites(host)).toEqual(expected.sort())
      const { items } = await panel.composed.call('operations.list', { offset: 0, limit: 50 })
      expect(items.map(({ state }) => state)).toEqual(expected.map(() => 'unknown-no-answer'))
    })
  }
})

test('a write of a recorded client is relayed once, however its response is spoiled', async () => {
  const { composed } = await openWritingPanel()
  const { baseUrl, key } = await composed.call('clientProxy.start', {})
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const { port } = new URL(baseUrl ?? '')
  const target = { port: Number(port), agent, headers: { Authorization: `Bearer ${key}` } }
  for (const name of names) {
    expect(await send(target, 'POST', buildSpoiledPath(name, 'first')), name).not.toBe(200)
    expect(await send(target, 'GET', '/bridge/v1/ui-state')).toBe(200)
    expect(await send(target, 'POST', buildSpoiledPath(name, 'reused')), name).not.toBe(200)
  }
  const expected = names.flatMap((name) => ['first', 'reused'].map((kind) => buildSpoiledPath(name, kind)))
  expect(listWrites(host)).toEqual(expected.sort())
  const listStates = async () =>
    (await composed.call('operations.list', { offset: 0, limit: 50 })).items.map(({ state }) => state)
  await expect.poll(listStates).toEqual(expected.map(() => 'unknown-no-answer'))
})

const ID = { 'x-inspector-call': '0123456789ab-1' }

async function fetchRows({ composed }: OpenPanel) {
  const { bytes } = await composed.call('traffic.find', { filter: {}, sort: { by: 'time', descending: false } })
  const { rows } = await composed.call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })
  return rows.filter(({ origin }) => origin.kind === 'panel')
}

test('a call that a browser sends again by itself is refused, and is listed as a repetition', async () => {
  const panel = await openWritingPanel()
  const target = createTarget(panel.port, panel.host)
  const path = buildSpoiledPath('empty', 'repeated')
  for (let count = 0; count < 3; count += 1) expect(await send(target, 'POST', path, ID)).toMatch(INVALID_RESPONSE)
  expect(await send(target, 'GET', '/bridge/v1/ui-state', { 'x-inspector-call': '0123456789ab-2' })).toBe(200)
  expect(await send(target, 'GET', '/bridge/v1/ui-state', { 'x-inspector-call': '0123456789ab-2' })).toMatch(
    INVALID_RESPONSE,
  )
  expect(listWrites(host)).toEqual([path])
  expect(host.requests.filter((request) => request.path === '/bridge/v1/ui-state')).toHaveLength(1)
  const repetition = { rule: 'repeated', state: 'failed', errorCode: 'REPEATED_BY_BROWSER' }
  await expect.poll(() => fetchRows(panel)).toMatchObject([{ rule: null }, repetition, repetition, {}, repetition])
  const [, row] = await fetchRows(panel)
  const { call } = await panel.composed.call('panel.call', { exchangeId: row?.id ?? '' })
  expect(call).toMatchObject({ decision: 'repeated', reason: { code: 'repeated-by-browser' }, operationId: null })
  expect((await panel.composed.call('operations.list', { offset: 0, limit: 10 })).total).toBe(1)
})

test.each(resentStatuses)(
  'the status %s, after which browsers repeat a write, causes no second write',
  async (status) => {
    const panel = await openWritingPanel()
    const target = createTarget(panel.port, panel.host)
    const path = buildSpoiledPath(status, 'with-id')
    expect(await send(target, 'POST', path, ID)).toBe(Number(status))
    // A redirected write is not followed; the browser shows the page another status in the end.
    const repeated = status.startsWith('3') ? expect.stringMatching(INVALID_RESPONSE) : Number(status)
    for (let count = 0; count < 3; count += 1) expect(await send(target, 'POST', path, ID)).toEqual(repeated)
    // Nothing tells a repetition of a call without an id from another call.
    const otherPath = buildSpoiledPath(status, 'without-id')
    expect(await send(target, 'POST', otherPath)).toMatch(INVALID_RESPONSE)
    expect(listWrites(host)).toEqual([path, otherPath])
    const reasons = []
    for (const { id } of await fetchRows(panel)) {
      const { call } = await panel.composed.call('panel.call', { exchangeId: id })
      reasons.push(call?.reason.code)
    }
    const repetitions = Array(3).fill('repeated-by-browser')
    expect(reasons).toEqual(['write-let-through', ...repetitions, 'repeatable-status'])
  },
)

test('a read whose response breaks off after its head has a head, so that no browser repeats it', async () => {
  const panel = await openWritingPanel()
  const target = createTarget(panel.port, panel.host)
  expect(await send(target, 'GET', buildSpoiledPath('reset-after-head', 'read'))).toBe('aborted')
})

test('a read that a browser repeats after a status is not sent again, either', async () => {
  const panel = await openWritingPanel()
  const target = createTarget(panel.port, panel.host)
  const path = buildSpoiledPath('421', 'with-id')
  for (let count = 0; count < 3; count += 1) expect(await send(target, 'GET', path, ID)).toBe(421)
  const otherPath = buildSpoiledPath('421', 'without-id')
  expect(await send(target, 'GET', otherPath)).toMatch(INVALID_RESPONSE)
  expect(listWrites(host)).toEqual([path, otherPath])
})

test('a redirect of a read is followed, because the next request is another read', async () => {
  const panel = await openWritingPanel()
  const target = createTarget(panel.port, panel.host)
  const path = '/bridge/v1/notes/307.read/practice-verdict'
  for (let count = 0; count < 2; count += 1) expect(await send(target, 'GET', path, ID)).toBe(307)
  expect(listWrites(host)).toEqual([path, path])
})

test('a held call that a person lets fail, and an override that breaks one, end without a lost connection', async () => {
  const broken = { method: 'POST', path: '/notes/broken/practice-verdict' }
  const overrides = {
    version: 1,
    rules: [{ name: 'Broken', match: broken, answer: { kind: 'fault', fault: 'reset' } }],
  }
  const panel = await openWritingPanel({ [OVERRIDES_FILE]: JSON.stringify(overrides) })
  const target = createTarget(panel.port, panel.host)
  expect(await send(target, 'POST', '/bridge/v1/notes/broken/practice-verdict')).toMatch(INVALID_RESPONSE)
  const match = { method: 'POST', path: '/notes/{noteid}/practice-verdict' }
  const rule = { id: 'r', on: true, at: 'request', isErrorOnly: false, waitSeconds: 60, match } as const
  await panel.composed.call('breakpoints.save', { rules: [rule] })
  const failing = send(target, 'POST', buildSpoiledPath('empty', 'held'))
  const listHeld = async () => (await panel.composed.call('breakpoints.get', {})).held
  await expect.poll(listHeld).toHaveLength(1)
  const [heldCall] = await listHeld()
  await panel.composed.call('breakpoints.resume', { id: heldCall?.id ?? '', resumption: { kind: 'fail' } })
  expect(await failing).toMatch(INVALID_RESPONSE)
  expect(await listHeld()).toEqual([])
  await panel.composed.call('breakpoints.save', { rules: [] })
  expect(listWrites(host)).toEqual([])
})
