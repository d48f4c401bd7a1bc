/** @module-tag slow */

import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { DemoHost, DemoHostOptions, Finding, Panel } from '../../../testing/api.ts'
import { startDemoHost, startPanel } from '../../../testing/index.ts'
import { isAdvice } from '../../../shared/protocol/rule-table.ts'
import { findingRuleIds, type FindingRuleId } from '../../../shared/protocol/finding.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { runCommandLine } from '../../support/program/command-line.ts'
import { HASTY_RATE, hastyRules, mockClocks } from '../../support/services/clocks.ts'
import { importPanelModule, installPanelPage } from '../../support/services/panel-page.ts'

type RuleBreak = readonly [rule: FindingRuleId, label: string, breakRule: (demoData: unknown) => Promise<void>]

const RULE_BREAKER = 'resources/demo/panels/rule-breaker'
const { styles } = (await importPanelModule('test/fixtures/lawful-panel', 'styles.js')) as {
  styles: Record<string, () => Promise<void>>
}
const { rules } = (await importPanelModule(RULE_BREAKER, 'rules.js')) as { rules: readonly RuleBreak[] }
const { readDemoData } = (await importPanelModule(RULE_BREAKER, 'demo-data.js')) as {
  readDemoData: () => Promise<unknown>
}

/** The connection asks for the host's run every few seconds, and notices that it is another one. */
const [RESTART_MS, NOTICE_MS] = [1_000, 6_000]

interface RunningPanel {
  readonly host: DemoHost
  readonly panel: Panel
}

async function start(dataDir?: string, options: DemoHostOptions = {}): Promise<RunningPanel> {
  const host = await startDemoHost({ nodes: 1_000, ...options })
  onTestFinished(() => host.close())
  const panel = await startPanel({ host, writes: 'allow', ...(dataDir === undefined ? {} : { dataDir }) })
  onTestFinished(async () => void (await panel.close()))
  installPanelPage(panel.url)
  return { host, panel }
}

/** Breaks a rule; on a slowed clock if that takes haste. */
async function actAtOnce(rule: FindingRuleId, act: () => Promise<void>): Promise<void> {
  const clocks = mockClocks(hastyRules.has(rule) ? HASTY_RATE : 1)
  await act()
  clocks.setRate(1)
}

const listRules = (findings: readonly Finding[]): string[] => findings.map(({ rule }) => rule)

afterEach(() => void vi.unstubAllGlobals())

