import type { Locator, Page } from '@playwright/test'
import type { DemoHost } from '../../electron/demo-host/server.ts'
import type { DemoCard } from '../../electron/demo-host/library/model.ts'
import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go, startOwnHost } from './support.ts'
import { CARD, titleOf } from './writing.ts'

/** A card of the demo library that meets the condition. */
function getCard(host: DemoHost, isWanted: (card: DemoCard) => boolean): DemoCard {
  const card = [...host.state.library.cards.values()].find(isWanted)
  if (!card) throw new Error('no such card in the demo library')
  return card
}

const countBatchReads = (host: DemoHost): number =>
  host.log.filter(({ endpoint }) => endpoint === 'notes.batchGet').length
const inspector = (page: Page) => page.getByRole('complementary', { name: 'Inspector' })
const panel = (page: Page) => page.getByRole('tabpanel')

test('a card shows its texts, color, hashtags, practice and fields, and links to related places @core', async ({
  app,
}) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const card = getCard(host, ({ practice, docBookmd5 }) => practice.length > 2 && docBookmd5 !== null)
  card.texts.push({ index: 9, text: 'ninth', excerpt: true, noteid: card.noteid, kind: 'text' })
  await go(page, `#/notes/${card.noteid}`)
  await expect(page.getByRole('heading', { level: 1, name: card.title })).toBeVisible()
  await expect(
    panel(page)
      .getByText(/^Index(es)? [\d to]+ (is|are) missing\.$/)
      .first(),
  ).toBeVisible()
  await expect(
    panel(page).getByRole('img', { name: new RegExp(`^Level ${card.colorIndex}: #[0-9A-F]{6}$`) }),
  ).toBeVisible()
  await expect(panel(page).getByRole('list', { name: 'Practice history' }).getByRole('listitem')).toHaveCount(
    card.practice.length,
  )
  await expect(panel(page).getByText('commentsRevision')).toBeVisible()
  await expect(panel(page).getByRole('link', { name: `Page ${card.docPage ?? 0}` })).toHaveAttribute(
    'href',
    `#/documents/${card.docBookmd5 ?? ''}/pages/${card.docPage ?? 0}?topicid=${card.topicid}`,
  )
  await expect(inspector(page)).toContainText('POST /notes/batch-get')

  await panel(page).locator('dd').getByRole('link').first().click()
  await expect(page.getByRole('treeitem', { selected: true })).toBeVisible()
  await expect(inspector(page).getByRole('link', { name: 'Open card' })).toBeVisible()
  await inspector(page).getByRole('link', { name: 'Open card' }).click()
  await expect(page).toHaveURL(new RegExp(`#/notes/${card.noteid}`))
  await host.close()
})

