/** @module-tag slow */

import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openRecording } from '../../../electron/recording-file/recording-file.ts'
import type { FindingRuleId } from '../../../shared/protocol/finding.ts'
import { isAdvice } from '../../../shared/protocol/rule-table.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { startDemo } from '../../support/hosts/demo.ts'
import { createConnectionFlags, runCommandLine, startProgram, waitForExit } from '../../support/program/command-line.ts'
import { importPanelModule, installPanelPage } from '../../support/services/panel-page.ts'

const RULE_BREAKER = 'resources/demo/panels/rule-breaker'
const LAWFUL_PANEL = 'test/fixtures/lawful-panel'

type Acts = Readonly<Record<string, (demoData?: unknown) => Promise<void>>>

interface Report {
  readonly findings: readonly { readonly rule: string; readonly late?: { readonly because: string } }[]
  readonly advice: readonly { readonly rule: string }[]
}

/** Two commits must follow each other before the first is settled, on a busy machine too. */
const SETTLE_MS = 2_000

async function startHost(settleMs = SETTLE_MS) {
  const { host } = await startDemo({ nodes: 1_000, settleMs })
  onTestFinished(() => host.close())
  return createConnectionFlags(host, createTempDir())
}

/** Some rules are broken only by calls that follow each other within a short time. */
const SLOW_CLOCK = ['--import', path.resolve('test/support/program/slow-clock.mjs')]

const listRules = (list: readonly { readonly rule: string }[]): string[] => list.map(({ rule }) => rule).toSorted()

afterEach(() => void vi.unstubAllGlobals())

/**
 * Serves a panel with the command, lets it act, and stops the command.
 *
 * @param node are flags for the process of the command.
 */
async function runPanel(
  folder: string,
  act: () => Promise<void>,
  node: readonly string[] = [],
): Promise<{ code: number | null; report: Report }> {
  const flags = await startHost()
  const child = startProgram(['panel', folder, '--writes', 'allow', '--json', '--fail', ...flags], { node })
  const exit = waitForExit(child)
  let out = ''
  child.stdout?.on('data', (piece: Buffer) => (out += piece.toString()))
  await expect.poll(() => out).toMatch(/^Panel: http.*\n/)
  installPanelPage(/^Panel: (\S+)/.exec(out)?.[1] ?? '')
  await act()
  child.kill('SIGINT')
  const { code, stdout } = await exit
  return { code, report: JSON.parse(stdout.toString().split('\n')[1] ?? '') as Report }
}

async function loadRuleBreaks(): Promise<{ acts: Acts; readDemoData: () => Promise<unknown> }> {
  const { rules } = (await importPanelModule(RULE_BREAKER, 'rules.js')) as {
    rules: readonly (readonly [string, string, Acts[string]])[]
  }
  const { readDemoData } = (await importPanelModule(RULE_BREAKER, 'demo-data.js')) as {
    readDemoData: () => Promise<unknown>
  }
  // A restart of the host is in the tests of the kit, and further pages are nothing that is owed.
  const skippedRules: readonly string[] = ['ids-of-old-run', 'paging-stopped']
  const breaks = rules.filter(([rule]) => !skippedRules.includes(rule))
  return { acts: Object.fromEntries(breaks.map(([rule, , act]) => [rule, act])), readDemoData }
}

describe('panel', () => {
  test('safety 67: has no findings about lawful panels', async () => {
    const { styles } = (await importPanelModule(LAWFUL_PANEL, 'styles.js')) as { styles: Acts }
    const { code, report } = await runPanel(LAWFUL_PANEL, async () => {
      for (const behave of Object.values(styles)) await behave()
    })
    expect([code, report.findings]).toEqual([0, []])
  })

  test('safety 82: has a finding about each broken rule when it ends, and advice apart', async () => {
    const { acts, readDemoData } = await loadRuleBreaks()
    const breakAllRules = async (): Promise<void> => {
      const demoData = await readDemoData()
      for (const breakRule of Object.values(acts)) await breakRule(demoData)
    }
    const { code, report } = await runPanel(RULE_BREAKER, breakAllRules, SLOW_CLOCK)
    const rules = Object.keys(acts) as FindingRuleId[]
    expect(code).toBe(11)
    expect(listRules(report.findings)).toEqual(rules.filter((rule) => !isAdvice(rule)).toSorted())
    expect(listRules(report.advice)).toEqual(rules.filter(isAdvice).toSorted())
    const lateRules = report.findings.filter(({ late }) => late?.because === 'ended')
    expect(listRules(lateRules)).toEqual(['commit-not-polled', 'session-not-confirmed'])
  })

  test('advice does not make it fail', async () => {
    const { acts, readDemoData } = await loadRuleBreaks()
    const readInBurst = async (): Promise<void> => acts['read-burst']?.(await readDemoData())
    const { code, report } = await runPanel(RULE_BREAKER, readInBurst, SLOW_CLOCK)
    expect([code, report.findings, listRules(report.advice)]).toEqual([0, [], ['read-burst']])
  })
})

