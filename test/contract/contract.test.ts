/** @module-tag slow */

import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { AppError, type WireError } from '../../shared/errors.ts'
import { ipcMethods } from '../../shared/ipc/index.ts'
import type { EventMessage, CallReply } from '../../shared/ipc/method-definition.ts'
import { clonedIpc, overHttp, type OwnHandlers, type TestTransport } from './transports.ts'

const open: TestTransport[] = []
afterEach(async () => {
  for (const transport of open.splice(0)) await transport.close()
})

/**
 * Runs the same calls on both transports, each with its own dispatcher, and returns both outcomes.
 */
async function onBoth<T>(
  createHandlers: () => OwnHandlers,
  run: (transport: TestTransport) => Promise<T>,
): Promise<[T, T]> {
  const outcomes: T[] = []
  for (const start of [clonedIpc, overHttp]) {
    const transport = await start(createHandlers())
    open.push(transport)
    outcomes.push(await run(transport))
  }
  return outcomes as [T, T]
}

const ask =
  (method: string, input: unknown, id = '1') =>
  ({ transport: host }: TestTransport): Promise<CallReply> =>
    host.call({ id, method, input })

/** Calls a method on both transports, expects equal replies and returns the reply. */
async function callBoth(handlers: OwnHandlers, method: string, input: unknown): Promise<CallReply> {
  const [ipc, http] = await onBoth(() => handlers, ask(method, input))
  expect(http).toEqual(ipc)
  return http
}

const read = { endpoint: 'e', params: {}, query: {} }
const echo: OwnHandlers = { 'bridge.read': ({ body }: { body?: unknown }) => ({ body }) }

const values: [string, unknown][] = [
  ['null', null],
  ['numbers', [0, -1, 0.1, 1e308, 2 ** 53, -(2 ** 53)]],
  ['texts', ['', 'a\0b', '解剖学 🫀', '\u202Eevil', 'line\u2028end', '\n\r\t"\\', 'data: x\n\n']],
  ['half of a pair', ['\ud800', '\udc00x']],
  ['empty things', { a: [], b: {}, c: '' }],
  ['names', { '': 1, '0': 2, constructor: 3, 'a.b': 4 }],
  [
    'a page of nodes',
    Array.from({ length: 5_000 }, (_, index) => ({ noteid: `n${index}`, title: '卡片', parent: index || null })),
  ],
]

const wire: WireError = {
  kind: 'host',
  code: 'rate_limited',
  status: 429,
  message: '请稍后再试',
  retryable: true,
  exchangeId: 'x-1',
  params: { host: '127.0.0.1:1', ms: 5 },
  retryAfterSeconds: 1.5,
  details: { dryRun: [1, { a: null }] },
}

const thrower = (thrown: unknown): OwnHandlers => ({
  'app.info': () => {
    throw thrown
  },
})

/**
 * Any value JSON can hold. Negative zero is excluded: a clone keeps it and JSON writes 0, the one
 * difference between the transports; no input of the contract distinguishes the two.
 */
const json = fc.jsonValue({ stringUnit: 'binary' }).map((value): unknown => JSON.parse(JSON.stringify(value)))

describe('values on both transports', () => {
  it.each(values)('pass unchanged: %s', async (_name, body) => {
    expect(await callBoth(echo, 'bridge.read', { ...read, body })).toEqual({ ok: true, value: { body } })
  })

  it('pass unchanged for any JSON', async () => {
    const [ipc, http] = [await clonedIpc(echo), await overHttp(echo)]
    open.push(http, ipc)
    let id = 0
    await fc.assert(
      fc.asyncProperty(json, async (body) => {
        id += 1
        const [first, two] = [ipc, http].map(ask('bridge.read', { ...read, body }, String(id)))
        const expected = { ok: true, value: { body } }
        expect([await first, await two]).toEqual([expected, expected])
      }),
      { numRuns: 150 },
    )
  })
})

describe('bytes on both transports', () => {
  const bytesOf = (size: number): ArrayBuffer =>
    Uint8Array.from({ length: size }, (_, index) => (index * 31 + (index >> 8)) & 255).buffer

  it.each([0, 1, 3, 4, 255, 70_000, 6_000_000])('pass %i bytes unchanged', async (size) => {
    const meta = { path: '/study-sets/解剖', status: 200 }
    const reply = await callBoth({ 'bridge.read': () => ({ meta, bytes: bytesOf(size) }) }, 'bridge.read', read)
    const { value } = reply as { value: { meta: unknown; bytes: ArrayBuffer } }
    expect(value.meta).toEqual(meta)
    expect(value.bytes).toBeInstanceOf(ArrayBuffer)
    expect(Buffer.from(value.bytes).equals(Buffer.from(bytesOf(size)))).toBe(true)
  })
})

