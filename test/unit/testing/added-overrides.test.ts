import { expect, onTestFinished, test } from 'vitest'
import * as kit from '../../../testing/index.ts'
import type { HostApi, Panel, PanelOptions } from '../../../testing/api.ts'

async function startPanel(options: PanelOptions = {}): Promise<Panel> {
  const panel = await kit.startPanel(options)
  onTestFinished(async () => void (await panel.close()))
  return panel
}

function createApi(...options: Parameters<typeof kit.hostApi>): HostApi {
  const api = kit.hostApi(...options)
  onTestFinished(async () => void (await api.close()))
  return api
}

/** Calls the host as the panel's page does. */
async function call({ url }: Panel, path: string, init?: RequestInit): Promise<{ status: number; body: unknown }> {
  const response = await fetch(new URL(`/bridge/v1${path}`, url), init)
  return { status: response.status, body: await response.json() }
}

const status = { path: '/status' } as const
const ownResponse = { status: 200, body: { app: 'Own' } }
const hostResponse = { status: 200, body: expect.objectContaining({ app: 'Demo Notes' }) as unknown }

test('an override is added during a test, counts its calls, and is removed', async () => {
  const panel = await startPanel({ overrides: [{ match: status, answer: { body: { app: 'Fixed' } } }] })
  const override = panel.override(status, { body: { app: 'Own' } })
  expect(await call(panel, '/status')).toEqual(ownResponse)
  const newer = panel.override(status, { status: 503, body: { error: { code: 'BUSY' } } })
  expect(await call(panel, '/status')).toEqual({ status: 503, body: { error: { code: 'BUSY' } } })
  newer.remove()
  expect(await call(panel, '/status')).toEqual(ownResponse)
  override[Symbol.dispose]()
  override.remove()
  expect(await call(panel, '/status')).toEqual({ status: 200, body: { app: 'Fixed' } })
  expect([override.count, newer.count]).toEqual([2, 1])
  expect((await panel.calls()).map(({ decision }) => decision)).toEqual(Array(4).fill('override'))
})

test('a handler answers by the request, or leaves it to the next override and the host', async () => {
  const panel = await startPanel()
  panel.override({ path: '/study-sets/{topicid}/tree' }, ({ method, params, query }) => ({
    body: { method, params, query },
  }))
  const requestBodies: unknown[] = []
  panel.override({ path: '/*' }, async (request) => {
    requestBodies.push(request.body)
    await Promise.resolve()
    if (request.path === '/study-sets/missing/tree') return { status: 404, body: '{}' }
    return undefined
  })
  expect(await call(panel, '/study-sets/missing/tree')).toEqual({ status: 404, body: {} })
  expect(await call(panel, '/study-sets/a%20b/tree?x=1&x=2')).toEqual({
    status: 200,
    body: { method: 'GET', params: { topicid: 'a b' }, query: { x: '2' } },
  })
  const headers = { 'Content-Type': 'application/json' }
  await call(panel, '/notes/batch-get', { method: 'POST', headers, body: '{"noteIds":[]}' })
  expect(await call(panel, '/status')).toEqual(hostResponse)
  expect(requestBodies).toEqual([undefined, undefined, { noteIds: [] }, undefined])
})

test('an override answers once, the nth call, or until another call', async () => {
  const panel = await startPanel()
  panel.override(status, { body: { app: 'Own' } }, { once: true })
  expect([await call(panel, '/status'), await call(panel, '/status')]).toEqual([ownResponse, hostResponse])

  const nth = panel.override({ ...status, nth: 2 }, { body: { app: 'Own' } })
  expect([await call(panel, '/status'), await call(panel, '/status')]).toEqual([hostResponse, ownResponse])
  nth.remove()

  panel.override(status, { body: { app: 'Own' } }, { until: { path: '/ui-state' } })
  expect([await call(panel, '/status'), await call(panel, '/status')]).toEqual([ownResponse, ownResponse])
  await call(panel, '/ui-state')
  expect(await call(panel, '/status')).toEqual(hostResponse)

  panel.override(status, { body: { app: 'Own' } }, { until: { ...status, nth: 2 } })
  expect([await call(panel, '/status'), await call(panel, '/status')]).toEqual([ownResponse, hostResponse])
})

test('of calls at the same time, one gets the answer of a handler for one call', async () => {
  const panel = await startPanel()
  const { promise: isDecided, resolve: decide } = Promise.withResolvers<undefined>()
  const override = panel.override(
    status,
    async () => {
      await isDecided
      return { body: { app: 'Own' } }
    },
    { once: true },
  )
  const first = call(panel, '/status')
  await expect.poll(() => panel.calls()).toHaveLength(0)
  expect(await call(panel, '/ui-state')).toMatchObject({ status: 200 })
  const second = call(panel, '/status')
  await second
  decide(undefined)
  expect([await first, await second]).toEqual([ownResponse, hostResponse])
  expect(override.count).toBe(1)
})

test('a handler that throws or returns no answer gives the page an error that says so', async () => {
  const panel = await startPanel()
  const thrown = panel.override(status, () => {
    throw new Error('Not today.')
  })
  expect(await call(panel, '/status')).toEqual({
    status: 502,
    body: { error: { code: 'OVERRIDE_FAILED', message: expect.stringContaining('Not today.') as string } },
  })
  thrown.remove()
  panel.override(status, (() => ({ stauts: 200, body: '' })) as never)
  expect(await call(panel, '/status')).toMatchObject({
    body: { error: { message: expect.stringContaining('answer.stauts: there is no such member') as string } },
  })
})

