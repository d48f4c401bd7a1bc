import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import {
  waitForConnection,
  expectAccessible,
  go,
  openDocuments,
  openExcerpts,
  readColor,
  readSavedSettings,
  readTokenColor,
  openTools,
} from './support.ts'

const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' })

test('documents and bundles show their state, files and pages by keyboard, and undocumented responses are shown in full', async ({
  page,
}) => {
  await test.step('the document list shows files and their state, and the pages of a document outline, text and handwriting, by keyboard', async () => {
    await openDocuments(page)
    const grid = page.getByRole('grid', { name: 'Documents' })
    await expect(grid.getByText('main document')).toBeVisible()
    await expect(grid.getByText('file available').first()).toBeVisible()
    await grid.getByRole('row').nth(1).click()
    await expect(inspector(page)).toContainText('available_and_published')
    await page.getByRole('button', { name: 'Verify the file hash' }).click()
    await expect(inspector(page)).toContainText(/remainingUnverifiedMaterializedMappingCount\s*0/)
    await page.getByText('Version points', { exact: true }).click()
    await expect(page.getByRole('grid', { name: 'Version points' })).toBeVisible()

    await openDocuments(page)
    await page.getByRole('grid', { name: 'Documents' }).getByRole('link').first().click()
    await expect(page).toHaveURL(/\/pages/)
    const outline = page.getByRole('grid', { name: 'Outline' })
    await outline.getByRole('row').nth(2).click()
    await expect(page).toHaveURL(/\/pages\/\d+/)
    const field = page.getByRole('textbox', { name: 'Go to page' })
    await field.fill('2')
    await field.press('Enter')
    await expect(page).toHaveURL(/\/pages\/2/)
    const article = page.getByRole('article', { name: 'Page 2', exact: true })
    await expect(article.getByRole('listbox', { name: 'Page images' }).getByRole('option').first()).toBeVisible()
    await expect(article.getByRole('application')).toBeVisible()
    await article.focus()
    await page.keyboard.press('ArrowRight')
    await expect(page).toHaveURL(/\/pages\/3/)
    await page.keyboard.press('End')
    await expect(page).toHaveURL(/\/pages\/64/)
    await page.getByText('All pages', { exact: true }).click()
    await expect(page.getByRole('grid', { name: 'All pages' })).toHaveAttribute('aria-rowcount', '65')
    await page.getByRole('checkbox', { name: 'Text blocks' }).check()
    await expect(page.getByRole('region', { name: 'Text blocks' })).toBeVisible()
    await page.getByRole('combobox', { name: /Blanks from/ }).selectOption({ label: 'Calculus II' })
    await expect(page).toHaveURL(/studySet=/)
    await expectAccessible(page, 'pages')
  })
  await test.step('bundles show their progress and files, and no path leads outside them; undocumented responses are shown in full', async () => {
    await go(page, '#/bundles')
    const grid = page.getByRole('grid', { name: 'Bundles' })
    const failed = grid.getByRole('row').filter({ hasText: 'failed' })
    await expect(failed).toContainText('A page could not be read.')
    const preparing = grid.getByRole('row').filter({ hasText: 'preparing' })
    await expect(preparing).toContainText('7 of 24 pages')
    await expect(preparing.getByRole('progressbar', { name: 'Progress' })).toHaveAttribute('aria-valuenow', '29')
    const error = await readTokenColor(page, '--error')
    expect(await readColor(failed.getByText('failed', { exact: true }), 'color')).toBe(error)
    await expect(grid).not.toContainText(/\d{4}-\d\d-\d\dT/)
    for (const cell of await grid.getByRole('gridcell').filter({ hasText: 'pages' }).all()) {
      expect(await cell.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0)
    }

    await grid.getByRole('row').nth(1).click()
    await page.getByRole('button', { name: 'manifest.json' }).click()
    await expect(page.getByLabel('Content: manifest.json')).toContainText('"pages"')
    const field = page.getByRole('textbox', { name: 'Path inside the bundle' })
    await field.fill('../../etc/passwd')
    await field.press('Enter')
    await expect(page.getByRole('alert')).toContainText('points outside the bundle')
    await expectAccessible(page, 'bundles')

    await go(page, '#/host?view=interface')
    await expect(page.getByRole('region', { name: 'Template and plugins', exact: true })).toContainText('plugins')
    await go(page, '#/host?view=sync')
    await expect(page.getByRole('region', { name: 'Sync events', exact: true })).toContainText(
      '42 events after sequence 0',
    )
    await expect(page.getByText('No later events.')).toBeVisible()
  })
})

