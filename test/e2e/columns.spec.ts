import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { waitForConnection, go, waitUntilSettled } from './support.ts'
import { compose } from './writing.ts'

const SIZES = [
  { width: 1000, height: 650 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1440 },
]
const NEVER_CUT = ['Method', 'Status', 'Size', 'Duration', 'Decision', 'State', 'Kind', 'Count']

interface GridMeasure {
  /** Texts of headers and of cells in columns that are never cut, which are cut nevertheless. */
  readonly cut: readonly string[]
  readonly widths: Readonly<Record<string, number>>
}

/** Measures a grid's columns as they are laid out. */
const measureGrid = (page: Page, name: string): Promise<GridMeasure> =>
  page.getByRole('grid', { name, exact: true }).evaluate((grid, neverCut) => {
    const isCut = (element: Element): boolean =>
      [element, ...element.querySelectorAll('*')].some(
        (part) => getComputedStyle(part).overflowX === 'hidden' && part.scrollWidth > part.clientWidth,
      )
    const headers = [...grid.querySelectorAll('[role=columnheader]')]
    const cut = headers.filter(isCut).map((header) => header.textContent.trim())
    const columns = new Map(headers.map((header) => [header.getAttribute('aria-colindex'), header]))
    for (const cell of grid.querySelectorAll('[role=gridcell]')) {
      const title = columns.get(cell.getAttribute('aria-colindex'))?.textContent.trim() ?? ''
      if (neverCut.includes(title) && isCut(cell)) cut.push(`${title}: ${cell.textContent.trim()}`)
    }
    const widths = headers.map((header) => [header.textContent.trim(), header.getBoundingClientRect().width])
    return { cut, widths: Object.fromEntries(widths) as Record<string, number> }
  }, NEVER_CUT)

test('no tab is cut at any width', async ({ page }) => {
  await waitForConnection(page)
  for (const size of SIZES) {
    await page.setViewportSize(size)
    for (const hash of ['#/traffic', '#/library', '#/bundles', '#/host', '#/contract']) {
      await go(page, hash)
      await waitUntilSettled(page)
      const isCut = (): Promise<boolean> =>
        page
          .getByRole('main')
          .getByRole('tablist')
          .first()
          .evaluate((list) => list.scrollWidth > list.clientWidth)
      await expect.poll(async () => [hash, size.width, await isCut()]).toEqual([hash, size.width, false])
    }
  }
})

test('tables cut no status, method, number or header at any width, and the main column is the widest', async ({
  page,
}) => {
  await waitForConnection(page)
  await compose(page, 'Pause the practice session')
  await page.keyboard.press('Escape')
  await go(page, '#/notes/THERE-IS-NO-SUCH-CARD')
  await waitUntilSettled(page)
  const grids = [
    { hash: '#/traffic', name: 'Traffic', main: 'Path' },
    { hash: '#/operations', name: 'Operations', main: 'Kind' },
    { hash: '#/library', name: 'Study sets', main: 'Title' },
  ]
  for (const size of SIZES) {
    await page.setViewportSize(size)
    for (const { hash, name, main } of grids) {
      await go(page, hash)
      await waitUntilSettled(page)
      await expect
        .poll(async () => [name, size.width, (await measureGrid(page, name)).cut])
        .toEqual([name, size.width, []])
      const { widths } = await measureGrid(page, name)
      expect([name, size.width, Object.entries(widths).sort(([, a], [, b]) => b - a)[0]?.[0]]).toEqual([
        name,
        size.width,
        main,
      ])
    }
  }
})

test('the calls of a panel show status and duration at any width', async ({ page }) => {
  await waitForConnection(page)
  await go(page, '#/panel')
  await page.getByRole('button', { name: 'Rule breaker' }).click()
  await expect(page.getByRole('grid', { name: 'Calls' })).toBeVisible()
  for (const size of SIZES) {
    await page.setViewportSize(size)
    await waitUntilSettled(page)
    await expect.poll(async () => (await measureGrid(page, 'Calls')).cut).toEqual([])
    if (size.width >= 1440) expect(Object.keys((await measureGrid(page, 'Calls')).widths)).toContain('Duration')
  }
})
