import { endpoints } from '../../shared/bridge/endpoints/index.ts'
import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go } from './support.ts'
import { CARD, SET } from './writing.ts'

test('a few letters and Enter find every write, deleting ones stand apart, and a card fills in its id', async ({
  page,
}) => {
  await waitForConnection(page)
  await go(page, '#/operations')
  const button = page.getByRole('button', { name: 'New operation…' })
  await button.focus()
  await page.keyboard.press('Enter')
  const menu = page.getByRole('menu', { name: 'New operation…' })
  const count = endpoints.filter(
    ({ access, returnsSecret: secret, isUpload: upload }) => access !== 'read' && !secret && !upload,
  ).length
  await expect.poll(() => menu.getByRole('menuitem').count()).toBeGreaterThanOrEqual(count)
  const last = menu.getByRole('group').last()
  await expect(last).toHaveAccessibleName('Deletes, or can’t be undone')
  await expect(last.getByRole('menuitem', { name: 'Delete a study set' })).toBeVisible()
  await expect(menu.getByRole('menuitem', { name: 'Delete cards' })).toHaveCount(1)
  await expectAccessible(page, 'the menu of writes')
  // Nothing is clipped at the edge of the window.
  const box = await menu.boundingBox()
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0)

  await page.keyboard.press('ArrowDown')
  await expect(menu.getByRole('menuitem').first()).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()
  await expect(button).toBeFocused()

  await page.keyboard.press('Enter')
  await page.keyboard.type('deck')
  await expect(menu.getByRole('menuitem')).toHaveText([/Create a deck/, /Add cards to a deck/, /Open the deck/])
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Create a deck' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()

  await go(page, `#/notes/${CARD}?topicid=${SET}`)
  await page.getByRole('main').getByRole('button', { name: 'Write…' }).click()
  await page.keyboard.type('merge')
  await page.keyboard.press('Enter')
  const sheet = page.getByRole('dialog', { name: 'Merge a branch into its card' })
  await expect(sheet.getByRole('textbox', { name: /^noteid/ })).toHaveValue(CARD)
})
