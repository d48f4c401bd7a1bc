/** @module-tag slow */

import type { ServerResponse } from 'node:http'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startBrowserHost } from '../../../../electron/browser-host/index.ts'
import type { Finding } from '../../../../shared/protocol/finding.ts'
import { startComposedApp } from '../../../support/program/composed-app.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { HASTY_RATE, hastyRules, mockClocks } from '../../../support/services/clocks.ts'
import { importPanelModule } from '../../../support/services/panel-page.ts'

type RuleBreak = readonly [rule: string, label: string, how: (demoData: unknown) => Promise<void>]

const RULE_BREAKER = 'resources/demo/panels/rule-breaker'

/** Breaking this rule needs a restart of the host. */
const RULE_WITH_RESTART = 'ids-of-old-run'

test('the panel that breaks every rule once gets each finding once', async () => {
  const app = await startComposedApp(createTempDir(), ['--demo', '--demo-nodes', '2000'])
  const { dispatcher: calls, contentReader: content, panel } = app.app
  const assets = (_: unknown, response: ServerResponse): Promise<void> => Promise.resolve(void response.end())
  const browser = await startBrowserHost({ dispatcher: calls, contentReader: content, panel, assets, port: 0 })
  onTestFinished(() => browser.close())
  await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
  const { profile } = await app.call('connection.get', {})
  await app.call('operations.unlock', { profileId: profile?.id ?? '', scope: 'session' })
  const state = await app.call('panel.open', { source: { kind: 'sample', name: 'rule-breaker' } })
  await app.call('panel.configure', { writes: 'let-through' })
  await expect.poll(async () => (await app.call('panel.get', {})).allow.from).not.toBe('nowhere')
  const { host, hostname } = new URL(state.url ?? '')
  const originServer = panel.findOriginServer(hostname.split('.')[0] ?? '')
  if (!originServer) throw new Error('no panel runs')
  const requestPath = (
    target: string,
    init: RequestInit = {},
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    originServer.serve(
      new Request(`http://${host}${target}`, { ...init, headers: { ...(init.headers as object), ...headers } }),
    )
  vi.stubGlobal('fetch', requestPath)
  vi.stubGlobal('host', {
    async api(target: string, init?: RequestInit) {
      const text = await (await requestPath(`/bridge/v1${target}`, init, { 'x-inspector-via': 'host.api' })).text()
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

  const readDemoData = (await importPanelModule(RULE_BREAKER, 'demo-data.js'))['readDemoData'] as () => Promise<unknown>
  const demoData = await readDemoData()
  const breaks = (await importPanelModule(RULE_BREAKER, 'rules.js'))['rules'] as readonly RuleBreak[]
  const expectedRules = breaks.map(([rule]) => rule).filter((rule) => rule !== RULE_WITH_RESTART)
  const clocks = mockClocks()
  for (const [rule, , breakRule] of breaks) {
    if (rule === RULE_WITH_RESTART) continue
    clocks.setRate(hastyRules.has(rule) ? HASTY_RATE : 1)
    await breakRule(demoData)
  }
  clocks.setRate(1)

  async function listFindings(): Promise<Finding[]> {
    const findings: Finding[] = []
    for (const listedClass of ['findings', 'advice'] as const)
      findings.push(...(await app.call('findings.list', { offset: 0, limit: 100, class: listedClass })).findings)
    return findings
  }
  // A missing request is reported after half a minute, so the clock jumps ahead.
  clocks.advance(30_000)
  await expect.poll(async () => (await listFindings()).length).toBeGreaterThanOrEqual(expectedRules.length)
  const findings = await listFindings()
  expect(findings.map(({ rule }) => rule).toSorted()).toEqual(expectedRules.toSorted())
  expect(new Set(findings.map(({ origin }) => origin.kind))).toEqual(new Set(['panel']))
})
