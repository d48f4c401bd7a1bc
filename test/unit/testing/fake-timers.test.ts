import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { root } from '../../../scripts/lib/paths.mjs'
import { ensureProgramBuilt } from '../../support/program/built-program.ts'
import type * as kit from '../../../testing/index.ts'

// The build gives the kit timers of its own.
let built: typeof kit

beforeAll(async () => {
  ensureProgramBuilt()
  const file = pathToFileURL(path.join(root, 'out/cli/testing.js'))
  built = (await import(/* @vite-ignore */ file.href)) as typeof kit
})
afterEach(() => void vi.useRealTimers())

const DAY_MS = 86_400_000
const fakedSets: Readonly<Record<string, Parameters<typeof vi.useFakeTimers>[0]>> = {
  'timeouts and intervals': { toFake: ['setTimeout', 'setInterval'] },
  'all that vitest fakes by default': {},
  'the timers of Node’s modules too': { fakeNodeBuiltins: true },
}

test.each(Object.entries(fakedSets))('the kit starts, asks and ends while a test fakes %s', async (_name, options) => {
  const startedAt = Date.now()
  vi.useFakeTimers(options)
  const host = await built.startDemoHost({ nodes: 10, latencyMs: 5 })
  const api = built.hostApi({ host, writes: 'allow' })
  const { state } = (await api.api('/ui-state')) as { state: { focusnoteid: string } }
  const body = JSON.stringify({ role: 'practice', height: 240 })
  const bandsPath = `/notes/${state.focusnoteid}/blank-bands`
  const headers = { 'Content-Type': 'application/json' }
  expect(await api.api(bandsPath, { method: 'POST', headers, body })).not.toHaveProperty('error')

  const panel = await built.startPanel({ host })
  expect(await (await fetch(panel.url)).text()).toContain('<title>Test</title>')
  const override = panel.override({ path: '/status' }, { body: { app: 'Mine' } }, { delayMs: 20 })
  // The day that passes for the test is none for the kit.
  vi.advanceTimersByTime(DAY_MS)
  expect(await (await fetch(new URL('/bridge/v1/status', panel.url))).json()).toEqual({ app: 'Mine' })
  expect(override.count).toBe(1)
  const [call] = await panel.calls()
  expect(call?.at).toBeGreaterThanOrEqual(startedAt)
  expect(call?.at).toBeLessThan(startedAt + DAY_MS)
  expect(await panel.close()).toEqual([])
  expect(await api.close()).toEqual([])
  await host.close()
})
