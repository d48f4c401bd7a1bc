import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go, readSavedSettings, waitUntilSettled } from './support.ts'

const line = { name: 'Take the tour' } as const

test('the demo offers a tour of eight real places, which works by keyboard and is not offered again', async ({
  app,
  page,
}) => {
  await waitForConnection(page)
  await page.getByRole('button', line).focus()
  await page.keyboard.press('Enter')
  const tour = page.getByRole('dialog', { name: 'Tour of the demo library' })
  const places = [/#\/library$/, /#\/study-sets\/[^/]+\/tree/, /#\/notes\//].concat(
    ['panel', 'traffic', 'console', 'operations', 'contract'].map((name) => new RegExp(`#/${name}$`)),
  )
  for (const [index, place] of places.entries()) {
    await expect(tour).toContainText(`Step ${index + 1} of 8`)
    await expect(page).toHaveURL(place)
    await waitUntilSettled(page)
    // The places under it are checked without a tour.
    if (index === 0) await expectAccessible(page, 'tour')
    await expect(tour.getByRole('button', { name: index === 7 ? 'Done' : 'Next', exact: true })).toBeFocused()
    await page.keyboard.press('Enter')
  }
  await expect(tour).toBeHidden()
  await go(page, '#/library')
  await page.getByRole('region', { name: 'Welcome' }).getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => readSavedSettings(app.dataDir)).toContain('"tourSeen": true')
  const restarted = await app.restart()
  await waitForConnection(restarted)
  await go(restarted, '#/library')
  await expect(restarted.getByRole('grid', { name: 'Study sets' })).toBeVisible()
  await expect(restarted.getByRole('button', line)).toBeHidden()
  await restarted.keyboard.press('ControlOrMeta+k')
  await restarted.keyboard.type('Take the tour')
  await restarted.keyboard.press('Enter')
  await expect(restarted.getByRole('dialog', { name: 'Tour of the demo library' })).toContainText('Step 1 of 8')
  await restarted.keyboard.press('Escape')
  await expect(restarted.getByRole('dialog', { name: 'Tour of the demo library' })).toBeHidden()
})

test('the tour goes back a step, ends on Escape, and is declined with one click, in Chinese as well', async ({
  app,
  page,
}) => {
  await waitForConnection(page)
  await page.getByRole('button', line).click()
  const tour = page.getByRole('dialog', { name: 'Tour of the demo library' })
  await tour.getByRole('button', { name: 'Next', exact: true }).click()
  await expect(page.getByRole('treeitem').first()).toBeVisible()
  await page.getByRole('treeitem').nth(1).click()
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toBeVisible()
  await tour.getByRole('button', { name: 'Back' }).click()
  await expect(tour).toContainText('Step 1 of 8')
  await expect(page).toHaveURL(/#\/library$/)
  await page.keyboard.press('Escape')
  await expect(tour).toBeHidden()
  await expect(page.getByRole('main')).toBeFocused()
  await expect(page.getByRole('button', line)).toBeVisible()

  await expect(page.getByRole('link', { name: 'Calculus II' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page.keyboard.type('Simplified Chinese')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: '开始导览' })).toBeVisible()
  await page.getByRole('button', { name: '关闭' }).click()
  await expect(page.getByRole('button', { name: '开始导览' })).toBeHidden()
  await expect.poll(() => readSavedSettings(app.dataDir)).toContain('"tourSeen": true')
})

test.describe('a host other than the demo', () => {
  test.use({ flags: [] })
  test('offers no tour', async ({ page }) => {
    await go(page, '#/library')
    await expect(page.getByRole('main')).toContainText('Not connected')
    await expect(page.getByRole('button', line)).toBeHidden()
  })
})
