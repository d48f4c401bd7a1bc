import { Window } from 'happy-dom'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
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
