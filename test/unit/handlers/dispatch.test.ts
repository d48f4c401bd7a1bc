import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDispatcher } from '../../../electron/handlers/dispatcher.ts'
import type { Handlers } from '../../../electron/handlers/app-ports.ts'
import { AppError } from '../../../shared/errors.ts'
import { ipcMethods } from '../../../shared/ipc/index.ts'
import type { CallReply } from '../../../shared/ipc/method-definition.ts'

const logged: string[] = []
const log = { info: () => undefined, warn: () => undefined, error: (message: string) => void logged.push(message) }

/** Every method returns its own name, unless the test passes something else. */
function dispatch(handlers: Partial<Record<keyof Handlers, (...args: never[]) => unknown>> = {}) {
  const all = Object.fromEntries(Object.keys(ipcMethods).map((name) => [name, () => ({ called: name })]))
  return createDispatcher({ ...all, ...handlers } as unknown as Handlers, log)
}
const call = (request: unknown): Promise<CallReply> => dispatch().call('page', request)
const code = (reply: CallReply): string | undefined => (reply.ok ? undefined : reply.error.code)

describe('safety 10: hostile input', () => {
  it('never throws and never reaches a handler', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }), async (request) => {
        const reply = await call(request)
        expect(reply.ok).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  it.each(Object.keys(ipcMethods))('is refused by %s if it is no object or has an unknown member', async (method) => {
    for (const input of [undefined, null, 7, 'x', true, [], [{}], { nobodyKnowsThis: 1 }]) {
      expect(code(await call({ id: '1', method, input })), JSON.stringify(input)).toBe('INPUT_INVALID')
    }
  })

  const read = { endpoint: 'studySets.tree', params: {}, query: {} }
  it.each<[string, unknown, string | undefined]>([
    ['app.info', {}, undefined],
    ['settings.update', {}, undefined],
    ['settings.update', { theme: 'dark' }, undefined],
    ['settings.update', { theme: 'pink' }, 'INPUT_INVALID'],
    ['settings.update', { theme: null }, 'INPUT_INVALID'],
    ['settings.update', { inspectorWidth: 240 }, undefined],
    ['settings.update', { inspectorWidth: 239 }, 'INPUT_INVALID'],
    ['settings.update', { inspectorWidth: 240.5 }, 'INPUT_INVALID'],
    ['settings.update', { inspectorWidth: '240' }, 'INPUT_INVALID'],
    ['settings.update', { inspectorWidth: Number.NaN }, 'INPUT_INVALID'],
    ['settings.update', { updateUrl: '' }, undefined],
    ['settings.update', { updateUrl: 'javascript:alert(1)' }, 'INPUT_INVALID'],
    ['bridge.read', read, undefined],
    ['bridge.read', { ...read, query: { limit: 5, cursor: 'c' } }, undefined],
    ['bridge.read', { ...read, query: { limit: [5] } }, 'INPUT_INVALID'],
    ['bridge.read', { ...read, maxBytes: 0 }, 'INPUT_INVALID'],
    ['bridge.read', { ...read, url: 'http://evil.example' }, 'INPUT_INVALID'],
    ['bridge.read', { endpoint: 'studySets.tree' }, 'INPUT_INVALID'],
    ['bridge.read', { ...read, endpoint: 'e'.repeat(301) }, 'INPUT_INVALID'],
    ['vault.forget', { profileId: 'p' }, undefined],
    ['vault.forget', { profileId: 7 }, 'INPUT_INVALID'],
    ['vault.forget', {}, 'INPUT_INVALID'],
    ['operations.send', { ticket: 't' }, undefined],
    ['operations.send', { ticket: null }, 'INPUT_INVALID'],
    ['operations.send', { ticket: 't', force: true }, 'INPUT_INVALID'],
    ['operations.list', { offset: 0, limit: 1000 }, undefined],
    ['operations.list', { offset: 0, limit: 1001 }, 'INPUT_INVALID'],
    ['operations.list', { offset: -1, limit: 10 }, 'INPUT_INVALID'],
    ['operations.list', { offset: 0, limit: 10, host: 'no address' }, 'INPUT_INVALID'],
  ])('is checked by %s: %j', async (method, input, expected) => {
    const reply = await call({ id: '1', method, input })
    expect(code(reply)).toBe(expected)
    if (reply.ok) expect(reply.value).toEqual({ called: method })
  })

  it.each([
    ['__proto__', 'METHOD_UNKNOWN'],
    ['constructor', 'METHOD_UNKNOWN'],
    ['toString', 'METHOD_UNKNOWN'],
    ['app.info\0', 'METHOD_UNKNOWN'],
    ['', 'METHOD_UNKNOWN'],
  ])('is refused for the unknown method %j', async (method, expected) => {
    expect(code(await call({ id: '1', method, input: {} }))).toBe(expected)
  })

  it('is refused for a member named __proto__', async () => {
    const input: unknown = JSON.parse('{"__proto__":{"polluted":true},"theme":"dark"}')
    const reply = await call({ id: '1', method: 'settings.update', input })
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    expect(code(reply)).toBe('INPUT_INVALID')
  })

  it('is limited in depth and size, and may contain NUL', async () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level += 1) deep = [deep]
    expect(code(await call({ id: '1', method: 'settings.update', input: deep }))).toBe('INPUT_TOO_LARGE')
    const large = 'x'.repeat(100 * 1024 * 1024)
    expect(code(await call({ id: '1', method: 'vault.set', input: { profileId: 'p', token: large } }))).toBe(
      'INPUT_TOO_LARGE',
    )
    const manyEntries = Array.from({ length: 300_000 }, () => 0)
    expect(code(await call({ id: '1', method: 'bridge.read', input: manyEntries }))).toBe('INPUT_TOO_LARGE')
    const nul = { endpoint: 'studySets.tree\0', params: {}, query: {} }
    expect((await call({ id: '1', method: 'bridge.read', input: nul })).ok).toBe(true)
  })

  it.each<[string, () => unknown]>([
    ['an array of four billion holes', () => Object.assign([], { length: 2 ** 32 - 1 })],
    [
      'a value that refers to itself',
      () => {
        const self: Record<string, unknown> = {}
        self['self'] = self
        return self
      },
    ],
    [
      'one value referred to a thousand million times',
      () => {
        let level: unknown = 'x'
        for (let depth = 0; depth < 9; depth += 1) level = Array.from({ length: 10 }, () => level)
        return level
      },
    ],
    ['a Map', () => new Map([['a', 1]])],
    ['a Set', () => new Set([1])],
    ['a Date', () => new Date(0)],
    ['bytes', () => new Uint8Array(8)],
    ['a buffer', () => new ArrayBuffer(8)],
    ['a big integer', () => 10n],
    ['100 MB of names', () => ({ ['n'.repeat(100 * 1024 * 1024)]: 1 })],
  ])('is handled if it is %s, where the contract allows any value', async (_name, value) => {
    const body = value()
    const reply = await call({ id: '1', method: 'bridge.read', input: { endpoint: 'e', params: {}, query: {}, body } })
    expect(code(reply)).toBe('INPUT_TOO_LARGE')
  })

  it('is not returned in full for a long unknown name', async () => {
    const params = { ['n'.repeat(50_000)]: 'x' }
    const reply = await call({ id: '1', method: 'bridge.read', input: { endpoint: 'e', params, query: {} } })
    expect(code(reply)).toBe('INPUT_INVALID')
    expect(JSON.stringify(reply).length).toBeLessThan(1_000)
  })

  it('is described by its location, never by its value', async () => {
    const reply = await call({
      id: '1',
      method: 'vault.set',
      input: { profileId: 7, token: ['mnb0.secret'], remember: 'x' },
    })
    expect(JSON.stringify(reply)).toContain('token')
    expect(JSON.stringify(reply)).not.toContain('mnb0.secret')
  })
})

