import { readFileSync } from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'
import { describe, expect, test } from 'vitest'
import { hostApiText, toResponseText } from '../../../../shared/panel/host-api.ts'
import { helperScript } from '../../../../electron/services/panel/page/inject.ts'
import { root } from '../../../../scripts/lib/paths.mjs'

interface HostHelper {
  api(path: string, opts?: RequestInit): Promise<unknown>
}

const script = helperScript([readFileSync(path.join(root, 'resources/panel/host.js'), 'utf8')], 1)

/** A page resolves relative addresses; Node does not. */
class PageRequest extends Request {
  constructor(input: string, init?: RequestInit) {
    super(new URL(input, 'http://panel.test'), init)
  }
}

/** The helper as a page finds it, with this `fetch`; nothing else of a page is there. */
function helperWith(fetch: typeof globalThis.fetch): HostHelper {
  const nothing = (): void => undefined
  const page = {
    ...{
      fetch,
      Headers,
      Request: PageRequest,
      location: { origin: 'http://panel.test' },
      document: { title: '' },
      navigator: {},
    },
    console: { ...console },
    setTimeout: nothing,
    addEventListener: nothing,
  }
  const window = vm.createContext({ ...page, window: page })
  vm.runInContext(script, window)
  return Reflect.get(page, 'host') as HostHelper
}

const answering = (status: number, body: string) => helperWith(() => Promise.resolve(new Response(body, { status })))
const failing = (error: Error) => helperWith(() => Promise.reject(error))
const failure = (code: string) => ({ error: { code, message: expect.stringMatching(/./) as string } })

describe('host.api', () => {
  test('asks below /bridge/v1 with what the page gave', async () => {
    const asked: [unknown, RequestInit | undefined][] = []
    const helper = helperWith((input, init) => {
      asked.push([input, init])
      return Promise.resolve(Response.json({ fine: true }))
    })
    const opts = { method: 'POST', body: '{}', headers: { 'x-mine': '1' } }
    expect(await helper.api('/notes/batch-get?x=1', opts)).toEqual({ fine: true })
    const init = asked[0]?.[1]
    expect(asked[0]?.[0]).toBe('/bridge/v1/notes/batch-get?x=1')
    expect(init).toMatchObject({ method: 'POST', body: '{}' })
    expect(new Headers(init?.headers).get('x-mine')).toBe('1')
  })

  test.each<[string, HostHelper, unknown]>([
    ['JSON', answering(200, '{"a":[1]}'), { a: [1] }],
    ['JSON that is no object', answering(200, 'null'), null],
    [
      'an error of the host',
      answering(403, '{"error":{"code":"X","message":"m"}}'),
      { error: { code: 'X', message: 'm' } },
    ],
    ['an error with a status of success', answering(200, '{"error":{"code":"X"}}'), { error: { code: 'X' } }],
    ['an error without a word', answering(404, '{}'), failure('HTTP_404')],
    ['a page', answering(500, '<html>'), failure('NOT_JSON')],
    ['bytes', answering(200, '\u0000PNG'), failure('NOT_JSON')],
    ['nothing at all', answering(200, ''), failure('NOT_JSON')],
    ['a host that is gone', failing(new TypeError('Failed to fetch')), failure('NETWORK')],
    ['a page that gave up', failing(new DOMException('given up', 'AbortError')), failure('ABORTED')],
  ])('never rejects: %s', async (_, helper, expected) => {
    expect(await helper.api('/status')).toEqual(expected)
  })

  test('never rejects: options that no request can have', async () => {
    const helper = answering(200, '{}')
    expect(await helper.api('/status', { headers: { 'no header': '1' } })).toEqual(failure('REQUEST_INVALID'))
    const withBody = helperWith(() => Promise.reject(new TypeError('GET with a body')))
    expect(await withBody.api('/status', { body: 'x' })).toEqual(failure('REQUEST_INVALID'))
  })

  test('tells a call that its page gave up, whatever the reason was', async () => {
    const reason = new Error('no time')
    const helper = failing(reason)
    expect(await helper.api('/status', { signal: AbortSignal.abort(reason) })).toEqual(failure('ABORTED'))
  })

  test('is the code that the panel lab computes with', async () => {
    for (const text of ['{"n":12345678901234567890,"a":1,"a":2}', '\ufeff# Guide \ud83d', '', '{"error":null}']) {
      const value = await answering(500, text).api('/guide')
      const seen = toResponseText(new Uint8Array(await new Response(text).arrayBuffer()))
      expect(JSON.stringify(value)).toBe(hostApiText({ status: 500, text: seen }))
    }
  })
})