test('excerpts can be sorted, filtered and grouped, and cards differ from records @core', async ({ app, page }) => {
  await openExcerpts(page)
  const grid = page.getByRole('grid', { name: 'Excerpts' })
  await expect(grid).toHaveAttribute('aria-rowcount', '73')
  await expect(page.getByText(/72 excerpts · in 2 study sets · \d+ duplicate segments/)).toBeVisible()
  await grid.getByRole('columnheader', { name: 'Page' }).getByRole('button').click()
  await expect(grid.getByRole('columnheader', { name: 'Page' })).toHaveAttribute('aria-sort', 'ascending')
  const start = grid.getByRole('columnheader', { name: 'Start' })
  await start.getByRole('button').press('Shift+Enter')
  await expect(start.getByRole('button')).toHaveAccessibleDescription('Sort column 2, ascending')
  await start.getByRole('button').press('Shift+Space')
  await expect(start.getByRole('button')).toHaveAccessibleDescription('Sort column 2, descending')
  await expect(grid.getByRole('columnheader', { name: 'Page' })).toHaveAttribute('aria-sort', 'ascending')
  await page.getByRole('searchbox').fill('p6')
  await expect(page.getByText(/^\d+ of 72$/)).toBeVisible()
  await grid.getByRole('row').nth(1).click()
  await expect(inspector(page)).toContainText('This is where plugin state lives.')
  await expect(page).toHaveURL(/note=/)
  await page.getByRole('searchbox').fill('')
  await openTools(page)
  await page.getByRole('radiogroup', { name: 'Group by' }).getByText('Page', { exact: true }).click()
  await expect(page).toHaveURL(/group=page/)
  await expect(grid.getByText('Page 1', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Columns', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Start' }).uncheck()
  await expect(grid.getByRole('columnheader', { name: 'Start' })).toBeHidden()
  await page.getByRole('button', { name: 'Move Page up' }).click()
  await expect(grid.getByRole('columnheader').first()).toHaveText('Page')
  await page.keyboard.press('Escape')
  await expect.poll(() => readSavedSettings(app.dataDir)).toMatch(/"order":\s*\[\s*"page"/)
  const restarted = await app.restart()
  await waitForConnection(restarted)
  await expect(restarted.getByRole('grid', { name: 'Excerpts' }).getByRole('columnheader').first()).toHaveText('Page')
})

test('every control of the excerpts is in reach in a small window; they are saved as CSV and as sent by the host, and duplicates are pairs', async ({
  app,
  page,
}) => {
  test.skip(app.mode === 'electron', 'the same page')
  test.skip(app.mode === 'electron', 'there the system asks where, in a dialog of its own')
  await test.step('every control of the excerpts is in reach in a small window, and a message moves none', async () => {
    // As at 1000 px, zoomed to 150 %.
    await page.setViewportSize({ width: 667, height: 650 })
    await openExcerpts(page)
    await expect(page.getByRole('grid', { name: 'Excerpts' })).toBeVisible()
    const main = await page.getByRole('main').boundingBox()
    const listEdges = (): Promise<number[]> =>
      page
        .getByRole('main')
        .locator('header')
        .locator('button:visible, input:visible, label:visible')
        .evaluateAll((all) => all.map((element) => element.getBoundingClientRect().right))
    // The bar measures itself before it puts away what has no room.
    await expect
      .poll(async () => (await listEdges()).filter((right) => right > (main?.x ?? 0) + (main?.width ?? 0)))
      .toEqual([])

    const search = page.getByRole('searchbox')
    const before = await search.boundingBox()
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('menuitem', { name: 'Export CSV' }).click()
    await coming
    await expect(page.getByRole('status').filter({ hasText: /Saved “.+\.csv”/ })).toBeVisible()
    expect(await search.boundingBox()).toEqual(before)
  })
  await test.step('the shown excerpts are saved as CSV and as sent by the host, and duplicates are pairs of cards in two study sets', async () => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await openExcerpts(page)
    // The list of documents has a similar field, so wait for the other place first.
    await expect(page.getByRole('grid', { name: 'Excerpts' })).toBeVisible()
    await page.getByRole('searchbox').fill('p6')
    await expect(page.getByText(/^\d+ of 72$/)).toBeVisible()
    const downloadText = async (name: string): Promise<string> => {
      const coming = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('menuitem', { name }).click()
      return readFileSync(await (await coming).path(), 'utf8')
    }
    const csv = (await downloadText('Export CSV')).trim().split('\r\n')
    const json = JSON.parse(await downloadText('Export JSON')) as { page: number }[]
    expect(csv[0]).toContain('Card id')
    expect(csv).toHaveLength(json.length + 1)
    expect(json.some((entry) => entry.page === 6)).toBe(true)

    await page.getByRole('tab', { name: 'Duplicates' }).click()
    await expect(page).toHaveURL(/view=duplicates/)
    const row = page.getByRole('grid', { name: 'Duplicates' }).getByRole('row').nth(1)
    await expect(row.getByRole('link')).toHaveCount(2)
    await row.click({ position: { x: 8, y: 8 } })
    await expect(inspector(page)).toContainText('Record id')
    await row.getByRole('link').first().click()
    await expect(page).toHaveURL(/#\/notes\//)
    await expect(page.getByText('This card is gone')).toHaveCount(0)
  })
})
