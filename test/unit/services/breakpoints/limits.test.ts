import { Readable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readBoundedBody } from '../../../../electron/services/breakpoints/bounded-body.ts'
import { createBreakpoints } from '../../../../electron/services/breakpoints/breakpoints.ts'
import { createBus } from '../../../../electron/services/bus.ts'
import { beginLocalExchange } from '../../../../electron/services/panel/policy/local-exchange.ts'
import { createMemoryStore } from '../../../../electron/services/traffic/memory-store.ts'
import { createRecorder } from '../../../../electron/services/traffic/recorder.ts'
import { getEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { MAX_HELD_CALLS } from '../../../../shared/panel/breakpoints.ts'
import type { PendingExchange } from '../../../../electron/core/protocol/rules/rule-engine.ts'
import { PANEL_ORIGIN, HOST, RuleRecording } from '../../../support/services/rule-recording.ts'

function startBreakpoints() {
  const heldCallers: PendingExchange[] = []
  const breakpoints = createBreakpoints({
    bus: createBus(),
    holdsToken: (text) => text.includes('secret'),
    checkHost: () => Promise.resolve(),
    recorder: {
      recordHold(caller) {
        heldCallers.push(caller)
        return () => void heldCallers.splice(heldCallers.indexOf(caller), 1)
      },
    },
  })
  breakpoints.setHoldingAll(true)
  const call = {
    method: 'GET',
    path: '/notes/N',
    origin: PANEL_ORIGIN,
    host: HOST,
    endpoint: null,
    authHeader: 'X-Key',
    isHeaderSent: () => true,
    assertPathSent: () => undefined,
    isHostConnected: () => true,
  }
  const hold = (body: Buffer | null = null, signal = new AbortController().signal) => {
    const response = { status: 200, headers: [], body }
    const holds = breakpoints.begin(call)
    if (!holds) throw new Error('not held')
    return holds.hold({ point: 'response', request: { headers: [['X-Key', 'a']], body: null }, response }, signal)
  }
  return { breakpoints, hold, heldCallers }
}

test('the number of held calls and their bytes are limited; beyond it a call goes on and is counted', async () => {
  const { breakpoints, hold, heldCallers } = startBreakpoints()
  const large = Buffer.alloc(40 * 1024 * 1024)
  const first = hold(large)
  expect(await hold(large)).toMatchObject({ kind: 'continue' })
  const others = Array.from({ length: MAX_HELD_CALLS - 1 }, () => hold())
  expect(await hold()).toMatchObject({ kind: 'continue', edited: [] })
  expect(breakpoints.state().lapses).toEqual([{ reason: 'full', count: 2 }])
  expect(heldCallers).toHaveLength(MAX_HELD_CALLS)
  breakpoints.close()
  expect(new Set((await Promise.all([first, ...others])).map(({ kind }) => kind))).toEqual(new Set(['gone']))
  expect(breakpoints.state().held).toEqual([])
  expect(heldCallers).toEqual([])
})

test('a body with a token or with bytes cannot be edited, and the header for the token is not shown', async () => {
  const { breakpoints, hold } = startBreakpoints()
  const results = [hold(Buffer.from('a secret')), hold(Buffer.from([0xff, 0])), hold(Buffer.from('plain'))]
  const details = breakpoints.state().held.map(({ id }) => breakpoints.getHeld(id))
  expect(details.map(({ response }) => response?.isBodyEditable)).toEqual([false, false, true])
  expect(details[0]?.request.headers).toEqual([])
  breakpoints.setHoldingAll(false)
  expect((await Promise.all(results)).map(({ kind }) => kind)).toEqual(['continue', 'continue', 'continue'])
})

test('a body beyond the limit, and one that breaks off, stay streams with the same content', async () => {
  const read = async (body: Readable): Promise<string> => {
    const { body: result } = await readBoundedBody(body, { maxBytes: 5, maxMs: 60_000, reserve: () => true })
    if (Buffer.isBuffer(result)) return `whole ${result.toString()}`
    let text = ''
    try {
      for await (const piece of result) text += String(piece)
    } catch (error) {
      return `${text} then ${(error as Error).message}`
    }
    return text
  }
  async function* breakOff(): AsyncGenerator<Buffer> {
    yield Buffer.from('abc')
    await Promise.resolve()
    throw new Error('cut')
  }
  expect(await read(Readable.from([Buffer.from('ab'), Buffer.from('cde')]))).toBe('whole abcde')
  expect(await read(Readable.from([Buffer.from('abcd'), Buffer.from('ef'), Buffer.from('gh')]))).toBe('abcdefgh')
  expect(await read(Readable.from(breakOff()))).toBe('abc then cut')
})

test('all bodies that are read share the memory for held calls, and a slow one goes on', async () => {
  const { breakpoints } = startBreakpoints()
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.alloc(7 * 1024 * 1024)
    await new Promise(() => undefined)
  }
  const waiting = Array.from({ length: 9 }, () => Readable.from(endless()))
  for (const body of waiting) void breakpoints.readBody(body)
  await vi.waitFor(() => expect(waiting.every(({ readableDidRead }) => readableDidRead)).toBe(true))
  expect(await breakpoints.readBody(Readable.from([Buffer.alloc(2 * 1024 * 1024)]))).toMatchObject({ lapse: 'full' })
  async function* slow(): AsyncGenerator<Buffer> {
    yield Buffer.from('ab')
    await new Promise((resolve) => setTimeout(resolve, 50))
    yield Buffer.from('cd')
  }
  const { body, lapse } = await readBoundedBody(Readable.from(slow()), { maxBytes: 5, maxMs: 1, reserve: () => true })
  expect([lapse, String(await Readable.from(body).reduce((text: string, piece) => text + String(piece), ''))]).toEqual([
    'too-slow',
    'abcd',
  ])
})

