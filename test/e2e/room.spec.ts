import type { Locator, Page } from '@playwright/test'
import { listStations } from '../mutation/stations.ts'
import { expect, test } from './fixtures.ts'
import { listOverlays } from './overlays.ts'
import { openSample } from './panel-page.ts'
import { go, openTree, startOwnHost, waitForConnection, waitUntilSettled, WINDOW_SIZES } from './support.ts'
import { CARD, SET } from './writing.ts'

/** A card with three blank bands. */
const BANDED_CARD = '8081A23D-A3C2-4046-89E0-69A3F54A1858'

/** A card with a picture that has masks. */
const PICTURE_CARD = '2F434250-51B5-49D9-8607-E9C650C67873'

const DOCUMENT = 'ABC0DEF123'

/** How many pixels of the element lie outside the window or a pane that cuts or scrolls it. */
const measureOverflow = (element: Locator): Promise<number> =>
  element.evaluate((target) => {
    const box = target.getBoundingClientRect()
    let [left, right] = [0, innerWidth]
    for (let parent = target.parentElement; parent; parent = parent.parentElement) {
      if (getComputedStyle(parent).overflowX === 'visible') continue
      const frame = parent.getBoundingClientRect()
      left = Math.max(left, frame.left)
      right = Math.min(right, frame.right)
    }
    return Math.max(0, Math.round(box.right - right), Math.round(left - box.left))
  })

async function expectWhole(page: Page, name: string, elements: Locator): Promise<void> {
  const { width } = page.viewportSize() ?? { width: 0 }
  await expect
    .poll(async () => {
      const overflows = await Promise.all((await elements.all()).map(measureOverflow))
      return [name, width, overflows.length > 0, Math.max(0, ...overflows)]
    })
    .toEqual([name, width, true, 0])
}

test('the inspector is shown only while something is selected, and a table drops columns before it scrolls sideways', async ({
  page,
}) => {
  await waitForConnection(page)
  await go(page, '#/library')
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  const grid = page.getByRole('grid', { name: 'Study sets' })
  await expect(grid.getByRole('row').nth(1)).toBeVisible()
  await expect(inspector).toBeHidden()
  const headers = grid.getByRole('columnheader')
  await expect(headers).toHaveText(['Title', 'Cards', 'Documents', 'Last change', 'Study set id'])
  await page.setViewportSize({ width: 700, height: 650 })
  await expect(headers).toHaveText(['Title', 'Cards', 'Documents', 'Last change'])
  expect(await grid.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await expect(headers.last()).toHaveAttribute('aria-colindex', '4')
  await page.setViewportSize({ width: 1280, height: 800 })
  await expect(headers).toHaveCount(5)

  const wide = (await grid.boundingBox())?.width ?? 0
  await grid
    .getByRole('row')
    .nth(2)
    .click({ position: { x: 400, y: 5 } })
  await expect(inspector).toBeVisible()
  await expect.poll(async () => (await grid.boundingBox())?.width ?? wide).toBeLessThan(wide - 200)
})

test('in a narrow window the inspector lies over the content, covers neither tab nor bar, and can be closed', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1000, height: 650 })
  await waitForConnection(page)
  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await openTree(page, 'Calculus II')
  const tree = page.getByRole('tree')
  const wide = (await tree.boundingBox())?.width
  await page.getByRole('treeitem').nth(2).click()
  await expect(inspector).toBeVisible()
  expect((await tree.boundingBox())?.width).toBe(wide)
  await inspector.getByRole('button', { name: 'Hide inspector' }).click()
  await expect(inspector).toBeHidden()
  await page.getByRole('button', { name: 'Show inspector' }).click()
  await expect(inspector).toBeVisible()

  const expectBelow = async (tabs: Locator): Promise<void> => {
    await expect(inspector).toBeVisible()
    const edge = await tabs.boundingBox()
    expect((await inspector.boundingBox())?.y).toBeGreaterThanOrEqual(Math.floor((edge?.y ?? 0) + (edge?.height ?? 0)))
  }
  await go(page, `#/study-sets/${SET}/tree?note=${CARD}`)
  await expect(page.getByRole('treeitem', { selected: true })).toBeVisible()
  await expectBelow(page.getByRole('navigation', { name: 'Views of the study set' }))
  await expectBelow(page.locator('main header').filter({ has: page.getByRole('button', { name: 'Expand to level' }) }))
  await go(page, `#/notes/${BANDED_CARD}?tab=bands`)
  await page
    .getByRole('button', { name: /^Band 0/ })
    .first()
    .click()
  await expectBelow(page.getByRole('main').getByRole('tablist'))
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