describe('contents on both transports', () => {
  const slice = { handle: 'h', start: 3, end: 9 }

  it('pass a slice with its position', async () => {
    const meta = { start: 3, total: null }
    const bytes = Uint8Array.of(0, 255, 13, 10, 226, 130).buffer
    const reply = await callBoth({ 'content.slice': () => ({ meta, bytes }) }, 'content.slice', slice)
    const { value } = reply as { value: { meta: unknown; bytes: ArrayBuffer } }
    expect([value.meta, [...new Uint8Array(value.bytes)]]).toEqual([meta, [0, 255, 13, 10, 226, 130]])
  })

  it('are refused for invalid input', async () => {
    for (const input of [
      { ...slice, start: -1 },
      { ...slice, end: 0 },
      { ...slice, handle: 7 },
      { ...slice, more: 1 },
    ]) {
      expect(await callBoth({}, 'content.slice', input)).toMatchObject({ ok: false, error: { code: 'INPUT_INVALID' } })
    }
    const ref = { endpoint: 'notes.content', params: {}, query: {} }
    for (const input of [
      { ...ref, endpoint: 'notes.move' },
      { ...ref, url: 'http://x' },
      { ...ref, params: { a: 1 } },
    ]) {
      expect(await callBoth({}, 'content.open', input)).toMatchObject({ ok: false, error: { code: 'INPUT_INVALID' } })
    }
  })

  it('get an address that contains only the escaped handle', async () => {
    const [ipc, http] = await onBoth(
      () => ({}),
      async ({ transport: host }) => [
        host.getContentUrl('a-b_c'),
        host.getContentUrl('a/../b?c#d', { download: true }),
      ],
    )
    expect(ipc).toEqual([
      'bridge-content://bridge-inspector/a-b_c',
      'bridge-content://bridge-inspector/a%2F..%2Fb%3Fc%23d',
    ])
    expect(http).toEqual(['/content/a-b_c', '/content/a%2F..%2Fb%3Fc%23d?download=1'])
  })
})

describe('errors on both transports', () => {
  it('pass an error with all its details', async () => {
    expect(await callBoth(thrower(new AppError(wire)), 'app.info', {})).toEqual({ ok: false, error: wire })
  })

  it.each([new Error('secret path /home/x'), 'text', null, undefined, { kind: 'host', code: 'x' }])(
    'hide the details of defect %#',
    async (thrown) => {
      const reply = await callBoth(thrower(thrown), 'app.info', {})
      expect(reply).toMatchObject({ ok: false, error: { kind: 'internal', code: 'INTERNAL' } })
      expect(JSON.stringify(reply)).not.toContain('/home/x')
    },
  )

  describe('with one start for all methods', () => {
    let transports: readonly TestTransport[] = []
    let id = 0
    beforeAll(async () => {
      transports = [await clonedIpc({}), await overHttp({})]
    })
    afterAll(async () => {
      for (const transport of transports) await transport.close()
    })

    it.each(Object.keys(ipcMethods))('report input that %s does not accept', async (method) => {
      for (const input of [null, 7, 'x', [], { unknown: 1 }, JSON.parse('{"__proto__":{"polluted":1}}')]) {
        id += 1
        const [ipc, http] = await Promise.all(transports.map(ask(method, input, String(id))))
        expect(http).toEqual(ipc)
        expect(ipc?.ok || ipc?.error.code).toMatch(/^INPUT_INVALID$/)
      }
    })
  })

  it.each(['no.such', '__proto__', 'constructor', '', 'app.info\0'])('report the unknown method %j', async (method) => {
    expect(await callBoth({}, method, {})).toMatchObject({ ok: false, error: { code: 'METHOD_UNKNOWN' } })
  })

  it.each([
    ['an empty id', { id: '', method: 'app.info', input: {} }],
    ['a long id', { id: 'i'.repeat(101), method: 'app.info', input: {} }],
    ['an id that is no text', { id: 7, method: 'app.info', input: {} }],
    ['an unknown member', { id: '1', method: 'app.info', input: {}, caller: 'other' }],
  ])('report a request with %s', async (_name, request) => {
    const [ipc, http] = await onBoth(
      () => ({}),
      ({ transport: host }) => host.call(request as never),
    )
    expect(http).toEqual(ipc)
    expect(http).toMatchObject({ ok: false, error: { code: 'REQUEST_MALFORMED' } })
  })

  it('safety 10: report inputs of 100 MB and inputs that are nested too deeply', async () => {
    const token = 'x'.repeat(100 * 1024 * 1024)
    const reply = await callBoth({}, 'vault.set', { profileId: 'p', token, remember: false })
    expect(reply).toMatchObject({ ok: false, error: { kind: 'refused', code: 'INPUT_TOO_LARGE' } })
    const body: unknown = JSON.parse('['.repeat(1_000) + ']'.repeat(1_000))
    expect(await callBoth(echo, 'bridge.read', { ...read, body })).toMatchObject({ error: { code: 'INPUT_TOO_LARGE' } })
  })
})

