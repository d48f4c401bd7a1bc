import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { waitForConnection, go, openDocuments, openTree } from './support.ts'
import { CARD, compose, dialog, field, openRecord, record, send, SET } from './writing.ts'

const main = (page: Page): Locator => page.getByRole('main')
const inspector = (page: Page): Locator => page.getByRole('complementary', { name: 'Inspector' })
const rows = (page: Page): Locator => page.getByRole('grid', { name: 'Traffic' }).getByRole('row')
const getNamesRegion = (page: Page): Locator => page.getByRole('region', { name: 'What it names' })
const traffic = (within: Locator): Locator => within.getByRole('link', { name: 'Traffic', exact: true })

/** Expects that the list shows only exchanges that name the id. */
async function expectNaming(page: Page, id: string, path = '/'): Promise<void> {
  await expect(page).toHaveURL(new RegExp(`#/traffic\\?(?:.*&)?id=${id}(?:&|$)`))
  await rows(page).filter({ hasText: path }).first().click()
  await expect(page).toHaveURL(/#\/traffic\/[0-9a-f-]{36}\?/)
  await expect(page.getByRole('region', { name: 'Exchange' })).toBeVisible()
}

test('what an exchange names links to the exchanges that name it, and an operation and its request id to the sent request', async ({
  page,
}) => {
  await test.step('a study set, a card and a document link to the exchanges that name them, and an exchange links back', async () => {
    await waitForConnection(page)
    await openTree(page, /系统解剖学/)
    await go(page, `#/notes/${CARD}?topicid=${SET}`)
    await main(page).getByRole('link', { name: 'All exchanges that name it' }).click()
    await expectNaming(page, CARD)
    // Ids in the path are listed separately from other ids of the exchange.
    await expect(getNamesRegion(page).getByRole('link', { name: CARD })).toBeVisible()
    await getNamesRegion(page).getByRole('link', { name: CARD }).click()
    // An id of a known kind opens directly.
    await expect(page).toHaveURL(new RegExp(`#/notes/${CARD}`))

    await go(page, `#/traffic?id=${SET}`)
    // The response of a read that the last page began may name it, too.
    await expectNaming(page, SET, '/tree')
    const item = getNamesRegion(page).getByRole('listitem').filter({ hasText: SET })
    await item.getByRole('link', { name: 'All exchanges that name it' }).click()
    await expectNaming(page, SET, '/tree')
    await item.getByRole('link', { name: SET }).click()
    await expect(page).toHaveURL(new RegExp(`#/study-sets/${SET}/tree`))

    await openDocuments(page)
    await page.getByRole('grid', { name: 'Documents' }).getByRole('row').nth(1).click()
    const href = await traffic(inspector(page)).getAttribute('href')
    const document = /[?&]id=([^&]+)/.exec(href ?? '')?.[1] ?? ''
    await traffic(inspector(page)).click()
    await expectNaming(page, document)

    await go(page, '#/library')
    await page.getByRole('row').filter({ hasText: '系统解剖学' }).click()
    await traffic(inspector(page)).click()
    await expectNaming(page, SET)
  })
  await test.step('an operation and its request id link to the sent request, which links back to the record', async () => {
    await compose(page, 'Commit pencil strokes')
    await expect(field(page, 'surfaceId')).toHaveValue('main')
    await send(page)
    await openRecord(page)
    const address = page.url().replace(/^[^#]*/, '')
    await record(page).getByRole('link', { name: 'Traffic of the request id' }).click()
    await expect(rows(page).filter({ hasText: '/pencil-commit' }).first()).toBeVisible()

    await go(page, address)
    await traffic(record(page)).click()
    await rows(page).filter({ hasText: '/pencil-commit' }).first().click()
    const operation = page
      .getByRole('region', { name: 'Exchange' })
      .getByRole('link', { name: /^[0-9a-f-]{36}$/ })
      .first()
    await operation.click()
    await expect(record(page)).toBeVisible()
    expect(page.url()).toContain(address)
    await expect(dialog(page)).toHaveCount(0)
  })
})