test('no column is cut, no button stands alone, and the text of a response opens by itself only in a very wide window', async ({
  page,
}) => {
  await waitForConnection(page)
  for (const size of WINDOW_SIZES) {
    await page.setViewportSize(size)
    await go(page, `#/study-sets/${SET}/palette`)
    await waitUntilSettled(page)
    await expectWhole(page, 'palette', page.getByRole('main').getByRole('columnheader'))
    await go(page, `#/notes/${BANDED_CARD}?tab=bands`)
    await waitUntilSettled(page)
    await expectWhole(page, 'bands', page.getByRole('table', { name: 'Blank bands' }).getByRole('columnheader'))
    await go(page, '#/connect')
    const disconnect = page.getByRole('button', { name: 'Disconnect', exact: true })
    const diagnose = page.getByRole('button', { name: 'Diagnose', exact: true })
    const topOf = async (button: Locator): Promise<number> => Math.round((await button.boundingBox())?.y ?? Number.NaN)
    await expect.poll(async () => (await topOf(disconnect)) - (await topOf(diagnose))).toBe(0)
  }

  const inspector = page.getByRole('complementary', { name: 'Inspector' })
  await go(page, `#/study-sets/${SET}/palette`)
  await page.setViewportSize({ width: 1440, height: 900 })
  await waitUntilSettled(page)
  await expect(inspector).toBeHidden()
  await page.setViewportSize({ width: 2560, height: 1440 })
  await expect(inspector).toContainText('colorIndex')
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect(inspector).toBeHidden()
  await page.keyboard.press('ControlOrMeta+i')
  await expect(inspector).toContainText('colorIndex')
  await page.keyboard.press('ControlOrMeta+i')
  await expect(inspector).toBeHidden()
})

/** What stands beside each list of a wide window, by the address of the list. */
const DETAILS: ReadonlyMap<string, string> = new Map([
  ['#/library', 'Inspector'],
  ['#/library?list=decks', 'Inspector'],
  ['#/library?list=folders', 'Inspector'],
  [`#/study-sets/${SET}/tree`, 'Inspector'],
  [`#/study-sets/${SET}/documents`, 'Inspector'],
  ['#/search?q=the', 'Inspector'],
  ['#/contract', 'Deviation'],
  ['#/traffic', 'Exchange'],
  ['#/findings', 'Finding'],
  ['#/operations', 'Operation record'],
  ['#/recordings', 'Recording'],
  ['#/recordings/compare?after=this-run&before=this-run&view=lanes', 'Compared request'],
])

test('in a very wide window what a row is about has its room beside every list, before and after it is selected', async ({
  page,
}) => {
  test.setTimeout(120_000)
  await waitForConnection(page)
  for (const [hash, name] of DETAILS) {
    await page.setViewportSize({ width: 1440, height: 900 })
    await go(page, hash)
    const pane = page
      .getByRole('complementary', { name, exact: true })
      .or(page.getByRole('region', { name, exact: true }))
    const list = page.getByRole('main').locator('[role=grid], [role=tree]').last()
    await expect(list).toBeVisible()
    await expect(pane).toHaveCount(0)
    await page.setViewportSize({ width: 2560, height: 1440 })
    await expect(pane).toContainText('Select a')
    const box = await list.boundingBox()
    expect((await pane.boundingBox())?.width).toBeGreaterThan(300)
    if ((await list.locator('[role=row], [role=treeitem]').count()) < 2) continue
    await list.focus()
    await page.keyboard.press('ArrowDown')
    await expect(pane).not.toContainText('Select a')
    // The tree tells the address a little later what is selected.
    await waitUntilSettled(page)
    expect(await list.boundingBox()).toEqual(box)
  }
})

