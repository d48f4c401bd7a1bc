import { Window } from 'happy-dom'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { respondJson } from '../../support/hosts/behaviours.ts'
import { startMisbehavingHost } from '../../support/hosts/misbehaving-host.ts'
import type * as kit from '../../../testing/index.ts'

let hostApi: typeof kit.hostApi
const dom = new Window()

beforeAll(async () => {
  // A DOM environment has replaced these before the kit is loaded.
  vi.stubGlobal('AbortController', dom.AbortController)
  vi.stubGlobal('AbortSignal', dom.AbortSignal)
  ;({ hostApi } = await import('../../../testing/index.ts'))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** The globals that a test or a DOM library replaces. */
const replacements: Readonly<Record<string, () => void>> = {
  'no global': () => undefined,
  'fetch by a stub': () => vi.stubGlobal('fetch', () => Promise.reject(new Error('the stub of the test was called'))),
  'the signals of a DOM library': () => {
    vi.stubGlobal('AbortController', dom.AbortController)
    vi.stubGlobal('AbortSignal', dom.AbortSignal)
  },
  'the fetch classes of a DOM library': () => {
    for (const name of ['Headers', 'Blob', 'FormData', 'URLSearchParams'] as const) vi.stubGlobal(name, dom[name])
  },
  'crypto and Math.random': () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    vi.stubGlobal('crypto', { randomUUID: () => 'always the same' })
  },
}

test.each(Object.entries(replacements))('the kit asks its host where a test replaced %s', async (_name, replace) => {
  replace()
  const host = hostApi({ writes: 'allow' })
  const state = (await host.api('/ui-state')) as { error?: unknown; state: { focusnoteid: string } }
  expect(state.error).toBeUndefined()
  const headers = new Headers({ 'content-type': 'application/json' })
  const body = JSON.stringify({ role: 'practice', height: 240 })
  const path = `/notes/${state.state.focusnoteid}/blank-bands`
  expect(await host.api(path, { method: 'POST', headers, body })).not.toHaveProperty('error')
  const { signal } = new AbortController()
  expect(await host.api('/library/study-sets', { signal })).not.toHaveProperty('error')
  const aborted = new AbortController()
  aborted.abort()
  expect(await host.api('/ui-state', { signal: aborted.signal })).toMatchObject({ error: { code: 'ABORTED' } })
  await host.close()
})

test.each([
  ['a text', () => 'a=1', 'text/plain;charset=UTF-8'],
  ['a form', () => new URLSearchParams({ a: '1' }), 'application/x-www-form-urlencoded;charset=UTF-8'],
  [
    'a form of a DOM library',
    () => new dom.URLSearchParams({ a: '1' }) as URLSearchParams,
    'application/x-www-form-urlencoded;charset=UTF-8',
  ],
])('%s has the media type that fetch gives it', async (_name, createBody, type) => {
  const received = await startMisbehavingHost(respondJson({ notes: [] }))
  const host = hostApi({ host: { baseUrl: received.baseUrl, token: 'mnb0.kit-secret-0123456789' } })
  await host.api('/notes/batch-get', { method: 'POST', body: createBody() })
  const request = received.requests.find(({ path }) => path.endsWith('/notes/batch-get'))
  expect(request?.body.toString()).toBe('a=1')
  expect(request?.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1]).toBe(type)
  await host.close()
  await received.close()
})
