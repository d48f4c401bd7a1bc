import { expect, test } from './fixtures.ts'
import { waitForConnection, go, openTree } from './support.ts'

test.describe('the inspector', () => {
  test('is shown only while something is selected', async ({ page }) => {
    await waitForConnection(page)
    await go(page, '#/library')
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    const grid = page.getByRole('grid', { name: 'Study sets' })
    await expect(grid.getByRole('row').nth(1)).toBeVisible()
    await expect(inspector).toBeHidden()
    const wide = (await grid.boundingBox())?.width ?? 0
    await grid
      .getByRole('row')
      .nth(2)
      .click({ position: { x: 400, y: 5 } })
    await expect(inspector).toBeVisible()
    expect((await grid.boundingBox())?.width ?? 0).toBeLessThan(wide - 200)
  })

  test('lies over the content in a narrow window, and can be closed', async ({ page }) => {
    await page.setViewportSize({ width: 1000, height: 650 })
    await waitForConnection(page)
    await openTree(page, 'Calculus II')
    const tree = page.getByRole('tree')
    const wide = (await tree.boundingBox())?.width
    await page.getByRole('treeitem').nth(2).click()
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    await expect(inspector).toBeVisible()
    expect((await tree.boundingBox())?.width).toBe(wide)
    await inspector.getByRole('button', { name: 'Hide inspector' }).click()
    await expect(inspector).toBeHidden()
    await page.getByRole('button', { name: 'Show inspector' }).click()
    await expect(inspector).toBeVisible()
  })
})

test('a table drops its least important columns before it scrolls sideways, and shows them again', async ({ page }) => {
  await waitForConnection(page)
  await go(page, '#/library')
  const grid = page.getByRole('grid', { name: 'Study sets' })
  const headers = grid.getByRole('columnheader')
  await expect(headers).toHaveText(['Title', 'Cards', 'Documents', 'Last change', 'Study set id'])
  await page.setViewportSize({ width: 700, height: 650 })
  await expect(headers).toHaveText(['Title', 'Cards', 'Documents', 'Last change'])
  expect(await grid.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await expect(headers.last()).toHaveAttribute('aria-colindex', '4')
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect(headers).toHaveCount(5)
})

test('a full response covers a narrow window only on request', async ({ page }) => {
  await page.setViewportSize({ width: 1000, height: 650 })
  await waitForConnection(page)
  await go(page, '#/host?view=status')
  await expect(page.getByRole('main').getByText(/nonce/).first()).toBeVisible()
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await expect(inspector).toBeHidden()
  await page.getByRole('button', { name: 'Show inspector' }).click()
  await expect(inspector).toContainText('bridgeApiVersion')
})
