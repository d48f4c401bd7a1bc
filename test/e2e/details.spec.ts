import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { Steps } from './steps.ts'
import { waitForConnection, go, openDocuments, readColor, readTokenColor, startOwnHost } from './support.ts'
import { CARD, SET } from './writing.ts'

const status = (page: Page): Locator => page.getByRole('status', { name: 'Connection' })
const measureLeftEdge = async (locator: Locator): Promise<number> => (await locator.boundingBox())?.x ?? Number.NaN

test('the list of hosts separates the lock from the name and aligns its icons, and the status bar changes the host', async ({
  app,
}) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await go(page, '#/connect')
  await page.getByRole('button', { name: 'Open the demo library' }).click()
  await expect(page).toHaveURL(/#\/library/)
  await go(page, '#/connect')
  const rows = page.getByRole('main').getByRole('row')
  await expect(rows.getByRole('button', { name: /^Edit / })).toHaveCount(2)
  const pencils = await Promise.all((await rows.getByRole('button', { name: /^Edit / }).all()).map(measureLeftEdge))
  expect(pencils[1]).toBeCloseTo(pencils[0] ?? Number.NaN, 0)
  const name = rows
    .filter({ has: page.getByLabel('Read-only: no writes are sent') })
    .first()
    .getByRole('cell')
    .first()
  const text = await name.locator('bdi').boundingBox()
  const lock = await measureLeftEdge(name.locator('svg'))
  expect(lock - ((text?.x ?? 0) + (text?.width ?? 0))).toBeGreaterThanOrEqual(4)

  // The place stays.
  await go(page, '#/host?view=guide')
  const steps = new Steps(page)
  await steps.click(page.getByRole('button', { name: /^Host: / }))
  await steps.click(page.getByRole('menu', { name: 'Switch host' }).getByRole('menuitem').first())
  await expect(page.getByRole('button', { name: 'Host: Demo library' })).toBeHidden()
  await expect(page.getByRole('button', { name: /^Host: / })).toBeVisible()
  await waitForConnection(page)
  await expect(page).toHaveURL(/#\/host\?view=guide$/)
  expect(steps.names).toHaveLength(2)
  await host.close()
})

test('the filmstrip shows its selection under the pointer', async ({ app }) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const card = host.state.library.sets
    .flatMap((set) => set.cards)
    .find(({ parts }) => parts.filter(({ contentId }) => contentId).length > 1)
  await go(page, `#/notes/${card?.noteid ?? ''}?tab=content`)
  const selected = page.getByRole('option', { selected: true })
  await selected.hover()
  expect(await readColor(selected, 'background-color')).toBe(await readTokenColor(page, '--selection'))
  await host.close()
})

test('a document shows its study set, the write sheet stands beside the card, and Disconnect clears the host', async ({
  page,
}) => {
  await test.step('a document shows the study set that it was opened from', async () => {
    await openDocuments(page)
    const list = new URL(page.url()).hash
    await page.getByRole('grid', { name: 'Documents' }).getByRole('link').first().click()
    const back = page.getByRole('main').getByRole('link', { name: /系统解剖学/ })
    await expect(back).toBeVisible()
    const sides = page.getByRole('navigation', { name: 'Views of the document' })
    await sides.getByRole('link', { name: 'Excerpts', exact: true }).click()
    await expect(page).toHaveURL(/\/excerpts\?topicid=/)
    await back.click()
    await expect.poll(() => new URL(page.url()).hash).toBe(list)
  })
  await test.step('the write sheet stands beside the selected card, not over it', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await go(page, `#/study-sets/${SET}/tree?note=${CARD}`)
    const inspector = page.getByRole('complementary', { name: 'Inspector' })
    await inspector.getByRole('button', { name: 'Write…' }).click()
    await page.getByRole('menuitem', { name: 'Set the title', exact: true }).click()
    const sheet = page.getByRole('dialog', { name: 'Set the title' })
    await expect(sheet.getByRole('textbox', { name: /^text/ })).toBeFocused()
    const box = await sheet.boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? Number.NaN)).toBeLessThanOrEqual(await measureLeftEdge(inspector))
    await page.keyboard.press('Escape')
    await expect(sheet).toBeHidden()
    // In the place of a card, the sheet takes the right half of the window.
    await go(page, `#/notes/${CARD}`)
    await page.getByRole('main').getByRole('button', { name: 'Write…' }).click()
    await page.getByRole('menuitem', { name: 'Set the title', exact: true }).click()
    await expect(sheet).toBeVisible()
    expect(await measureLeftEdge(sheet)).toBeGreaterThanOrEqual(1440 / 2)
    await page.keyboard.press('Escape')
    await expect(sheet).toBeHidden()
  })
  await test.step('Disconnect clears the host from the status bar, and does not call the library empty', async () => {
    await expect(status(page)).toHaveText(/^\s*Online\s*\d/)
    await go(page, '#/connect')
    await page.getByRole('main').getByRole('button', { name: 'Disconnect' }).click()
    await expect(status(page)).toHaveText(/^\s*Not connected\s*$/)
    await expect(page.getByRole('contentinfo')).not.toContainText('interruption')
    await go(page, '#/library')
    await expect(page.getByRole('main')).toContainText('Not connected')
    await expect(page.getByRole('main')).not.toContainText(/no study sets|0 study sets/i)
  })
})
