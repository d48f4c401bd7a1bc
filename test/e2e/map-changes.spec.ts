import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { expectAccessible, go, startOwnHost, waitForConnection, openTools, chooseLevel } from './support.ts'
import { SET } from './writing.ts'

const map = (page: Page): Locator => page.getByRole('region', { name: 'Map' })

test('the map shows where moved and removed cards were, and leads to where they are now', async ({ app }) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await go(page, `#/study-sets/${SET}/changes`)
  const takeButton = page.getByRole('button', { name: 'Take snapshot' })
  await takeButton.click()
  await expect(page.getByText(/^One snapshot so far/)).toBeVisible()

  const set = host.state.library.sets.find(({ topicid }) => topicid === SET)
  if (!set) throw new Error('The library has no such study set.')
  const parentIds = new Set(set.cards.map(({ parent }) => parent))
  const leaves = set.cards.filter(({ noteid, parent }) => parent !== null && !parentIds.has(noteid))
  const [removed, moved] = leaves
  const target = set.cards.find(({ noteid, parent }) => parent === null && noteid !== moved?.parent)
  if (!removed || !moved || !target) throw new Error('The study set has too few cards.')
  set.cards.splice(set.cards.indexOf(removed), 1)
  set.cards.splice(set.cards.indexOf(moved), 1)
  moved.parent = target.noteid
  set.cards.splice(set.cards.indexOf(target) + 1, 0, moved)
  await takeButton.click()
  await expect(page.getByRole('tree', { name: 'Changes' }).getByRole('treeitem').first()).toBeVisible()

  await go(page, `#/study-sets/${SET}/map`)
  await expect(map(page)).toContainText(/\d cards/)
  await openTools(page)
  await page.getByLabel('Mark cards that changed').selectOption({ index: 1 })
  await chooseLevel(page, 'Expand all')
  await expect(map(page)).toContainText('2 former places')
  const toggle = map(page).getByRole('button', { name: 'Former places' })
  await expect(toggle).toHaveAttribute('aria-pressed', 'true')
  await expectAccessible(page, 'map with former places')

  await toggle.click()
  await expect(map(page)).not.toContainText('former place')
  await host.close()
})

test('the cards that calls named are marked, and a slider goes from call to call', async ({ page }) => {
  await waitForConnection(page)
  await go(page, `#/study-sets/${SET}/map`)
  await expect(map(page)).toContainText(/\d cards/)
  await map(page).getByRole('button', { name: 'Path of calls' }).click()
  const path = page.getByRole('region', { name: 'Path of calls' })
  // The map itself reads its cards, from some moment on.
  await expect(async () => {
    await path.getByLabel('Calls of').selectOption({ index: 0 })
    await path.getByLabel('Calls of').selectOption({ label: 'Everything since the program started' })
    await expect(path).toContainText(/\d cards? named/, { timeout: 1_000 })
  }).toPass()
  await expect(page).toHaveURL(/calls=this-run/)
  const slider = path.getByRole('slider', { name: 'Call' })
  const last = (await slider.getAttribute('aria-valuetext')) ?? ''
  await slider.press('Home')
  await expect(slider).toHaveAttribute('aria-valuetext', 'Before the first call')
  await slider.press('ArrowRight')
  await expect(slider).toHaveAttribute('aria-valuetext', /^Call 1 of \d/)
  await slider.press('End')
  await expect(slider).toHaveAttribute('aria-valuetext', last)
  await path.getByRole('button', { name: 'Close the path of calls' }).click()
  await expect(path).toBeHidden()
})