test('a handler that never answers ends with the call', async () => {
  const panel = await startPanel()
  const { promise: isAsked, resolve: onAsked } = Promise.withResolvers<undefined>()
  panel.override(status, () => {
    onAsked(undefined)
    return new Promise<never>(() => undefined)
  })
  const abort = new AbortController()
  const pending = expect(call(panel, '/status', { signal: abort.signal })).rejects.toThrow('aborted')
  await isAsked
  abort.abort()
  await pending
  await panel.close()
})

test('host.api takes overrides before its first call', async () => {
  const api = createApi()
  const override = api.override(status, () => ({ body: { app: 'Own' } }))
  expect(await api('/status')).toEqual({ app: 'Own' })
  override.remove()
  expect(await api('/status')).toMatchObject({ app: 'Demo Notes' })
})

test('the next call that fits is held, and goes on, is answered or aborted', async () => {
  const panel = await startPanel()
  const holding = panel.hold(status)
  const changed = call(panel, '/status')
  const heldCall = await holding
  expect(heldCall).toMatchObject({ point: 'response', method: 'GET', path: '/status', status: 200 })
  // Only one call is held.
  expect(await call(panel, '/status')).toEqual(hostResponse)
  await heldCall.continue({ body: '{"app":"Own"}' })
  expect(await changed).toEqual(ownResponse)

  const holdingRequest = panel.hold(status, { at: 'request' })
  const responded = call(panel, '/status')
  await (await holdingRequest).respond({ status: 418, body: '{}' })
  expect(await responded).toEqual({ status: 418, body: {} })

  const holdingAgain = panel.hold({ path: '/*' })
  const aborted = expect(call(panel, '/status')).rejects.toThrow('fetch failed')
  await (await holdingAgain).abort()
  await aborted
})

test('each of two holds gets its own call, beside the breakpoints of a test', async () => {
  const panel = await startPanel()
  await panel.held.set([{ match: { path: '/ui-state' } }])
  const second = panel.hold({ ...status, nth: 2 })
  const first = panel.hold(status)
  const calls = [call(panel, '/status'), call(panel, '/ui-state')]
  const firstCall = await first
  expect(firstCall.path).toBe('/status')
  expect((await panel.held.next()).path).toBe('/ui-state')
  // The count of the other one goes on although a rule is gone.
  calls.push(call(panel, '/status'))
  const secondCall = await second
  expect(secondCall.id).not.toBe(firstCall.id)
  await secondCall.continue()
  await firstCall.continue()
  await panel.held.continue((await panel.held.next()).id)
  expect((await Promise.all(calls)).map((response) => response.status)).toEqual([200, 200, 200])
})

test('a hold ends with the panel, also if nobody awaits it', async () => {
  const panel = await startPanel()
  void panel.hold(status)
  const holding = panel.hold(status)
  await panel.close()
  await expect(holding).rejects.toThrow('The panel is closed.')
})

test('unknown options and wrong values are refused by their names', async () => {
  const panel = await startPanel()
  // Each of these is a mistake of its types, too.
  // @ts-expect-error -- the option is called `writes`
  await expect(kit.startPanel({ write: 'allow' })).rejects.toThrow('startPanel: write: there is no such member')
  // @ts-expect-error -- no such value
  await expect(kit.startPanel({ writes: 'always' })).rejects.toThrow('startPanel: writes: ')
  // @ts-expect-error -- no number
  await expect(kit.startDemoHost({ nodes: 'x' })).rejects.toThrow('nodes takes a whole number from 1 to 1000000')
  // @ts-expect-error -- the option is called `latencyMs`
  await expect(kit.startDemoHost({ latency: 5 })).rejects.toThrow('startDemoHost: latency: there is no such member')
  // @ts-expect-error -- the option is called `writes`
  expect(() => kit.hostApi({ write: 'allow' })).toThrow('hostApi: write: there is no such member')
  // @ts-expect-error -- a matcher needs a path
  await expect(panel.held.set([{ match: {} }])).rejects.toThrow('breakpoints[0]: match.path: ')
  // @ts-expect-error -- the option is called `match`
  await expect(panel.held.set([{ path: '/status' }])).rejects.toThrow('path: there is no such member')
  // @ts-expect-error -- a matcher needs a path
  expect(() => panel.override({}, { body: '' })).toThrow('override: path: ')
  // @ts-expect-error -- `once` is true or false
  expect(() => panel.override(status, { body: '' }, { once: 2 })).toThrow('override: once: ')
  // @ts-expect-error -- the answer has no such member
  expect(() => panel.override(status, { body: '', code: 2 })).toThrow('override: answer.code: there is no such member')
  // @ts-expect-error -- a call is held at one point
  await expect((async () => panel.hold(status, { at: 'both' }))()).rejects.toThrow('hold: at: ')
  // @ts-expect-error -- the option is called `graceMs`
  await expect(panel.settle({ grace: 0 })).rejects.toThrow('settle: grace: there is no such member')
  // @ts-expect-error -- the option is called `keepsDelays`
  await expect(kit.serveRecording('none.birec', { keepDelays: true })).rejects.toThrow('serveRecording: keepDelays: ')
})