test('no finding accuses the caller of a call that a person held', () => {
  const recording = new RuleRecording()
  const readBurst = (isHeld: boolean): void => {
    for (let count = 0; count < 5; count += 1)
      recording.send('GET', '/study-sets/T-1/note-palette', { isHeld, durationMs: 1 })
  }
  readBurst(true)
  expect(recording.brokenRules).toEqual([])
  recording.send('POST', '/notes/N-1/practice-verdict', { isHeld: true, body: { confirm: true } })
  recording.rules.forgetCaller({ origin: PANEL_ORIGIN, host: HOST })
  recording.waitAndTick()
  expect(recording.brokenRules).toEqual([])
  readBurst(false)
  expect(recording.brokenRules).toEqual(['read-burst'])
})

test('what a person or an override answers does not become the limits of the host', () => {
  const noteIds = Array.from({ length: 150 }, (_, index) => `N-${index}`)
  const findBrokenRules = (isHostResponse: boolean): string[] => {
    const recording = new RuleRecording()
    const response = { bridgeApiVersion: '1', app: 'Host', routes: [], noteMetadata: { maxNoteIds: 100 } }
    recording.get('/capabilities', { response, isHostResponse })
    recording.post('/notes/batch-get', { noteIds })
    return recording.brokenRules
  }
  expect(findBrokenRules(true)).toEqual(['parameter-out-of-range'])
  expect(findBrokenRules(false)).toEqual([])
})

test('the caller of a held call counts as pending, and is forgotten when the call goes on', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const ticks: (readonly PendingExchange[])[] = []
  const forgottenCallers: PendingExchange[] = []
  const recorder = createRecorder({
    bus: createBus(),
    getMaxBodyBytes: () => 1_000,
    conceal: (text) => text,
    createStore: (onChange) => ({
      ...createMemoryStore({ reason: 'TRAFFIC_STOPPED', onChange }),
      checkPending: (_, pending) => void ticks.push(pending),
      recordHold: (caller) => void forgottenCallers.push(caller),
    }),
  })
  const caller = { origin: PANEL_ORIGIN, host: HOST }
  const endHold = recorder.recordHold(caller)
  const call = { method: 'GET', path: '/status', headers: [], body: null, bodyBytes: 0 }
  const start = { startedAt: Date.now(), startedMs: performance.now() }
  const endpoint = getEndpointById('status.get')
  beginLocalExchange(recorder, { call, endpoint, origin: PANEL_ORIGIN, target: null, rule: 'x', ...start })(null)
  vi.advanceTimersByTime(3_000)
  expect(ticks).toEqual([[caller]])
  endHold()
  vi.advanceTimersByTime(3_000)
  expect(ticks).toEqual([[caller], []])
  expect(forgottenCallers).toEqual([caller])
})
