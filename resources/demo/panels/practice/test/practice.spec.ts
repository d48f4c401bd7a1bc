import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'
import { startPanel } from 'bridge-inspector/testing'

const folder = fileURLToPath(new URL('..', import.meta.url))

test('lists the cards and keeps to the contract @core', async ({ page }) => {
  const panel = await startPanel({ panel: folder })
  await page.goto(panel.url)
  await expect(page.getByRole('region', { name: 'Cards' }).getByRole('button').first()).toBeVisible()
  expect((await panel.calls()).every(({ decision }) => decision === 'passed')).toBe(true)
  expect(await panel.findings()).toEqual([])
  await panel.close()
})
