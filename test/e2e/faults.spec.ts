import type { Page } from '@playwright/test'
import type { FaultName } from '../../electron/demo-host/faults.ts'
import { expect, test, type RunningApp } from './fixtures.ts'
import { waitForConnection, go, startOwnHost, readSavedSettings } from './support.ts'

/** What a user reads when the host misbehaves; the rest of the app keeps working. */
const expectedMessages: readonly (readonly [FaultName, RegExp])[] = [
  ['malformed-json', /could not be loaded/i],
  ['truncated-body', /broke off/],
  ['stall', /sent nothing for/],
  ['reset', /closed the connection|broke off/],
  ['rate-limit', /SCAN_BUSY/],
  ['html-500', /500/],
  ['redirect', /not followed/],
  ['wrong-content-type', /text\/html/],
  ['gzip-bomb', /exceeds the limit/],
  ['huge', /exceeds the limit/],
]

// The driver presses "Try again" as soon as it is there, which no person does.
test.use({ breaks: ['read-burst'] })

test('safety 33: the app reports and survives every way in which a host misbehaves', async ({ app }) => {
  test.setTimeout(240_000)
  const { host, flags } = await startOwnHost({ nodes: 200 })
  const page = await app.restart(flags)
  await waitForConnection(page)
  // These limits suit any machine, because faults other than silence show without a time limit.
  await setLimits(app, page, { idleTimeoutMs: 30, totalTimeoutMs: 60, responseLimitBytes: 4 })
  for (const [name, expected] of expectedMessages) {
    await go(page, '#/library')
    // Only silence is detected by a time limit.
    if (name === 'stall') await setLimits(app, page, { idleTimeoutMs: 0.7 })
    host.setFault(name)
    await go(page, `#/study-sets/${host.state.generatedSet.topicid}/tree`)
    await page.getByRole('button', { name: 'Reload' }).click()
    const alert = page.getByRole('alert').filter({ hasText: expected })
    await expect(alert.first(), name).toBeVisible({ timeout: 25_000 })
    host.setFault(null)
    if (name === 'stall') {
      await setLimits(app, page, { idleTimeoutMs: 30 })
      await go(page, `#/study-sets/${host.state.generatedSet.topicid}/tree`)
      await page.getByRole('button', { name: 'Reload' }).click()
    } else {
      await page.getByRole('button', { name: 'Try again' }).first().click()
    }
    await expect(page.getByText('200 cards', { exact: true }), `${name} is over`).toBeVisible({ timeout: 20_000 })
  }

  // Depth is no reason to hide the rest: the page is shown, and flagged.
  host.setFault('deep-json')
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('region', { name: 'Data problems' })).toContainText('nested too deeply')
  await host.close()
})

/** Sets limits where a user sets them, in the units of the page: seconds and megabytes. */
async function setLimits(app: RunningApp, page: Page, limits: Record<string, number>): Promise<void> {
  await go(page, '#/settings')
  const labels: Record<string, RegExp> = {
    idleTimeoutMs: /^Idle timeout/,
    totalTimeoutMs: /^Total timeout/,
    responseLimitBytes: /^Response limit/,
  }
  for (const [name, value] of Object.entries(limits)) {
    const field = page.getByLabel(labels[name] ?? /./).first()
    await field.fill(String(value))
    await field.press('Tab')
    // The limit is saved a moment later, and applies from then on.
    const stored = name.endsWith('Ms') ? value * 1_000 : value * 1_048_576
    await expect.poll(() => readSavedSettings(app.dataDir)).toMatch(new RegExp(`"${name}": ?${stored}\\b`))
  }
}