test('Enter moves from a list into the pane beside it, Escape moves back, and its width is kept', async ({ page }) => {
  await page.setViewportSize({ width: 2560, height: 1440 })
  await waitForConnection(page)
  await go(page, '#/traffic')
  const list = page.getByRole('grid', { name: 'Traffic' })
  const pane = page.getByRole('region', { name: 'Exchange', exact: true })
  await expect(list.getByRole('row').nth(2)).toBeVisible()
  await list.focus()
  await page.keyboard.press('ArrowDown')
  await expect(page).toHaveURL(/#\/traffic\/./)
  await expect(list).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(list).not.toBeFocused()
  // The first stop of Tab is the edge of the pane, which changes its width.
  await page.keyboard.press('Tab')
  const edge = page.getByRole('separator', { name: 'Width of the details' })
  await expect(edge).toBeFocused()
  // As high as the pane, so that it can be seen and dragged.
  expect((await edge.boundingBox())?.height).toBe((await pane.boundingBox())?.height)
  await page.keyboard.press('ArrowLeft')
  const { width } = (await pane.boundingBox()) ?? {}
  await page.keyboard.press('Escape')
  await expect(list).toBeFocused()
  await expect(page).toHaveURL(/#\/traffic$/)
  await expect(pane).toContainText('Select a request')
  await go(page, '#/findings')
  const finding = page.getByRole('region', { name: 'Finding', exact: true })
  await expect.poll(async () => (await finding.boundingBox())?.width).toBe(width)

  // In a narrower window the edge starts where the pane ends, whatever width was chosen before.
  await edge.press('End')
  await page.setViewportSize({ width: 1000, height: 650 })
  const readWidths = async (): Promise<readonly unknown[]> => [
    await edge.getAttribute('aria-valuenow'),
    await edge.getAttribute('aria-valuemax'),
  ]
  await go(page, '#/traffic')
  await list.getByRole('row').nth(2).click()
  await expect
    .poll(async () => [...(await readWidths())])
    .toEqual(Array(2).fill(String((await pane.boundingBox())?.width)))
})

test('an id fits into its field of the console, and the commands of an exchange into one line', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await waitForConnection(page)
  await go(page, `#/console?method=GET&path=${encodeURIComponent(`/study-sets/${SET}/tree`)}`)
  const field = page.getByRole('combobox', { name: 'topicid' })
  await expect(field).toHaveValue(SET)
  expect(await field.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await go(page, '#/traffic')
  await page.getByRole('grid', { name: 'Traffic' }).getByRole('row').nth(2).click()
  const exchange = page.getByRole('region', { name: 'Exchange', exact: true })
  const topOf = async (name: string): Promise<number> =>
    Math.round((await exchange.getByRole('button', { name }).boundingBox())?.y ?? Number.NaN)
  await expect(exchange.getByRole('button', { name: 'Save body' })).toBeVisible()
  expect(Math.abs((await topOf('More actions')) - (await topOf('Save body')))).toBeLessThan(6)
  await expect(exchange).toContainText(' (just now)')
})

/** Controls of the page that can neither be seen nor be scrolled or unfolded into view. */
const listCutControls = (page: Page): Promise<string[]> =>
  page.locator('button, a[href], input, select, [role=tab]').evaluateAll((controls) =>
    controls.flatMap((control) => {
      const { left, right, top, bottom, width } = control.getBoundingClientRect()
      // The link to the content is shown while it has the focus.
      if (width < 2 || control.closest('[inert], .skip') || !control.checkVisibility({ visibilityProperty: true }))
        return []
      const room = { left: 0, right: innerWidth, top: 0, bottom: innerHeight }
      for (let parent = control.parentElement; parent; parent = parent.parentElement) {
        const { overflowX, overflowY, clipPath } = getComputedStyle(parent)
        const frame = parent.getBoundingClientRect()
        if (/auto|scroll/.test(overflowX) || clipPath !== 'none')
          Object.assign(room, { left: -Infinity, right: Infinity })
        else if (overflowX !== 'visible') {
          room.left = Math.max(room.left, frame.left)
          room.right = Math.min(room.right, frame.right)
        }
        if (/auto|scroll/.test(overflowY) || clipPath !== 'none')
          Object.assign(room, { top: -Infinity, bottom: Infinity })
        else if (overflowY !== 'visible') {
          room.top = Math.max(room.top, frame.top)
          room.bottom = Math.min(room.bottom, frame.bottom)
        }
        if (room.right === Infinity && room.bottom === Infinity) return []
      }
      const isCut = Math.max(room.left - left, right - room.right, room.top - top, bottom - room.bottom) > 2
      return isCut ? [control.getAttribute('aria-label') ?? control.textContent.trim()] : []
    }),
  )

/** Items of a bar without room, although the bar has no button that shows them. */
const listLostTools = (page: Page): Promise<string[]> =>
  page
    .locator('.toolbar:not(:has(> button)) > .items > [inert]')
    .evaluateAll((items) => items.map(({ textContent }) => textContent.trim()))

/** Lists and texts of which less than two lines or two words are left, although there is more. */
const listCrushedPanes = (page: Page): Promise<string[]> =>
  page
    .locator('[role=grid], [role=tree], .scrollable, [role=dialog] .content')
    .evaluateAll((panes) =>
      panes
        .filter(
          (pane) =>
            pane.checkVisibility() &&
            pane.scrollHeight > pane.clientHeight + 2 &&
            (pane.clientHeight < 50 || pane.clientWidth < 120),
        )
        .map((pane) => `${pane.className}: ${pane.clientWidth} × ${pane.clientHeight}`),
    )

/** Words of plain text that are broken inside; ids, paths and names of members may break. */
const listBrokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const broken: string[] = []
    const range = document.createRange()
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement
      if (!parent?.checkVisibility({ visibilityProperty: true })) continue
      if (parent.closest('code, pre, .mono, .cm-editor, .visually-hidden, [inert], script, style')) continue
      for (const { 0: word, index } of (node.nodeValue ?? '').matchAll(
        /(?<![^\s(])\p{Script=Latin}{2,24}(?![^\s),.:;])/gu,
      )) {
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        const lines = new Set(
          [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top)),
        )
        if (lines.size > 1) broken.push(word)
      }
    }
    return broken
  })

