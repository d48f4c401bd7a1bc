import { fileURLToPath } from 'node:url'
import { test } from '@playwright/test'
import { expect } from 'bridge-inspector/playwright'
import { startPanel } from 'bridge-inspector/testing'

const folder = fileURLToPath(new URL('../fixtures/faulty-panel/built', import.meta.url))

test('the matcher fails with the original line of the call that breaks a rule', async ({ page }) => {
  const panel = await startPanel({ panel: folder })
  await page.goto(panel.url)
  await expect(panel).toKeepContract()
  await page.getByRole('button', { name: 'Read' }).click()
  await expect(page.getByRole('status')).toHaveText('403')
  const failure = expect(panel).toKeepContract()
  await expect(failure).rejects.toThrow(/error +outside-allow-list +\/src\/token\.js:2:26 readToken +GET \/token/)
  await panel.close()
})
