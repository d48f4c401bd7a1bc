import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { waitForConnection, go, openTools } from './support.ts'

const grid = (page: Page): Locator => page.getByRole('grid', { name: 'Traffic' })
const rowOf = (page: Page, path: string): Locator => grid(page).getByRole('row').filter({ hasText: path })
const menu = (page: Page): Locator => page.getByRole('menu')

async function openTraffic(page: Page): Promise<void> {
  await waitForConnection(page)
  await go(page, '#/library')
  await expect(page.getByRole('link', { name: 'Calculus II' })).toBeVisible()
  await go(page, '#/traffic')
  await expect(rowOf(page, '/library/study-sets').first()).toBeVisible()
}

test('the menu of an exchange copies it as a command, by mouse and by keyboard @core', async ({ page, app }) => {
  await openTraffic(page)
  if (app.mode === 'browser') await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await rowOf(page, '/library/study-sets').first().click({ button: 'right' })
  await menu(page).getByRole('menuitem', { name: 'Copy as cURL' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toBeVisible()
  if (app.mode === 'browser')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^curl .*\/library\/study-sets/s)
  // The menu neither opened the exchange nor moved the focus away from the list.
  await expect(page.getByRole('region', { name: 'Exchange' })).toHaveCount(0)
  await expect(grid(page)).toBeFocused()
  await page.keyboard.press('Shift+F10')
  await expect(menu(page).getByRole('menuitem', { name: 'Open', exact: true })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Exchange' })).toContainText('/library/study-sets')
})

test('the menu of an exchange keeps only its route, until its chip is removed', async ({ page }) => {
  await openTraffic(page)
  await rowOf(page, '/library/study-sets').first().click({ button: 'right' })
  await page.keyboard.press('ArrowDown')
  await menu(page).getByRole('menuitem', { name: 'Only this route' }).press('Enter')
  await expect(rowOf(page, '/decks')).toHaveCount(0)
  await expect(rowOf(page, '/library/study-sets').first()).toBeVisible()
  await page.getByRole('button', { name: 'Remove route:/library/study-sets' }).press('Enter')
  await expect(rowOf(page, '/decks').first()).toBeVisible()
})

test('two selected exchanges are compared, a marked one is shown as marked, and one click shows the slowest first', async ({
  page,
}) => {
  await openTraffic(page)
  await openTools(page)
  const slowest = page.getByRole('button', { name: 'Slowest first' })
  await slowest.click()
  await expect(grid(page).getByRole('columnheader', { name: 'Duration' })).toHaveAttribute('aria-sort', 'descending')
  await slowest.click()
  await expect(grid(page).getByRole('columnheader', { name: 'Time' })).toHaveAttribute('aria-sort', 'descending')

  await rowOf(page, '/library/study-sets')
    .first()
    .click({ modifiers: ['Control'] })
  await expect(page.getByRole('button', { name: 'Compare' })).toHaveCount(0)
  await rowOf(page, '/decks')
    .first()
    .click({ modifiers: ['Control'] })
  await expect(grid(page).getByRole('row', { selected: true })).toHaveCount(2)
  await expect(page.getByRole('region', { name: 'Exchange' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Compare' }).click()
  const comparison = page.getByRole('region', { name: 'Comparison' })
  await expect(comparison).toContainText('/library/study-sets')
  await expect(comparison).toContainText('/decks')
  const tree = comparison.getByRole('tree', { name: 'Responses compared' })
  await expect(tree.getByRole('treeitem', { name: 'Response', exact: true })).toBeVisible()
  await comparison.getByRole('grid', { name: 'Differences' }).getByRole('row').nth(1).click()
  await expect(tree.getByRole('treeitem', { selected: true })).toBeVisible()
  await comparison.getByRole('button', { name: 'Close comparison' }).click()
  await page.getByRole('button', { name: 'Clear selection' }).click()

  await rowOf(page, '/decks').first().click({ button: 'right' })
  await menu(page).getByRole('menuitem', { name: 'Mark for comparison' }).click()
  await expect(rowOf(page, '/decks').first().getByRole('img', { name: 'Marked for comparison' })).toBeVisible()
  await expect(page.getByText('Marked for comparison: GET /decks')).toBeVisible()
  await rowOf(page, '/library/study-sets').first().click()
  await page.getByRole('button', { name: 'Compare with the open one' }).click()
  await expect(comparison).toContainText('/decks')
})
