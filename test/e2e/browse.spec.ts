import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go, openMore, openTree, startOwnHost } from './support.ts'

const inspector = 'Inspector'

test('search opens results of every kind, shows how much was scanned, and whether the host stopped early @core', async ({
  page,
}) => {
  await waitForConnection(page)
  await go(page, '#/search')
  const field = page.getByRole('searchbox', { name: 'Search text' })
  await expect(field).toBeFocused()
  await field.fill('细胞')
  await page.keyboard.press('Enter')
  const hits = page.getByRole('grid', { name: 'Results' })
  await expect(page.getByText(/results · [\d,]+ cards scanned/)).toBeVisible()
  await expect(page).toHaveURL(/q=%E7%BB%86%E8%83%9E/)
  await hits.getByRole('row').nth(1).click()
  await expect(page.getByRole('complementary', { name: inspector })).toContainText('Open card')
  // The open inspector leaves no room for the kinds in the bar.
  await page.getByRole('main').getByRole('button', { name: 'All tools' }).click()
  await page.getByText('Study sets', { exact: true }).click()
  await field.fill('calculus')
  await page.keyboard.press('Enter')
  await hits.getByRole('link', { name: 'Calculus II' }).click()
  await expect(page).toHaveURL(/#\/study-sets\/.+\/tree/)
  await page.goBack()
  await field.fill('no such thing at all')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Nothing found')).toBeVisible()
  await expectAccessible(page, 'search')
  await go(page, '#/search?q=a')
  await expect(page.getByText('The host stopped early: there may be more.')).toBeVisible()
})

test('hashtags are a tree with counts and cards, sub-maps open the tree at their root, and decks show cards with their sources', async ({
  page,
}) => {
  await test.step('hashtags are a tree with counts, next to the cards that have the selected one, and sub-maps open the tree at their root', async () => {
    await waitForConnection(page)
    await openTree(page, /系统解剖学/)
    await openMore(page, 'Hashtags')
    const tree = page.getByRole('tree', { name: 'Hashtags' })
    await expect(tree.getByRole('treeitem').first()).toBeVisible()
    await tree.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/tag=/)
    await page.getByRole('searchbox', { name: 'Filter by path' }).fill('question')
    const tag = tree.getByRole('treeitem', { name: 'question' }).first()
    await tag.click()
    const cards = page.getByRole('grid', { name: 'Cards with this hashtag' })
    await expect(cards.getByRole('link').first()).not.toHaveText(/^[0-9A-F-]{36}$/)
    await cards.getByRole('row').nth(1).click()
    await expect(page.getByRole('complementary', { name: inspector })).toContainText('Hashtags')
    await page.getByRole('checkbox', { name: 'List cards' }).uncheck()
    await expect(page.getByText('Cards were not requested')).toBeVisible()
    await expectAccessible(page, 'hashtags')

    await openTree(page, /Generated mind map/)
    await openMore(page, 'Sub-maps')
    const grid = page.getByRole('grid', { name: 'Sub-maps' })
    await expect(grid.getByRole('row').nth(1)).toBeVisible()
    await page.getByText('Outline', { exact: true }).click()
    await expect(page).toHaveURL(/view=outline/)
    await grid.getByRole('link').first().click()
    await expect(page).toHaveURL(/tree\?root=/)
    await expect(page.getByRole('treeitem').first()).toBeVisible()
  })
  await test.step('decks show cards with their sources, and name deleted ones', async () => {
    await go(page, '#/library?list=decks')
    const decks = page.getByRole('grid', { name: 'Decks' })
    await decks.getByRole('row').nth(1).focus()
    let dead = false
    for (let n = 0; n < 3 && !dead; n += 1) {
      await go(page, '#/library?list=decks')
      await decks.getByRole('link').nth(n).click()
      const cards = page.getByRole('grid', { name: 'Cards of the deck' })
      await expect(cards.getByRole('row').nth(1)).toBeVisible()
      dead = (await page.getByRole('checkbox', { name: /Only deleted sources/ }).count()) > 0
    }
    expect(dead).toBe(true)
    await page.getByRole('checkbox', { name: /Only deleted sources/ }).check()
    const cards = page.getByRole('grid', { name: 'Cards of the deck' })
    await expect(cards.getByRole('gridcell', { name: 'deleted' }).first()).toBeVisible()
    await cards.getByRole('row').nth(1).click()
    await expect(page.getByRole('complementary', { name: inspector })).toContainText('gone')
  })
})

test.describe('the selection of the host', () => {
  test('is followed until the user selects something else', async ({ app }) => {
    const { host, flags } = await startOwnHost()
    const page = await app.restart(flags)
    try {
      await waitForConnection(page)
      const set = host.state.library.sets[0]
      const [first, second] = set?.cards.slice(3, 5) ?? []
      host.state.openState.topicid = set?.topicid ?? ''
      host.state.openState.noteid = first?.noteid ?? null
      const toggle = page.getByRole('button', { name: 'Follow the host' })
      await toggle.click()
      await expect(toggle).toHaveAttribute('aria-pressed', 'true')
      await expect(page.getByRole('complementary', { name: inspector })).toContainText(first?.title ?? 'x')
      await expect(toggle).not.toContainText('nothing selected')
      // Nothing is selected in the list of decks, so the inspector keeps showing the card.
      await go(page, '#/library?list=decks')
      await expect(page.getByRole('grid', { name: 'Decks' }).getByRole('row').nth(1)).toBeVisible()
      await expect(page.getByRole('complementary', { name: inspector })).toContainText(first?.title ?? 'x')

      await go(page, `#/study-sets/${set?.topicid ?? ''}/tree`)
      await expect(page.getByRole('treeitem').first()).toBeVisible()
      host.state.openState.noteid = second?.noteid ?? null
      await expect(page).toHaveURL(new RegExp(`note=${second?.noteid ?? 'x'}`))
      await page.getByRole('treeitem').first().click()
      const ownUrl = page.url()
      await page.waitForTimeout(2500)
      expect(page.url()).toBe(ownUrl)

      await toggle.click()
      const requestCount = host.log.length
      await page.waitForTimeout(2500)
      expect(host.log.slice(requestCount).filter(({ path }) => path.includes('/context'))).toEqual([])
    } finally {
      await host.close()
    }
  })
})
