import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { expectAccessible, openTree, startOwnHost, waitForConnection, chooseLevel } from './support.ts'

const map = (page: Page): Locator => page.getByRole('region', { name: 'Map' })
const tree = (page: Page): Locator => page.getByRole('tree', { name: 'Mind map' })

async function openMap(page: Page, title: RegExp): Promise<void> {
  await waitForConnection(page)
  await openTree(page, title)
  await page.getByRole('link', { name: 'Map', exact: true }).click()
  await expect(page).toHaveURL(/\/map/)
}

/** Number of different colors in a coarse grid over the picture. */
async function countColors(page: Page): Promise<number> {
  return map(page)
    .locator('canvas')
    .evaluate((canvas) => {
      const copy = new OffscreenCanvas(200, 200)
      const context = copy.getContext('2d')
      context?.drawImage(canvas as HTMLCanvasElement, 0, 0, 200, 200)
      const pixels = context?.getImageData(0, 0, 200, 200).data ?? []
      const colors = new Set<string>()
      for (let index = 0; index < pixels.length; index += 4)
        colors.add([pixels[index], pixels[index + 1], pixels[index + 2], pixels[index + 3]].join())
      return colors.size
    })
}

test('the map is drawn, and a click selects the card in the tree as well @both', async ({ page }) => {
  await openMap(page, /系统解剖学/)
  await expect(map(page)).toContainText('163 cards')
  await expect.poll(() => countColors(page)).toBeGreaterThan(8)

  const box = await tree(page).boundingBox()
  expect(box).not.toBeNull()
  const hint = page.getByText(/^Drag or scroll to move/)
  await expect(hint).toBeInViewport()
  const isOverCards = async (): Promise<boolean> =>
    ((await hint.boundingBox())?.y ?? 0) < (box?.y ?? 0) + (box?.height ?? 0)
  expect(await isOverCards()).toBe(false)
  const hover = async (): Promise<boolean> =>
    tree(page).evaluate((element) => getComputedStyle(element).cursor === 'pointer')
  /** Looks for a card from left to right in the middle of the map. */
  async function findCard(): Promise<{ x: number; y: number } | null> {
    const { x, y, width, height } = box ?? { x: 0, y: 0, width: 0, height: 0 }
    for (let row = 0.2; row < 0.8; row += 0.05) {
      for (let column = 0.2; column < 0.7; column += 0.05) {
        const point = { x: x + column * width, y: y + row * height }
        await page.mouse.move(point.x, point.y)
        if (await hover()) return point
      }
    }
    return null
  }
  await expect.poll(findCard).not.toBeNull()
  const card = (await findCard()) ?? { x: 0, y: 0 }
  await page.mouse.click(card.x, card.y)
  const selected = page.getByRole('treeitem', { selected: true })
  await expect(selected).toHaveCount(1)
  await expect(page).toHaveURL(/note=/)
  const title = (await selected.getAttribute('aria-label')) ?? ''
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText(title)

  await page.keyboard.press('t')
  await expect(page).toHaveURL(/\/tree/)
  await expect(page.getByRole('treeitem', { selected: true })).toHaveAttribute('aria-label', title)
})

test('the card that the host shows is selected in the map, and called so', async ({ app }) => {
  const { host, flags } = await startOwnHost({ nodes: 50 })
  const page = await app.restart(flags)
  const set = host.state.library.sets[0]
  const [first, second] = set?.cards.filter(({ parent }) => parent === null) ?? []
  host.state.openState.topicid = set?.topicid ?? ''
  host.state.openState.noteid = first?.noteid ?? null
  await openMap(page, /系统解剖学/)
  await page.getByRole('button', { name: 'Follow the host' }).click()
  host.state.openState.noteid = second?.noteid ?? null
  await expect(page).toHaveURL(new RegExp(`note=${second?.noteid ?? 'x'}`))
  const active = page.getByRole('treeitem', { selected: true })
  await expect(active).toHaveAttribute('aria-label', second?.title ?? 'x')
  await expect(active).toHaveAccessibleDescription(/Card shown in the host/)
  await host.close()
})

