import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import {
  waitForConnection,
  go,
  openTree,
  startOwnHost,
  getDialect,
  openTools,
  chooseLevel,
  chooseFilter,
} from './support.ts'

/** Version 0.49 documents no count of the whole listing, so nothing can be compared with it. */
const hasCounts = (): boolean => getDialect() !== '0.49'
const tree = (page: Page) => page.getByRole('tree', { name: 'Mind map' })
/** Title of the active row, once rendered: after a long jump no row is named for a frame. */
const readActiveName = async (page: Page): Promise<string | null> => {
  await expect(tree(page)).toHaveAttribute('aria-activedescendant', /.+/)
  const id = await tree(page).getAttribute('aria-activedescendant')
  return page.locator(`[id="${id ?? ''}"]`).getAttribute('aria-label')
}

test.describe('a tree of 200,000 cards', () => {
  test.use({ nodes: 200_000 })

  test('loads to the end, expands all, scrolls, filters and inspects @both @core', async ({ page }) => {
    await waitForConnection(page)
    await openTree(page, /Generated mind map/)
    await expect(page.getByText('200,000 cards', { exact: true })).toBeVisible({ timeout: 40_000 })
    await chooseLevel(page, 'Expand all')
    const rows = await page.getByRole('treeitem').count()
    expect(rows).toBeLessThan(120)
    await tree(page).focus()
    await page.keyboard.press('End')
    await expect(page.getByRole('treeitem', { name: / 200000$/ })).toBeVisible()

    await page.getByRole('searchbox', { name: 'Filter cards' }).fill('细胞膜 · 定义')
    await expect(page.getByText(/^\d+ matches$/)).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page.getByText(/^1 of \d+$/)).toBeVisible()
    const selected = page.getByRole('treeitem', { selected: true })
    await expect(selected).toHaveAccessibleName(/细胞膜 · 定义/)
    const name = (await selected.getAttribute('aria-label')) ?? ''
    await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText(name)
    await page.keyboard.press('F3')
    await expect(page.getByText(/^2 of \d+$/)).toBeVisible()
  })
})

test('a tree stops and continues loading, and never shows a part as the whole', async ({ app }) => {
  let pageCount = 0
  const { host, flags } = await startOwnHost({
    nodes: 20_000,
    chooseFault(endpointId) {
      if (endpointId !== 'studySets.tree') return null
      pageCount += 1
      // The listing cannot end before it is cancelled.
      return pageCount === 3 ? 'stall' : null
    },
  })
  const page = await app.restart(flags)
  await waitForConnection(page)
  await openTree(page, /Generated mind map/)
  await expect.poll(() => pageCount).toBeGreaterThanOrEqual(3)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText('Stopped; the rest is not shown')).toBeVisible()
  await expect(page.getByText(hasCounts() ? /^[\d,]+ of 20,000 cards$/ : /^[\d,]+ cards$/)).toBeVisible()
  await expect(page.getByText('20,000 cards', { exact: true })).toBeHidden()
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('20,000 cards', { exact: true })).toBeVisible()
  await expect(page.getByText('Data problems')).toBeHidden()
  await host.close()
})