test('a bar keeps its height, and cuts no control, beside the fields of an answer and above a picture', async ({
  page,
}) => {
  await waitForConnection(page)
  for (const width of [1200, 1440, 2560]) {
    await page.setViewportSize({ width, height: 800 })
    for (const hash of ['#/host?view=status', `#/study-sets/${SET}/sub-maps`, `#/notes/${PICTURE_CARD}?tab=content`]) {
      await go(page, hash)
      await waitUntilSettled(page)
      if (hash.includes('notes')) {
        await page.getByRole('option', { name: /: Image$/ }).click()
        await expect(page.getByText(/image\/png · [\d,]+ × /)).toBeVisible()
      } else if (hash.includes('host')) await expect(page.getByRole('button', { name: 'Copy all' })).toBeVisible()
      else await expect(page.getByRole('main').getByRole('tablist')).toBeVisible()
      const bars = page.locator(':is(.toolbar, [role=toolbar]):visible')
      const listOtherHeights = (): Promise<number[]> =>
        bars.evaluateAll((all) =>
          all.flatMap((bar) => {
            const { height } = bar.getBoundingClientRect()
            const inner = bar.querySelector('[role=tablist]')?.getBoundingClientRect().height ?? 0
            return (height === 36 || height === 40) && inner <= height ? [] : [height]
          }),
        )
      await expect
        .poll(async () => [hash, width, await listCutControls(page), await listOtherHeights()])
        .toEqual([hash, width, [], []])
    }
  }

  // The line below the chosen tab is inside of the bar.
  await go(page, `#/documents/${DOCUMENT}/excerpts`)
  const tabs = page.getByRole('tablist', { name: 'List', exact: true })
  const bar = page.locator('main header').filter({ has: tabs })
  const heightOf = async (element: Locator): Promise<number> => (await element.boundingBox())?.height ?? Number.NaN
  await expect.poll(() => heightOf(tabs)).toBe(await heightOf(bar))
})

