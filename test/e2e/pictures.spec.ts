import { expect, test } from './fixtures.ts'
import { go, startOwnHost, waitForConnection, waitUntilSettled } from './support.ts'
import { field } from './writing.ts'

/** A card with three blank bands and two pictures, and its study set. */
const BANDED_CARD = '8081A23D-A3C2-4046-89E0-69A3F54A1858'
const BANDED_SET = '9F7BDE9F-359C-45DC-8361-F30A50CFD47A'

test('a card shows its pictures, a print sheet its titles, and an appended band is drawn before and after', async ({
  page,
}) => {
  await waitForConnection(page)
  await go(page, `#/notes/${BANDED_CARD}`)
  const main = page.getByRole('main')
  await expect(main.getByRole('link', { name: /^Picture: / })).toHaveCount(2)
  await expect(
    main
      .getByRole('link', { name: /^Picture: / })
      .first()
      .locator('img'),
  ).toBeVisible()
  await go(page, `#/study-sets/${BANDED_SET}/print`)
  const printed = main.getByRole('listbox').getByRole('option').first()
  await expect(printed).toContainText('Tang poetry')
  await waitUntilSettled(page)
  const margin = await printed.evaluate((option) => {
    const paper = option.firstElementChild
    const last = paper?.lastElementChild
    return (paper?.getBoundingClientRect().bottom ?? 0) - (last?.getBoundingClientRect().bottom ?? 0)
  })
  expect(margin).toBeGreaterThanOrEqual(10)

  await go(page, `#/notes/${BANDED_CARD}`)
  await main.getByRole('button', { name: 'Write…' }).click()
  await page.getByRole('menuitem', { name: 'Append a blank band' }).click()
  const sheet = page.getByRole('dialog', { name: 'Append a blank band' })
  await field(page, 'height').fill('300')
  await sheet.getByRole('button', { name: 'Review' }).click()
  const drawing = sheet.getByRole('region', { name: 'Bands before and after' })
  const before = drawing.getByRole('list', { name: 'Bands before' }).getByRole('listitem')
  const after = drawing.getByRole('list', { name: 'Bands after' }).getByRole('listitem')
  await expect(before).toHaveCount(3)
  await expect(after).toHaveCount(4)
  await expect(drawing).toContainText('as the request asks, not confirmed')
  await sheet.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(drawing).toContainText('old since the write')
  await expect(drawing).toContainText(/read back just now|as the host answered/)
  await expect(drawing).not.toContainText('not confirmed')
  await expect(after.last().getByRole('img', { name: /added$/ })).toBeVisible()
  const heightOf = async (index: number): Promise<number> => (await after.nth(index).boundingBox())?.height ?? 0
  // The first band is 600 high, the new one 300.
  expect((await heightOf(0)) / (await heightOf(3))).toBeCloseTo(2, 1)
})

test('a notice stands below the place and covers nothing of it', async ({ app }) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await go(page, '#/console?method=GET&path=%2Fstatus')
  await host.restart(500)
  const notice = page.getByText(/The host restarted at/)
  await expect(notice).toBeVisible({ timeout: 20_000 })
  const place = await page.getByRole('main').boundingBox()
  expect((await notice.boundingBox())?.y).toBeGreaterThanOrEqual((place?.y ?? 0) + (place?.height ?? 0))
})