test('the keyboard leads from the start to a tree and through it; its address, filter, palette and hashtags open what they name', async ({
  page,
}) => {
  await test.step('the keyboard alone leads from the start to a tree, and the palette finds its cards or gives the text to the host', async () => {
    await waitForConnection(page)
    const grid = page.getByRole('grid', { name: 'Study sets' })
    await grid.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect(tree(page)).toBeVisible()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').getByRole('combobox').fill('settings')
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/#\/settings$/)

    await openTree(page, 'Calculus II')
    await go(page, '#/library')
    await page.keyboard.press('ControlOrMeta+k')
    const field = page.getByRole('dialog').getByRole('combobox')
    await field.fill('power series')
    await page
      .getByRole('option', { name: /^Power series/ })
      .first()
      .click()
    await expect(page.getByRole('treeitem', { selected: true })).toHaveAccessibleName('Power series')
    await page.keyboard.press('ControlOrMeta+k')
    await field.fill('power series')
    await page.getByRole('option', { name: 'Search the host for “power series”' }).click()
    await expect(page).toHaveURL(/#\/search\?q=power(\+|%20)series$/)
  })
  await test.step('typing jumps to a title, the address holds card, sub-map and order, a menu expands to a level, and HTML stays text', async () => {
    await openTree(page, 'Calculus II')
    await test.step('a menu expands the tree to a level', async () => {
      const items = page.getByRole('treeitem')
      await chooseLevel(page, '1 level')
      await expect(items.and(page.locator('[aria-level="2"]')).first()).toBeVisible()
      await expect(items.and(page.locator('[aria-level="3"]'))).toHaveCount(0)
    })
    await test.step('the address holds the sub-map and the document order', async () => {
      const fullText = await page.getByText(/^\d+ cards$/).textContent()
      await page.getByLabel('Map range').selectOption({ index: 1 })
      await expect(page).toHaveURL(/root=/)
      await expect(page.getByText(/^\d+ cards$/)).not.toHaveText(fullText ?? '')
      await expect(page.getByText('Data problems')).toBeHidden()
      await page.getByLabel('Map range').selectOption({ index: 0 })
      await openTools(page)
      await page.getByLabel('Document order').check()
      await expect(page).toHaveURL(/sort=document/)
      await expect(page.getByText(fullText ?? '', { exact: true })).toBeVisible()
      await page.getByLabel('Document order').uncheck()
    })
    await test.step('typing jumps to the next matching title', async () => {
      await chooseLevel(page, 'Expand all')
      await tree(page).focus()
      await page.keyboard.press('Home')
      await page.keyboard.type('vect')
      expect(await readActiveName(page)).toBe('Vectors and geometry')
    })
    await test.step('titles that look like HTML are shown as text', async () => {
      await page.getByRole('searchbox', { name: 'Filter cards' }).fill('not bold')
      const row = page.getByRole('treeitem', { name: '<b>not bold</b> — a title that looks like HTML', exact: true })
      await expect(row).toBeVisible()
      await expect(row.locator('b')).toHaveCount(0)
      await page.getByRole('searchbox', { name: 'Filter cards' }).fill('')
      await expect(page.getByRole('treeitem', { name: 'Power series' })).toBeVisible()
    })
    await test.step('the selected card is in the address and is restored from it', async () => {
      await page.getByRole('treeitem', { name: 'Power series' }).click()
      await expect(page.getByRole('navigation', { name: 'Path of the selected card' })).toContainText(
        'Sequences and series',
      )
      const hash = new URL(page.url()).hash
      await go(page, '#/library')
      await go(page, hash)
      await expect(page.getByRole('treeitem', { selected: true })).toHaveAccessibleName('Power series')
    })
  })
  await test.step('a filter belongs to its study set, and clearing it shows the selected card', async () => {
    await openTree(page, /系统解剖学/)
    const other = new URL(page.url()).hash
    await openTree(page, /Generated mind map/)
    const filter = page.getByRole('searchbox', { name: 'Filter cards' })
    await filter.fill('细胞膜')
    await expect(page.getByText(/^\d+ matches$/)).toBeVisible()
    await page
      .getByRole('treeitem', { name: /细胞膜/ })
      .last()
      .click()
    const selected = page.getByRole('treeitem', { selected: true })
    const title = (await selected.getAttribute('aria-label')) ?? ''

    await go(page, other)
    await expect(filter).toHaveValue('')
    await expect(page.getByRole('treeitem', { name: '骨学', exact: true })).toBeVisible()

    await page.goBack()
    await expect(filter).toHaveValue('细胞膜')
    await expect(page.getByText(/^\d+ matches$/)).toBeVisible()
    await expect(selected).toHaveAccessibleName(title)
    await filter.fill('')
    await expect(page.getByText(/matches$/)).toBeHidden()
    await expect(selected).toBeInViewport()
    await expect(selected).toHaveAccessibleName(title)
  })
  await test.step('the tree follows the keyboard pattern of ARIA trees, and a hashtag of a card opens among those of its study set', async () => {
    await openTree(page, /系统解剖学/)
    await tree(page).focus()
    await page.keyboard.press('Home')
    expect(await readActiveName(page)).toBe('骨学')
    const first = page.getByRole('treeitem', { name: '骨学', exact: true })
    await expect(first).toHaveAttribute('aria-expanded', 'true')
    await expect(first).toHaveAttribute('aria-level', '1')
    await page.keyboard.press('ArrowRight')
    const child = await readActiveName(page)
    expect(child).not.toBe('骨学')
    await page.keyboard.press('ArrowLeft')
    expect(await readActiveName(page)).toBe('骨学')
    await page.keyboard.press('ArrowLeft')
    await expect(first).toHaveAttribute('aria-expanded', 'false')
    await page.keyboard.press('*')
    await expect(first).toHaveAttribute('aria-expanded', 'true')
    await page.keyboard.press('End')
    const bottom = await readActiveName(page)
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('treeitem', { selected: true })).toHaveAccessibleName(child ?? '')
    await expect(page).toHaveURL(/note=/)
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowDown')
    expect(await readActiveName(page)).toBe(bottom)

    await page.getByRole('treeitem', { name: '关节学', exact: true }).click()
    await page
      .getByRole('complementary', { name: 'Inspector' })
      .getByRole('link', { name: /exam\/2026/ })
      .click()
    await expect(page.getByRole('treeitem', { selected: true })).toHaveAccessibleName('2026')
  })
})

