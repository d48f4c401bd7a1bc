import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from '@playwright/test'
import { expect } from 'bridge-inspector/playwright'
import { startPanel } from 'bridge-inspector/testing'
import { build } from 'vite'
import { root } from '../../scripts/lib/paths.mjs'
import type { FindingRuleId } from '../../shared/protocol/finding.ts'
import { ruleTable } from '../../shared/protocol/rule-table.ts'

const fixtures = path.join(root, 'test/fixtures')

test('the matcher fails with the original line of the call that breaks a rule', async ({ page }) => {
  const panel = await startPanel({ panel: path.join(fixtures, 'faulty-panel/built') })
  await page.goto(panel.url)
  await expect(panel).toKeepContract()
  await page.getByRole('button', { name: 'Read' }).click()
  await expect(page.getByRole('status')).toHaveText('403')
  const failure = expect(panel).toKeepContract()
  await expect(failure).rejects.toThrow(/error +outside-allow-list +\/src\/token\.js:2:26 readToken +GET \/token/)
  await panel.close()
})

/** Each with the rule that it breaks, and a part of the line that makes the call. */
const plantedBugs: readonly (readonly [bug: string, rule: FindingRuleId, line: string])[] = [
  ['paging', 'parameter-out-of-range', '/pages/${index}/parts'],
  ['cursor', 'cursor-invented', 'cursor=${nodes.length}'],
  ['revision', 'stale-revision', "{ ...verdict, self: 'good' }"],
  ['unreadError', 'write-on-failed-id', '/title`'],
  ['bytes', 'binary-through-api', "get('/guide')"],
  ['confirm', 'confirm-or-addon-sent', 'post(`/notes/${cards[1]}/blank-bands`'],
  ['commit', 'commit-not-polled', "post('/writing/pencil-commit'"],
  ['result', 'result-of-new-id', "post('/writing/pencil-result', { requestId: crypto.randomUUID() })"],
]

test.describe('of a bundled plugin in TypeScript, the matcher names rule, sentence and line of the planted bug', () => {
  const plugin = mkdtempSync(path.join(os.tmpdir(), 'planted-bugs-'))

  test.beforeAll(async () => {
    cpSync(path.join(fixtures, 'planted-bugs'), plugin, { recursive: true })
    await build({ root: plugin, configFile: false, logLevel: 'silent', build: { sourcemap: true } })
  })

  test.afterAll(() => rmSync(plugin, { recursive: true, force: true }))

  for (const [bug, rule, call] of plantedBugs)
    test(bug, async ({ page }) => {
      const options = { panel: path.join(plugin, 'dist'), writes: 'allow', wrappers: ['src/bridge.ts'] } as const
      await using panel = await startPanel(options)
      await page.goto(panel.url)
      await page.getByRole('button', { name: bug }).click()
      await expect(page.getByLabel(`${bug} ended`)).toHaveText('yes')
      const output = await expect(panel)
        .toKeepContract({ advice: true })
        .then(() => '', String)
      const { severity, violation, remedy } = ruleTable[rule]
      const lines = readFileSync(path.join(plugin, 'src/bugs.ts'), 'utf8').split('\n')
      const line = lines.findIndex((text) => text.includes(call)) + 1
      expect(output).toMatch(/^.*\(1\):\n/)
      expect(output).toMatch(new RegExp(`\n +${severity} +${rule} +/src/bugs\\.ts:${line}:\\d+ `))
      expect(output).toContain(`${rule}: ${violation} ${remedy}`)
      // With a wrapper that nobody has named, the line is still among those that called it.
      expect(output).toMatch(new RegExp(`\n +at /src/bugs\\.ts:${line}:\\d+`))
    })
})