test('every layout is drawn in both themes, one key switches between map and tree, and a notice leads back from where no card is', async ({
  page,
}) => {
  await test.step('every layout is drawn, in both themes; cards show what they hold, and a sub-map has a frame', async () => {
    await openMap(page, /系统解剖学/)
    await expect.poll(() => countColors(page)).toBeGreaterThan(8)
    await tree(page).focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('0')
    /** The drawing of the window has the same shapes as the picture, and can be read. */
    async function readDrawing(): Promise<string> {
      const downloading = page.waitForEvent('download')
      await map(page).getByRole('button', { name: 'Export the view or the whole map' }).click()
      await page.getByRole('menuitem', { name: 'Drawing (SVG)' }).first().click()
      const download = await downloading
      return await readFile(await download.path(), 'utf8')
    }
    // Three lines are the glyph of a text, once in the legend and then on the cards that were read.
    await expect.poll(async () => (await readDrawing()).split('M21 5H3M15 12H3M17 19H3').length).toBeGreaterThan(3)
    expect(await readDrawing()).toContain('stroke-dasharray="4 3"')
    await page.getByRole('button', { name: 'Legend' }).click()
    await expect(page.getByText(/^The colors of the \d+ cards that were read\.$/)).toBeVisible()

    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const layout of ['To the right', 'To the left', 'Both sides', 'Downwards', 'Columns by mass']) {
        await map(page).getByLabel('Layout').selectOption(layout)
        await page.getByRole('button', { name: 'Fit', exact: true }).click()
        await expect.poll(() => countColors(page)).toBeGreaterThan(8)
      }
    }
  })
  await test.step('one key switches between map and tree with the selection, and arrow keys expand cards in both', async () => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.reload()
    await openMap(page, /系统解剖学/)
    await expect.poll(() => countColors(page)).toBeGreaterThan(8)
    await test.step('arrow keys select and expand cards in the map, and the tree shows the same', async () => {
      await chooseLevel(page, 'Collapse all')
      await tree(page).focus()
      await page.keyboard.press('Home')
      const active = page.getByRole('treeitem')
      await expect(active).toHaveAttribute('aria-label', '骨学')
      await expect(active).toHaveAttribute('aria-expanded', 'false')
      await page.keyboard.press('ArrowRight')
      await expect(active).toHaveAttribute('aria-expanded', 'true')
      await page.keyboard.press('ArrowRight')
      await expect(active).toHaveAttribute('aria-level', '2')
      await page.keyboard.press('t')
      await expect(page.getByRole('treeitem', { name: '骨学', exact: true })).toHaveAttribute('aria-expanded', 'true')
    })
    await page.keyboard.press('F4')
    await expect(page).toHaveURL(/\/map/)
    await test.step('one key switches between map and tree, and the selection stays', async () => {
      await tree(page).focus()
      await page.keyboard.press('Home')
      await page.keyboard.press('ArrowDown')
      const selected = page.getByRole('treeitem', { selected: true })
      await expect(selected).toHaveCount(1)
      const title = (await selected.getAttribute('aria-label')) ?? ''
      await page.keyboard.press('F4')
      await expect(page).toHaveURL(/\/tree/)
      await expect(selected).toHaveAttribute('aria-label', title)
      await expect(tree(page)).toBeFocused()
      await page.keyboard.press('F4')
      await expect(page).toHaveURL(/\/map/)
      await expect(selected).toHaveAttribute('aria-label', title)
      await expect(tree(page)).toBeFocused()
    })
  })
  await test.step('a notice and a key lead back from where no card is', async () => {
    await page.reload()
    await openMap(page, /系统解剖学/)
    await expect.poll(() => countColors(page)).toBeGreaterThan(8)
    const empty = page.getByText('No card is in sight here.')
    const { x, y, width, height } = (await tree(page).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    for (const leave of [
      () => map(page).getByRole('button', { name: 'Show the nearest card (N)' }).click(),
      () => tree(page).press('n'),
    ]) {
      // At the largest zoom, the wheel moves nothing.
      await page.getByRole('button', { name: 'Fit', exact: true }).click()
      await expect(async () => {
        await page.mouse.move(x + width - 40, y + height / 3)
        await page.keyboard.down('Control')
        await page.mouse.wheel(0, -600)
        await page.keyboard.up('Control')
        await expect(empty).toBeVisible({ timeout: 500 })
      }).toPass()
      await leave()
      await expect(empty).toBeHidden()
    }
  })
})