test('the calls of a panel stand right below one bar, whatever it shows, and an exchange cuts none of its tabs', async ({
  app,
  page,
}) => {
  await waitForConnection(page)
  const panel = await openSample(app, 'Eleven bugs')
  await panel.getByRole('button', { name: 'Switch the study set' }).press('Enter')
  await page.getByRole('tab', { name: 'Timeline', exact: true }).click()
  await expect(page.getByRole('grid', { name: 'Events' }).getByRole('row').nth(1)).toBeVisible()
  await page.getByRole('group', { name: /^Timeline of/ }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('tab', { name: 'Calls', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Show the whole load' })).toBeVisible()
  const tabs = page.getByRole('tablist', { name: 'Around the panel' })
  const calls = page.getByRole('grid', { name: 'Calls', exact: true })
  const topOf = async (element: Locator): Promise<number> => (await element.boundingBox())?.y ?? Number.NaN
  for (const width of [1000, 1200, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    await expect.poll(async () => [width, (await topOf(calls)) - (await topOf(tabs))]).toEqual([width, 32 + 36])
  }
  await page.setViewportSize({ width: 1000, height: 650 })
  await go(page, '#/traffic')
  await page.getByRole('grid', { name: 'Traffic' }).getByRole('row').nth(2).click()
  const parts = page.getByRole('region', { name: 'Exchange', exact: true }).getByRole('tab')
  await expectWhole(page, 'parts of an exchange', parts)
})

test('at 200% and 400% zoom every control can be reached, and no word is broken inside and no list is crushed', async ({
  app,
}) => {
  test.setTimeout(600_000)
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const faults: string[] = []
  const addFaults = async (name: string): Promise<void> => {
    await page.setViewportSize({ width: 720, height: 450 })
    const lines = [await listCutControls(page), await listLostTools(page), await listBrokenWords(page)].flat()
    await page.setViewportSize({ width: 320, height: 256 })
    // The bars measure themselves in the next frame.
    await waitUntilSettled(page)
    const smallLines = [await listCutControls(page), await listCrushedPanes(page)].flat()
    faults.push(...lines.map((fault) => `${name}: ${fault}`), ...smallLines.map((fault) => `${name}: 400%: ${fault}`))
  }
  for (const { name, hash } of listStations(host)) {
    await page.setViewportSize({ width: 720, height: 450 })
    await go(page, hash)
    await waitUntilSettled(page)
    await addFaults(name)
  }
  for (const { name, hash, open, within } of listOverlays(host)) {
    if (within !== '[role="dialog"]') continue
    await page.setViewportSize({ width: 1440, height: 900 })
    await go(page, hash)
    await waitUntilSettled(page)
    await open(page)
    await expect(page.getByRole('dialog')).toBeVisible()
    await addFaults(name)
    await page.keyboard.press('Escape')
  }
  expect(faults).toEqual([])
  await host.close()
})