test('the views of a card open by keyboard alone, each has an address, a part opens its content, and bands are drawn to scale', async ({
  app,
}) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await test.step('the views', async () => {
    const card = getCard(host, ({ bands, parts }) => bands.length === 8 && parts.length > 0)
    await go(page, `#/notes/${card.noteid}`)
    await page.getByRole('tab', { name: 'Overview' }).focus()
    await page.keyboard.press('ArrowRight')
    await expect(page).toHaveURL(/tab=parts/)
    await expect(page.getByRole('tab', { name: /^Parts/ })).toBeFocused()
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await expect(inspector(page)).toContainText('kind')

    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('tab', { name: /^Bands 8/ })).toBeFocused()
    await page.keyboard.press('Tab')
    await expect(
      page.getByRole('button', { name: /^Band 0 · practice · height 120 · no ink · not live/ }),
    ).toBeFocused()
    await expect(page.getByRole('tooltip')).toContainText('height 120')
    await page.keyboard.press('Enter')
    await expect(inspector(page)).toContainText('physicalNoteId')
    for (let n = 0; n < 8; n += 1) await page.keyboard.press('Tab')
    await expect(page.getByRole('tooltip')).toContainText('Sequence number')

    await page.getByRole('tab', { name: /^Bands/ }).focus()
    await page.keyboard.press('End')
    await expect(page).toHaveURL(/tab=raw/)
    await expect(panel(page)).toContainText(`"noteid": "${card.noteid}"`)
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('tab', { name: 'Overview' })).toBeFocused()
    await page.keyboard.press('ArrowLeft')
    await page.reload()
    await expect(page.getByRole('tab', { name: 'Raw' })).toHaveAttribute('aria-selected', 'true')
  })
  await test.step('bands are drawn to scale, with ink distinct from paper', async () => {
    const card = getCard(host, ({ bands }) => bands.length === 8)
    await go(page, `#/notes/${card.noteid}?tab=bands`)
    const bands = page.getByRole('list', { name: 'Blank bands' }).getByRole('button')
    await expect(bands).toHaveCount(8)
    const heights = await bands.evaluateAll((all) => all.map((band) => band.getBoundingClientRect().height))
    const ratio = (heights[3] ?? 0) / (heights[1] ?? 1)
    expect(ratio).toBeCloseTo((card.bands[3]?.height ?? 0) / (card.bands[1]?.height ?? 1), 1)
    const looks = await bands.evaluateAll((all) => all.map((band) => getComputedStyle(band).backgroundImage !== 'none'))
    expect(looks).toEqual(card.bands.map(({ hasInk }) => hasInk))
    // The owner of a band is visible without scrolling, even beside the inspector.
    const owner = panel(page).getByRole('columnheader', { name: 'owner' })
    const measureRightEdge = async (locator: Locator): Promise<number> => {
      const box = await locator.boundingBox()
      return (box?.x ?? 0) + (box?.width ?? Number.NaN)
    }
    expect(await measureRightEdge(owner)).toBeLessThanOrEqual(await measureRightEdge(panel(page)))
  })
  await test.step('the list of parts opens a part with content, which has an address', async () => {
    const card = getCard(host, ({ parts }) => parts.some((part) => part.noteid !== undefined && part.kind === 'ink'))
    const merged = card.parts.findIndex(({ noteid }) => noteid !== undefined)
    const contentId = card.parts[merged]?.contentId ?? ''
    await go(page, `#/notes/${card.noteid}?tab=parts`)
    const grid = page.getByRole('grid', { name: 'Parts' })
    await grid.focus()
    await page.keyboard.press('Home')
    for (let n = 0; n < 1 + card.texts.length + merged; n += 1) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(new RegExp(`tab=content&content=${contentId}|content=${contentId}&tab=content`))
    await expect(page.getByRole('tab', { name: /^Content/ })).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByRole('option', { selected: true })).toContainText('Ink')
    await expect(page.getByRole('region', { name: 'Content: Ink' }).getByRole('img').first()).toBeVisible()
    expect(host.log.filter(({ endpoint, status }) => endpoint === 'notes.content' && status !== 200)).toEqual([])
  })
  await host.close()
})