test('forced colors are those of the picture; two fingers zoom the map, and one moves it', async ({ app, page }) => {
  test.skip(app.mode === 'electron', 'the same engine')
  await test.step('forced colors are those of the picture, and it stays accessible', async () => {
    await page.emulateMedia({ forcedColors: 'active' })
    await openMap(page, /系统解剖学/)
    await expect.poll(() => countColors(page)).toBeGreaterThan(3)
    const corner = await map(page)
      .locator('canvas')
      .evaluate((canvas) => {
        const context = new OffscreenCanvas(1, 1).getContext('2d')
        context?.drawImage(canvas as HTMLCanvasElement, 0, 0, 1, 1, 0, 0, 1, 1)
        const probe = document.body.appendChild(document.createElement('span'))
        probe.style.color = 'Canvas'
        probe.style.setProperty('forced-color-adjust', 'none')
        const expected = getComputedStyle(probe).color
        probe.remove()
        return { color: `rgb(${[...(context?.getImageData(0, 0, 1, 1).data ?? [])].slice(0, 3).join(', ')})`, expected }
      })
    expect(corner.color).toBe(corner.expected)
    await page.getByRole('button', { name: 'Legend' }).click()
    await expectAccessible(page, 'map with forced colors')
  })
  await test.step('two fingers zoom the map, and one moves it', async () => {
    await page.emulateMedia({ forcedColors: 'none' })
    await page.reload()
    await openMap(page, /系统解剖学/)
    await expect.poll(() => countColors(page)).toBeGreaterThan(8)
    const client = await page.context().newCDPSession(page)
    await client.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 })
    const box = await tree(page).boundingBox()
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2]
    /** Moves fingers from where they touch, in steps. */
    async function touch(starts: readonly number[], ends: readonly number[]): Promise<void> {
      const STEPS = 8
      for (let step = 0; step <= STEPS; step += 1) {
        const touchPoints = starts.map((start, id) => ({
          x: x + start + (((ends[id] ?? start) - start) * step) / STEPS,
          y,
          id,
        }))
        await client.send('Input.dispatchTouchEvent', { type: step === 0 ? 'touchStart' : 'touchMove', touchPoints })
      }
      await client.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    }
    // The overview appears when the window does not show the whole map any more.
    const sight = map(page).locator('svg.overview rect')
    await expect(sight).toHaveCount(0)
    await touch([-40, 40], [-240, 240])
    await expect(sight).toBeVisible()
    const before = await sight.boundingBox()
    await touch([100], [-100])
    await expect.poll(async () => (await sight.boundingBox())?.x).toBeGreaterThan(before?.x ?? 0)
  })
})

test.describe('a map of 200,000 cards', () => {
  test.use({ nodes: 200_000 })

  test('has at least 30 titles at every zoom', async ({ page }) => {
    await openMap(page, /Generated mind map/)
    await expect(map(page)).toContainText('200,000 cards', { timeout: 40_000 })
    /** All titles of the window have two parts; the first one is that of the legend. */
    async function countTitles(): Promise<number> {
      const downloading = page.waitForEvent('download')
      await map(page).getByRole('button', { name: 'Export the view or the whole map' }).click()
      await page.getByRole('menuitem', { name: 'Drawing (SVG)' }).first().click()
      const drawing = await readFile(await (await downloading).path(), 'utf8')
      return drawing.split(' · ').length - 2
    }
    for (const level of ['2 levels', 'Expand all']) {
      await chooseLevel(page, level)
      await page.getByRole('button', { name: 'Fit', exact: true }).click()
      for (const steps of [0, 3, 5]) {
        for (let step = 0; step < steps; step += 1) await page.getByRole('button', { name: 'Zoom in' }).click()
        await expect.poll(countTitles).toBeGreaterThanOrEqual(30)
      }
    }
  })

  test('is drawn whole, zoomed and filtered @core', async ({ page }) => {
    await openMap(page, /Generated mind map/)
    await expect(map(page)).toContainText('200,000 cards', { timeout: 40_000 })
    await chooseLevel(page, 'Expand all')
    await expect(map(page)).not.toContainText('drawn')
    await expect.poll(() => countColors(page)).toBeGreaterThan(8)
    await page.getByRole('searchbox', { name: 'Filter cards' }).fill('细胞膜 · 定义')
    await expect(page.getByText(/^\d+ matches$/)).toBeVisible()
    await page.keyboard.press('Enter')
    await expect(page.getByText(/^1 of \d+$/)).toBeVisible()
    await expect(page.getByRole('treeitem', { selected: true })).toHaveAccessibleName(/细胞膜 · 定义/)
    await tree(page).focus()
    await page.keyboard.press('0')
    await expect.poll(() => countColors(page)).toBeGreaterThan(8)
  })
})