test('safety 37, safety 38: problems with a listing are reported, every card stays reachable, and what parsing would change is shown exactly', async ({
  app,
}) => {
  const { host, flags } = await startOwnHost({ nodes: 300, fault: 'tree-problems' })
  const page = await app.restart(flags)
  await waitForConnection(page)
  await go(page, `#/study-sets/${host.state.generatedSet.topicid}/tree`)
  const strip = page.getByRole('region', { name: 'Data problems' })
  await expect(strip).toContainText('traversal limit')
  if (hasCounts()) await expect(strip).toContainText('The host announced 350 cards, 305 arrived.')
  else await expect(strip).not.toContainText('announced')
  await expect(strip).toContainText('1 card has a duplicate id')
  await expect(strip).toContainText('1 card has a parent that is not in the listing')
  await expect(strip).toContainText('1 parent cycle was cut')
  await expect(strip).toContainText('1 card is its own parent')
  const orphan = strip.getByRole('listitem').filter({ hasText: 'has a parent' })
  await orphan.getByRole('button', { name: 'Next card with this problem' }).click()
  await expect(page.getByRole('treeitem', { selected: true })).toHaveAccessibleName('Orphan: parent is unknown')

  host.setFault('big-numbers')
  await go(page, '#/connect')
  await go(page, '#/library')
  await page.getByRole('button', { name: 'Reload' }).first().click()
  await expect(page.getByRole('button', { name: /number/ }).first()).toBeVisible()
  host.setFault('duplicate-keys')
  await go(page, `#/study-sets/${host.state.generatedSet.topicid}/tree`)
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('region', { name: 'Data problems' })).toContainText('1 object key is duplicated')
  host.setFault('invalid-utf8')
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('region', { name: 'Data problems' })).toContainText('invalid UTF-8')
  await host.close()
})

test('rows show the marks of their cards, read in batches, at most two at a time @core', async ({ app }) => {
  let startedCount = 0
  let mostPending = 0
  const countEnded = (): number => host.log.filter(({ endpoint }) => endpoint === 'notes.batchGet').length
  const { host, flags } = await startOwnHost({
    latencyMs: 40,
    chooseFault(endpointId) {
      if (endpointId !== 'notes.batchGet') return null
      startedCount += 1
      mostPending = Math.max(mostPending, startedCount - countEnded())
      return null
    },
  })
  const page = await app.restart(flags)
  await waitForConnection(page)
  await openTree(page, /系统解剖学/)
  const row = page.getByRole('treeitem', { name: '关节学', exact: true })
  await expect(row).toHaveAccessibleDescription(/Ink.*Hashtags #系统解剖学\/exam\/2026/)
  expect(startedCount).toBe(1)

  await openTree(page, /Generated mind map/)
  await chooseLevel(page, 'Expand all')
  await tree(page).focus()
  for (let step = 0; step < 20; step += 1) await page.keyboard.press('PageDown')
  await expect(page.getByRole('treeitem', { selected: true })).toHaveAccessibleDescription(/Level \d+/)
  await chooseFilter(page, 'Has ink')
  await expect(page.getByText(/^[\d,]+ found among [\d,]+ of 3,000 cards that were read$/)).toBeVisible()
  await page.getByRole('button', { name: 'Read the rest' }).click()
  await expect(page.getByRole('progressbar', { name: 'Reading cards' })).toBeVisible()
  await expect(page.getByText(/^[\d,]+ found among [\d,]+ of 3,000 cards that were read$/)).toBeVisible()
  const { generatedSet } = host.state
  const cards = Array.from({ length: generatedSet.count }, (_, index) => generatedSet.getCard(index))
  const hasInk = ({ parts, bands }: (typeof cards)[number]): boolean =>
    parts.some(({ kind }) => kind === 'ink') || bands.some((band) => band.hasInk)
  const inkCount = new Intl.NumberFormat('en').format(cards.filter(hasInk).length)
  await expect(page.getByText(`${inkCount} found among all 3,000 cards`)).toBeVisible({ timeout: 30_000 })
  expect(mostPending).toBeLessThanOrEqual(2)
  await host.close()
})

test('rows show titles only where the host gives no details of cards', async ({ app }) => {
  const { host, flags } = await startOwnHost({
    chooseFault: (endpointId) => (endpointId === 'notes.batchGet' ? 'malformed-json' : null),
  })
  const page = await app.restart(flags)
  await waitForConnection(page)
  await openTree(page, /系统解剖学/)
  await expect.poll(() => host.log.some(({ endpoint }) => endpoint === 'notes.batchGet')).toBe(true)
  const row = page.getByRole('treeitem', { name: '关节学', exact: true })
  await expect(row).toBeVisible()
  await expect(row).toHaveAccessibleDescription('')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await host.close()
})