test('a card says what is missing, gone or not read again, and is read once for all its views', async ({ app }) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  await test.step('opening all views of a card, and returning to it, takes one request', async () => {
    const [card, other] = [host.state.generatedSet.getNoteid(10), host.state.generatedSet.getNoteid(11)]
    await go(page, `#/notes/${card}`)
    for (const tab of [/^Parts/, /^Bands/, /^Raw/]) await page.getByRole('tab', { name: tab }).click()
    await go(page, `#/notes/${other}`)
    await expect(page.getByRole('heading', { level: 1, name: host.state.generatedSet.getTitle(11) })).toBeVisible()
    await go(page, `#/notes/${card}?topicid=${host.state.generatedSet.topicid}`)
    await expect(page.getByRole('heading', { level: 1, name: host.state.generatedSet.getTitle(10) })).toBeVisible()
    expect(countBatchReads(host)).toBe(2)
    await page.getByRole('button', { name: 'Reload' }).click()
    await expect.poll(() => countBatchReads(host)).toBe(3)
  })
  await test.step('a button searches for the decks of a card', async () => {
    const [deck] = host.state.library.decks
    const source = deck?.cards[1]?.sourceNoteId ?? ''
    await go(page, `#/notes/${source}`)
    await expect(page.getByRole('button', { name: 'Find in decks' })).toBeVisible()
    expect(host.log.some(({ endpoint }) => endpoint === 'decks.cards')).toBe(false)
    await page.getByRole('button', { name: 'Find in decks' }).click()
    await expect(page.getByRole('link', { name: deck?.title ?? '' })).toBeVisible()
  })
  await test.step('a missing list of bands is not reported as an empty one', async () => {
    await go(page, `#/notes/${host.state.generatedSet.getNoteid(7)}?tab=bands`)
    await expect(panel(page)).toContainText('The host sends no list of bands with the card')
    await expect(panel(page).getByRole('listitem')).toHaveText([/text\s*3\s*Blank/, /part\s*2\s*Blank/])
    await go(page, `#/notes/${host.state.generatedSet.getNoteid(8)}?tab=bands`)
    await expect(panel(page)).toContainText('None of its texts or parts is a blank.')
    await expect(page.getByText('No bands', { exact: true })).toBeHidden()
  })
  await test.step('a deleted card is reported as deleted, and an unreadable one gives the reason', async () => {
    await go(page, '#/notes/NO-SUCH-CARD')
    await expect(page.getByText('This card is gone')).toBeVisible()
    await expectAccessible(page, 'a card that is gone')
    host.setFault('html-500')
    await go(page, `#/notes/${host.state.generatedSet.getNoteid(3)}`)
    const alert = page.getByRole('alert')
    await expect(alert).toContainText('The card could not be read', { timeout: 20_000 })
    host.setFault(null)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('heading', { level: 1, name: host.state.generatedSet.getTitle(3) })).toBeVisible()
    await expect(alert).toBeHidden()
  })
  await test.step('a completely shown card is not reported as unreadable', async () => {
    await go(page, `#/notes/${CARD}`)
    const title = page.getByRole('heading', { level: 1 })
    await expect(title).toHaveText(titleOf(host))
    host.setFault('html-500')
    await page.getByRole('main').getByRole('button', { name: 'Reload', exact: true }).first().click()
    const failure = page.getByRole('alert').first()
    await expect(failure).toContainText('Not reloaded')
    await expect(failure).not.toContainText('could not be read')
    await expect(title).toHaveText(titleOf(host))
  })
  await host.close()
})

test('safety 37: hostile and very long titles stay text and break nothing', async ({ app }) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202Egnp.exe'
  const card = getCard(host, ({ practice }) => practice.length > 0)
  card.title = evil
  card.hashtags = [evil, `#${'long'.repeat(300)}/tail`]
  card.texts = [{ index: 0, text: `${evil}\n${'word'.repeat(3000)}`, excerpt: false, noteid: card.noteid, kind: evil }]
  card.practice = card.practice.map((verdict) => ({ ...verdict, reasonLabel: evil, addon: evil }))
  await go(page, `#/notes/${card.noteid}`)
  await expect(page.getByRole('heading', { level: 1 })).toContainText('<img src=x')
  for (const tab of [/^Parts/, /^Bands/, /^Raw/, /^Overview/]) {
    await page.getByRole('tab', { name: tab }).click()
    await expect(panel(page)).toBeVisible()
    const wide = await page.getByRole('main').evaluate((main) => main.scrollWidth > main.clientWidth)
    expect(wide, String(tab)).toBe(false)
  }
  await expect(page.getByRole('button', { name: /direction controls/ })).toBeVisible()
  expect(await page.getByRole('main').locator('img').count()).toBe(0)
  expect(await page.evaluate(() => Reflect.get(window, 'hacked'))).toBeUndefined()
  await host.close()
})