/** Gives a module of a panel the globals of a page, with address and key of the recording. */
const PAGE_OF_PROGRAM = `
const globalFetch = fetch
// Node opens a second connection where the first one is not free yet.
const sendRequest = (path, init = {}) => globalFetch(process.env.BRIDGE_BASE_URL + path.replace(/^\\/bridge\\/v1/, ''), {
  ...init,
  headers: { ...init.headers, authorization: 'Bearer ' + process.env.BRIDGE_TOKEN },
})
globalThis.fetch = sendRequest
// An external client fills in what a host fills in for a panel.
const reads = /batch-get$|pencil-result$|export$/
globalThis.host = { async api(path, init = {}) {
  const isWrite = init.body !== undefined && !reads.test(path)
  const body = isWrite ? { body: JSON.stringify({ ...JSON.parse(init.body), confirm: true }) } : {}
  const text = await (await sendRequest(path, { ...init, ...body })).text()
  try { return JSON.parse(text) } catch { return { error: { code: 'NOT_JSON' } } }
} }
`

/**
 * Records a program that runs this code in an environment like that of a page.
 *
 * @param node are flags for a process of the command, which otherwise runs in this one.
 */
async function recordProgram(
  script: string,
  { settleMs, node }: { readonly settleMs?: number; readonly node?: readonly string[] } = {},
): Promise<{ code: number | null; report: Report; stderr: string }> {
  const flags = await startHost(settleMs)
  const words = ['record', '--write', '--json', '--fail', '-o', path.join(createTempDir(), 'a.har'), ...flags]
  const program = [process.execPath, '--input-type=module', '-e', PAGE_OF_PROGRAM + script]
  const args = [...words, '--', ...program]
  const { code, stdout, stderr } = await (node ? waitForExit(startProgram(args, { node })) : runCommandLine(args))
  return { code, report: JSON.parse(stdout.toString()) as Report, stderr }
}

const toModuleUrl = (folder: string, name: string): string => JSON.stringify(pathToFileURL(path.resolve(folder, name)))

describe('record', () => {
  test('safety 67: has no findings about lawful programs', async () => {
    const { code, report } = await recordProgram(`
      const { styles } = await import(${toModuleUrl(LAWFUL_PANEL, 'styles.js')})
      for (const behave of Object.values(styles)) await behave()`)
    expect([code, report.findings]).toEqual([0, []])
  })

  // What only a panel can do wrong: members and routes that the host judges for panels alone.
  const rulesOfPanels = ['binary-through-api', 'confirm-or-addon-sent', 'outside-allow-list']
  test('safety 82: has a finding about each broken rule when the program ends, and advice apart', async () => {
    const script = `
      const { rules } = await import(${toModuleUrl(RULE_BREAKER, 'rules.js')})
      const { readDemoData } = await import(${toModuleUrl(RULE_BREAKER, 'demo-data.js')})
      const demoData = await readDemoData()
      const skippedRules = ${JSON.stringify([...rulesOfPanels, 'ids-of-old-run', 'paging-stopped'])}
      for (const [rule, , breakRule] of rules)
        // The refusals of a client are not those of a panel.
        if (!skippedRules.includes(rule)) await breakRule(demoData).catch(() => undefined)`
    const { code, report } = await recordProgram(script, { node: SLOW_CLOCK })
    const { acts } = await loadRuleBreaks()
    const rules = Object.keys(acts).filter((rule) => !rulesOfPanels.includes(rule)) as FindingRuleId[]
    expect(code).toBe(11)
    expect(listRules(report.findings)).toEqual(rules.filter((rule) => !isAdvice(rule)).toSorted())
    expect(listRules(report.advice)).toEqual(rules.filter(isAdvice).toSorted())
  })

  test('safety 82: decides at once about a program that polled once, and then ended', async () => {
    const script = `
      const { readDemoData, commitPencil, send } = await import(${toModuleUrl(RULE_BREAKER, 'demo-data.js')})
      const demoData = await readDemoData()
      await commitPencil(demoData, 'surface', 'A', demoData.card(1))
      await send('/writing/pencil-result', { requestId: 'A' })`
    const { code, report } = await recordProgram(script, { settleMs: 60_000 })
    expect([code, listRules(report.findings)]).toEqual([11, ['commit-not-polled']])
    expect(report.findings[0]?.late?.because).toBe('ended')
  })

  test('safety 82: the recording of a program has what was decided at its end, and advice', async () => {
    const flags = await startHost(60_000)
    const file = path.join(createTempDir(), 'a.birec')
    const script = `${PAGE_OF_PROGRAM}
      const { rules } = await import(${toModuleUrl(RULE_BREAKER, 'rules.js')})
      const { readDemoData } = await import(${toModuleUrl(RULE_BREAKER, 'demo-data.js')})
      const demoData = await readDemoData()
      for (const [rule, , act] of rules)
        if (rule === 'commit-not-polled' || rule === 'batch-of-one') await act(demoData)`
    const program = ['--', process.execPath, '--input-type=module', '-e', script]
    expect((await runCommandLine(['record', '--write', '-o', file, ...flags, ...program])).code).toBe(0)
    const recording = await openRecording(file)
    const report = await recording.readReport()
    await recording.close()
    const advice = report?.split('## Advice')[1] ?? ''
    expect(report).toMatch(
      /## Findings\n\n- \*\*commit-not-polled\*\* .*\n(?: {2}- .*\n)*? {2}- Decided at .* when the caller had/,
    )
    expect(advice).toContain('**batch-of-one**')
    expect(advice).not.toContain('commit-not-polled')
  })
})