describe('IPC calls', () => {
  it('safety 11: are cancelled in the handler by a cancel or when their page leaves', async () => {
    const ended: string[] = []
    const waiting = (_input: never, context: { signal: AbortSignal; caller: string }): Promise<never> =>
      new Promise((_resolve, reject) => {
        context.signal.addEventListener('abort', () => {
          ended.push(context.caller)
          reject(new AppError({ kind: 'cancelled', code: 'CANCELLED', message: 'Cancelled.', retryable: true }))
        })
      })
    const { call: ask, cancel, removeCaller: leave } = dispatch({ 'app.info': waiting })
    const first = ask('one', { id: 'a', method: 'app.info', input: {} })
    const second = ask('two', { id: 'a', method: 'app.info', input: {} })
    cancel('two', 'unknown')
    cancel('one', 'a')
    expect(code(await first)).toBe('CANCELLED')
    expect(ended).toEqual(['one'])
    leave('two')
    expect(code(await second)).toBe('CANCELLED')
  })

  it('safety 11: return at once when cancelled, while a handler that continues still counts', async () => {
    const finish: (() => void)[] = []
    const deaf = (): Promise<unknown> => new Promise<unknown>((resolve) => finish.push(() => resolve({})))
    const { call: ask, cancel } = dispatch({ 'app.info': deaf })
    const first = ask('p', { id: 'a', method: 'app.info', input: {} })
    cancel('p', 'a')
    expect(await first).toMatchObject({ ok: false, error: { kind: 'cancelled', code: 'CANCELLED' } })
    expect(code(await ask('p', { id: 'a', method: 'app.info', input: {} }))).toBe('CALL_DUPLICATE')
    finish[0]?.()
    await new Promise((resolve) => setImmediate(resolve))
    const second = ask('p', { id: 'a', method: 'app.info', input: {} })
    await expect.poll(() => finish.length).toBe(2)
    finish[1]?.()
    expect(await second).toMatchObject({ ok: true })
  })

  it('do not report an error thrown because of a cancel as a defect', async () => {
    const before = logged.length
    const { call: ask, cancel } = dispatch({
      'app.info': ((_: never, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        )) as never,
    })
    const reply = ask('p', { id: 'a', method: 'app.info', input: {} })
    cancel('p', 'a')
    expect(code(await reply)).toBe('CANCELLED')
    expect(logged.length).toBe(before)
  })

  it('need a unique id, and are limited in number', async () => {
    const { call: ask, removeCaller: leave } = dispatch({
      'app.info': ((_: never, { signal }: { signal: AbortSignal }) =>
        new Promise((resolve) => signal.addEventListener('abort', resolve))) as never,
    })
    const under = Array.from({ length: 256 }, (_, id) => ask('p', { id: String(id), method: 'app.info', input: {} }))
    expect(code(await ask('p', { id: '0', method: 'app.info', input: {} }))).toBe('CALL_DUPLICATE')
    expect(code(await ask('p', { id: 'x', method: 'app.info', input: {} }))).toBe('CALLS_TOO_MANY')
    leave('p')
    await Promise.all(under)
  })

  it('return a fixed message for a defect, whose details are logged', async () => {
    const { call: ask } = dispatch({
      'app.info': () => {
        throw new Error('at http://127.0.0.1/?key=secret')
      },
    })
    const reply = await ask('p', { id: '1', method: 'app.info', input: {} })
    expect(code(reply)).toBe('INTERNAL')
    expect(JSON.stringify(reply)).not.toContain('secret')
    expect(logged.length).toBeGreaterThan(0)
  })
})