describe('ends of calls on both transports', () => {
  it('safety 11: a cancel reaches the handler, and the page receives the error', async () => {
    let arrivedCount = 0
    const outcomes = await onBoth<[CallReply, string[]]>(
      () => ({
        'app.info': (_, { signal }) => {
          arrivedCount += 1
          return new Promise((resolve) => signal.addEventListener('abort', resolve))
        },
      }),
      async ({ transport: host }) => {
        const before = arrivedCount
        const reply = host.call({ id: 'a', method: 'app.info', input: {} })
        const other = host.call({ id: 'b', method: 'app.info', input: {} })
        host.cancel('unknown')
        await expect.poll(() => arrivedCount).toBe(before + 2)
        host.cancel('a')
        const ended: string[] = []
        void other.then(() => ended.push('b'))
        const heard = await reply
        const remaining = [...ended]
        host.cancel('b')
        await other
        return [heard, remaining]
      },
    )
    expect(outcomes[1]).toEqual(outcomes[0])
    expect(outcomes[0]).toMatchObject([{ ok: false, error: { kind: 'cancelled', code: 'CANCELLED' } }, []])
  })

  it('safety 11: a cancelled call does no further work', async () => {
    const signals: AbortSignal[] = []
    await onBoth(
      () => ({
        'app.info': (_, { signal }) => {
          signals.push(signal)
          return new Promise(() => undefined)
        },
      }),
      async ({ transport: host }) => {
        const before = signals.length
        const reply = host.call({ id: 'a', method: 'app.info', input: {} })
        await expect.poll(() => signals.length).toBe(before + 1)
        host.cancel('a')
        await reply
        await expect.poll(() => signals[before]?.aborted).toBe(true)
      },
    )
    expect(signals).toHaveLength(2)
  })

  it('a call with an id that is already in use is rejected', async () => {
    let arrived = 0
    const [ipc, http] = await onBoth(
      () => ({
        'app.info': (_, { signal }) => {
          arrived += 1
          return new Promise((resolve) => signal.addEventListener('abort', resolve))
        },
      }),
      async ({ transport: host }) => {
        const before = arrived
        const first = host.call({ id: 'a', method: 'app.info', input: {} })
        await expect.poll(() => arrived).toBe(before + 1)
        const second = await host.call({ id: 'a', method: 'app.info', input: {} })
        host.cancel('a')
        return [await first, second]
      },
    )
    expect(http).toEqual(ipc)
    expect(http).toMatchObject([{ error: { code: 'CANCELLED' } }, { error: { code: 'CALL_DUPLICATE' } }])
  })

  it('concurrent calls each get their own reply', async () => {
    const [ipc, http] = await onBoth(
      () => echo,
      ({ transport: host }) =>
        Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            host.call({ id: String(index), method: 'bridge.read', input: { ...read, body: index } }),
          ),
        ),
    )
    expect(http).toEqual(ipc)
    expect(http.map((reply) => reply.ok && (reply.value as { body: number }).body)).toEqual([...Array(100).keys()])
  })
})

describe('pushes on both transports', () => {
  it('arrive completely and in order until the page stops listening', async () => {
    const events: EventMessage[] = values.map(([name, payload]) => ({ topic: `test.${name}`, payload }))
    const [ipc, http] = await onBoth(
      () => ({}),
      async ({ transport: host, publish }) => {
        const heard: EventMessage[] = []
        const states: boolean[] = []
        const stop = host.listen(
          (event) => heard.push(event),
          (connected) => states.push(connected),
        )
        await expect.poll(() => states).toEqual([true])
        for (const event of events) publish(event)
        await expect.poll(() => heard.length).toBe(events.length)
        stop()
        publish({ topic: 'test.late', payload: null })
        await new Promise((resolve) => setTimeout(resolve, 50))
        return { heard, states }
      },
    )
    expect(http).toEqual(ipc)
    expect(http.heard).toEqual(events)
  })
})
