import type { ServerResponse } from 'node:http'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startBrowserHost } from '../../../../electron/browser-host/index.ts'
import type { Finding } from '../../../../shared/protocol/finding.ts'
import { startComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'

type Break = readonly [rule: string, label: string, how: (scene: unknown) => Promise<void>]

/** One of the panel's own modules. */
const moduleOf = async (name: string): Promise<Record<string, unknown>> =>
  (await import(pathToFileURL(path.resolve('resources/demo/panels/rule-breaker', name)).href)) as Record<
    string,
    unknown
  >

/** Needs a restart of the host in between. */
const withRestart = 'ids-of-old-run'

test('the panel that breaks every rule once is told of each of them once', { timeout: 240_000 }, async () => {
  const app = await startComposedApp(createTempDir(), ['--demo', '--demo-nodes', '2000'])
  const { dispatcher: calls, contentReader: content, panel } = app.app
  const assets = (_: unknown, response: ServerResponse): Promise<void> => Promise.resolve(void response.end())
  const browser = await startBrowserHost({ dispatcher: calls, contentReader: content, panel, assets, port: 0 })
  onTestFinished(() => browser.close())
  await expect.poll(async () => (await app.call('connection.get', {})).phase, { timeout: 30_000 }).toBe('online')
  const state = await app.call('panel.open', { source: { kind: 'sample', name: 'rule-breaker' } })
  await app.call('panel.configure', { writes: 'let-through' })
  await expect.poll(async () => (await app.call('panel.get', {})).allow.from, { timeout: 30_000 }).not.toBe('nowhere')
  const { host, hostname } = new URL(state.url ?? '')
  const door = panel.findOriginServer(hostname.split('.')[0] ?? '')
  if (!door) throw new Error('no panel runs')
  const ask = (at: string, init: RequestInit = {}, headers: Record<string, string> = {}): Promise<Response> =>
    door.serve(new Request(`http://${host}${at}`, { ...init, headers: { ...(init.headers as object), ...headers } }))
  vi.stubGlobal('fetch', ask)
  vi.stubGlobal('host', {
    async api(at: string, init?: RequestInit) {
      const text = await (await ask(`/bridge/v1${at}`, init, { 'x-inspector-via': 'host.api' })).text()
      try {
        return JSON.parse(text) as unknown
      } catch {
        return { error: { code: 'NOT_JSON' } }
      }
    },
  })
  onTestFinished(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })

  const lookAround = (await moduleOf('scene.js'))['lookAround'] as () => Promise<unknown>
  const there = await lookAround()
  const breaks = (await moduleOf('rules.js'))['rules'] as readonly Break[]
  const wanted = breaks.map(([rule]) => rule).filter((rule) => rule !== withRestart)
  for (const [rule, , how] of breaks) if (rule !== withRestart) await how(there)

  const list = async (): Promise<Finding[]> => (await app.call('findings.list', { offset: 0, limit: 100 })).findings
  // What did not follow is told half a minute later, which it is now.
  const elapsed = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => elapsed() + 30_000)
  await expect
    .poll(async () => (await list()).length, { timeout: 60_000, interval: 500 })
    .toBeGreaterThanOrEqual(wanted.length)
  const found = await list()
  expect(found.map(({ rule }) => rule).toSorted()).toEqual(wanted.toSorted())
  expect(new Set(found.map(({ origin }) => origin.kind))).toEqual(new Set(['panel']))
})