describe('the kit', () => {
  test.each(Object.entries(styles))('safety 67: a lawful panel that %s has no findings', async (_, behave) => {
    const { panel } = await start()
    await behave()
    expect(await panel.close()).toEqual([])
  })

  test('has a panel for each rule', () => {
    expect(rules.map(([rule]) => rule).toSorted()).toEqual(findingRuleIds.toSorted())
  })

  const contractRules = rules.filter(([rule]) => !isAdvice(rule))
  test.each(contractRules)(
    'safety 82: a panel that breaks %s has one finding when it is closed',
    async (rule, _, act) => {
      // Two commits must follow each other before the first is settled, on a busy machine too.
      const options = rule === 'second-commit-of-window' ? { settleMs: 4_000 } : {}
      const { host, panel } = await start(undefined, options)
      const demoData = await readDemoData()
      if (rule === 'ids-of-old-run') {
        await expect(act(demoData)).rejects.toThrow('Restart')
        await host.restart(RESTART_MS)
        await new Promise((resolve) => setTimeout(resolve, NOTICE_MS))
        await expect
          .poll(() => act(demoData).then(String, String), { interval: 1_500, timeout: 20_000 })
          .toBe('undefined')
      } else await actAtOnce(rule, () => act(demoData))
      expect(listRules(await panel.close())).toEqual([rule])
    },
  )

  // Whoever has ended may have had no need of further pages.
  const adviceRules = rules.filter(([rule]) => isAdvice(rule) && rule !== 'paging-stopped')
  test.each(adviceRules)('a panel that does %s gets advice, and has no findings', async (rule, _, act) => {
    const { panel } = await start()
    const demoData = await readDemoData()
    await actAtOnce(rule, () => act(demoData))
    expect(await panel.settle()).toEqual([])
    expect(listRules(await panel.advice())).toEqual([rule])
  })

  test('settles a panel that goes on, and withdraws what it does after all', async () => {
    const { panel } = await start()
    const { requestId } = await commitWithoutPolling()
    expect(await panel.findings()).toEqual([])
    const [finding] = await panel.settle({ graceMs: 100 })
    expect(finding).toMatchObject({ rule: 'commit-not-polled', late: { because: 'ended' } })
    expect(finding?.decidedAt).toBeGreaterThan(Date.now() - 60_000)
    await poll(requestId)
    expect(await panel.settle()).toEqual([])
    const [withdrawn, ...others] = await panel.withdrawn()
    expect(withdrawn).toMatchObject({ rule: 'commit-not-polled', late: { because: 'ended' } })
    expect(withdrawn?.withdrawnAt).toBeGreaterThanOrEqual(finding?.decidedAt ?? Infinity)
    expect([others, finding?.withdrawnAt]).toEqual([[], null])
  })

  test('waits at its end for a page that still polls', async () => {
    const { panel } = await start()
    const { requestId } = await commitWithoutPolling()
    const polled = new Promise<void>((resolve) => {
      setTimeout(() => void poll(requestId).then(() => resolve()), 1_200)
    })
    expect(await panel.close()).toEqual([])
    await polled
  })

  test('safety 82: judges a page that was left, though its panel stays open, but not one that was reloaded', async () => {
    const { host, panel } = await start()
    const report = async (name: string, body: object): Promise<number> =>
      (await fetch(`/__inspector/${name}`, { method: 'POST', body: JSON.stringify(body) })).status
    const beginLoad = async (load: number): Promise<void> => {
      await (await fetch('/__inspector/host.js')).text()
      expect(await report('load', { load, at: Date.now(), isReload: load > 1 })).toBe(204)
    }
    await beginLoad(1)
    const { requestId } = await commitWithoutPolling()
    expect(await report('left', { load: 1 })).toBe(204)
    // The window takes the next commit only once this one has ended, which another client asks for.
    await expect.poll(() => isSettled(host, requestId)).toBe(true)
    await beginLoad(2)
    await commitWithoutPolling()
    expect(await panel.findings()).toEqual([])
    expect(await report('left', { load: 2 })).toBe(204)
    await expect.poll(async () => listRules(await panel.findings())).toEqual(['commit-not-polled'])
    expect((await panel.findings())[0]?.count).toBe(1)
  })

  test('safety 82: what it decided at the end is in the data directory, where the command finds it', async () => {
    const dataDir = createTempDir()
    const { panel } = await start(dataDir)
    await commitWithoutPolling()
    expect(listRules(await panel.close())).toEqual(['commit-not-polled'])
    const run = await runCommandLine(['findings', '--run', 'last', '--fail', '--data-dir', dataDir])
    expect(run.code).toBe(11)
    expect(run.stdout.toString()).toMatch(/commit-not-polled.*\n.*\n {2}Decided at .* when the caller had ended\./)
  })
})

interface PanelHost {
  api(path: string, init?: RequestInit): Promise<Record<string, unknown>>
}

const callHost = (path: string, body?: unknown): Promise<Record<string, unknown>> => {
  const { api } = (globalThis as unknown as { host: PanelHost }).host
  const headers = { 'content-type': 'application/json' }
  return api(path, body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) })
}

async function commitWithoutPolling(): Promise<{ requestId: string }> {
  const { state } = (await callHost('/ui-state')) as { state: { topicid: string; focusnoteid: string } }
  const requestId = crypto.randomUUID()
  const target = { topicid: state.topicid, noteid: state.focusnoteid, layerId: '' }
  await callHost('/writing/pencil-commit', { surfaceId: 'surface', requestId, target })
  return { requestId }
}

async function isSettled({ baseUrl, token }: DemoHost, requestId: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ requestId })
  const response = await fetch(`${baseUrl}/writing/pencil-result`, { method: 'POST', headers, body })
  return ((await response.json()) as { settled?: unknown }).settled
}

async function poll(requestId: string): Promise<void> {
  while ((await callHost('/writing/pencil-result', { requestId }))['settled'] !== true)
    await new Promise((resolve) => setTimeout(resolve, 500))
}
