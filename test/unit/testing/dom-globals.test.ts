import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { builtinEnvironments } from 'vitest/runtime'
import { root } from '../../../scripts/lib/paths.mjs'
import { ensureProgramBuilt } from '../../support/program/built-program.ts'
import type * as kit from '../../../testing/index.ts'

const removeGlobals = (...names: readonly string[]): void => names.forEach((name) => vi.stubGlobal(name, undefined))

function fail(): never {
  throw new Error('The stub of the test was called.')
}

const changes: Readonly<Record<string, () => void>> = {
  'as it is': () => undefined,
  'with fake timers': () => void vi.useFakeTimers(),
  'without what it lacks in Jest': () =>
    removeGlobals('fetch', 'Headers', 'Request', 'Response', 'structuredClone', 'TextDecoder', 'TextEncoder'),
  'where a test replaced globals': () => removeGlobals('crypto', 'Buffer', 'URLSearchParams', 'performance'),
  'without what Node’s classes of fetch call': () => removeGlobals('AbortController', 'URL', 'ReadableStream'),
  'where these throw': () => ['AbortController', 'URL', 'ReadableStream'].forEach((name) => vi.stubGlobal(name, fail)),
}

describe.each(['jsdom', 'happy-dom'] as const)('the kit works in the environment %s', (name) => {
  // The build gives the kit globals of its own.
  let built: typeof kit
  let environment: Awaited<ReturnType<typeof builtinEnvironments.jsdom.setup>>

  beforeAll(async () => {
    ensureProgramBuilt()
    const file = pathToFileURL(path.join(root, 'out/cli/testing.js'))
    environment = await builtinEnvironments[name].setup(globalThis, {})
    built = (await import(/* @vite-ignore */ `${file.href}?${name}`)) as typeof kit
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  afterAll(() => environment.teardown(globalThis))

  test.each(Object.entries(changes))('%s', async (_name, change) => {
    expect(document.body).toBeDefined()
    const { signal } = new AbortController()
    change()
    const api = built.hostApi({ writes: 'allow' })
    const { state } = (await api.api('/ui-state')) as { state: { focusnoteid: string } }
    const body = JSON.stringify({ role: 'practice', height: 240 })
    const headers = { 'Content-Type': 'application/json' }
    const bandsPath = `/notes/${state.focusnoteid}/blank-bands`
    expect(await api.api(bandsPath, { method: 'POST', headers, body, signal })).not.toHaveProperty('error')
    const panel = await built.startPanel()
    expect(await panel.findings()).toEqual([])
    await panel.close()
    expect(await api.close()).toEqual([])
  })
})
