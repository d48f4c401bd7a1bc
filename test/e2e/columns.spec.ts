import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { openSample } from './panel-page.ts'
import { waitForConnection, go, waitUntilSettled, WINDOW_SIZES } from './support.ts'
import { compose } from './writing.ts'

const NEVER_CUT = ['Method', 'Status', 'Origin', 'Size', 'Duration', 'Gate', 'State', 'Kind', 'Count']

interface GridMeasure {
  /** Texts of headers and of cells in columns that are never cut, which are cut nevertheless. */
  readonly cut: readonly string[]
  readonly widths: Readonly<Record<string, number>>
}

/** Measures a grid's columns as they are laid out. */
const measureGrid = (page: Page, name: string): Promise<GridMeasure> =>
  page.getByRole('grid', { name, exact: true }).evaluate((grid, neverCut) => {
    // A code that does not fit beside its status is left out as a whole.
    const isOutcome = (part: Element): boolean => part.classList.contains('words')
    const isCut = (element: Element): boolean =>
      // What only a screen reader reads has no width.
      [element, ...element.querySelectorAll('*:not(.visually-hidden)')].some((part) =>
        isOutcome(part)
          ? (part.firstElementChild?.getBoundingClientRect().width ?? 0) > part.clientWidth + 1
          : /hidden|clip/.test(getComputedStyle(part).overflowX) && part.scrollWidth > part.clientWidth,
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

test('tables cut no tab, status, method, number or header at any width, and the main column is the widest', async ({
  page,
}) => {
  await waitForConnection(page)
  await compose(page, 'Pause the practice session')
  await page.keyboard.press('Escape')
  await go(page, '#/notes/THERE-IS-NO-SUCH-CARD')
  await waitUntilSettled(page)
  const views: readonly { hash: string; name?: string; main?: string }[] = [
    { hash: '#/traffic', name: 'Traffic', main: 'Path' },
    { hash: '#/operations', name: 'Operations', main: 'Path' },
    { hash: '#/library', name: 'Study sets', main: 'Title' },
    // These have tabs above what is no table, or one that the specs of rows measure.
    { hash: '#/bundles' },
    { hash: '#/host' },
    { hash: '#/contract' },
  ]
  const isTabCut = (): Promise<boolean> =>
    page
      .getByRole('main')
      .getByRole('tablist')
      .first()
      .evaluate((list) => list.scrollWidth > list.clientWidth)
  for (const size of WINDOW_SIZES) {
    await page.setViewportSize(size)
    for (const { hash, name, main } of views) {
      await go(page, hash)
      await waitUntilSettled(page)
      if (hash !== '#/operations')
        await expect.poll(async () => [hash, size.width, await isTabCut()]).toEqual([hash, size.width, false])
      if (name === undefined) continue
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

/** Ends of routes that are cut, and pieces of paths that lie over the next one. */
const findCutPaths = (page: Page, name: string): Promise<readonly string[]> =>
  page.getByRole('grid', { name, exact: true }).evaluate((grid) =>
    [...grid.querySelectorAll('.request-path')].flatMap((path) => {
      const end = path.querySelector('.end')
      const isCut = end !== null && end.scrollWidth > end.clientWidth
      const boxes = [...path.querySelectorAll('.pieces > *')].map((piece) => {
        const box = piece.getBoundingClientRect()
        const text = piece.querySelector('.tail') ?? piece
        const isClipped = /hidden|clip/.test(getComputedStyle(text).overflowX) || text.querySelector('.head') !== null
        const range = document.createRange()
        range.selectNodeContents(text)
        return {
          left: box.left,
          right: isClipped ? box.right : Math.max(box.right, range.getBoundingClientRect().right),
        }
      })
      const isOverlaid = boxes.some(({ right }, index) => right > (boxes[index + 1]?.left ?? Infinity) + 1)
      return isCut || isOverlaid ? [`${isCut ? 'cut' : 'overlaid'}: ${path.getAttribute('title') ?? ''}`] : []
    }),
  )

/** Ends of queries that are cut; there must be some. */
const findCutQueryEnds = (page: Page): Promise<readonly (string | null)[]> =>
  page
    .getByRole('grid', { name: 'Traffic', exact: true })
    .locator('.query-end')
    .evaluateAll((ends) =>
      ends.length === 0
        ? ['no query']
        : ends.filter((end) => end.scrollWidth > end.clientWidth).map(({ textContent }) => textContent),
    )

test('rows of calls cut no status, no end of a route or query, and no id at any width', async ({ app, page }) => {
  await waitForConnection(page)
  const panel = await openSample(app, 'Practice')
  await panel.getByRole('button', { name: '颈椎 C1 寰椎（无椎体）', exact: true }).click()
  await expect(panel.locator('#images img')).toHaveCount(2)
  await panel.evaluate(() =>
    Promise.all(
      [
        '/documents/ABC0DEF123/pages/0/parts',
        '/library/study-sets?search=0123456789012345678901234567890123456789&limit=20',
        '/study-sets/1081A23D-A3C2-4046-89E0-69A3F54A1858/note-palette',
      ].map((path) => fetch(`/bridge/v1${path}`)),
    ),
  )
  for (const size of WINDOW_SIZES) {
    await page.setViewportSize(size)
    for (const { hash, name } of [
      { hash: '#/panel', name: 'Calls' },
      { hash: '#/traffic', name: 'Traffic' },
    ]) {
      await go(page, hash)
      await waitUntilSettled(page)
      await expect
        .poll(async () => [name, size.width, (await measureGrid(page, name)).cut, await findCutPaths(page, name)])
        .toEqual([name, size.width, [], []])
      if (name === 'Traffic') await expect.poll(() => findCutQueryEnds(page)).toEqual([])
      // At a usual width, the calls show how long each took.
      if (size.width >= 1440) expect(Object.keys((await measureGrid(page, name)).widths)).toContain('Duration')
    }
  }
})

/** The left edges, in whole pixels, at which the statuses of a grid stand. */
const listStatusEdges = (page: Page, name: string): Promise<readonly number[]> =>
  page
    .getByRole('grid', { name, exact: true })
    .evaluate((grid) => [
      ...new Set(
        [...grid.querySelectorAll('.outcome > .numeric')].map((status) =>
          Math.round(status.getBoundingClientRect().left),
        ),
      ),
    ])

/** Parts of cells that a focus, or a call of `scrollIntoView`, would scroll. */
const listScrollableParts = (page: Page, name: string): Promise<readonly string[]> =>
  page.getByRole('grid', { name, exact: true }).evaluate((grid) =>
    [...grid.querySelectorAll(':is([role=gridcell], [role=gridcell] *):not(.visually-hidden)')].flatMap((part) => {
      part.scrollLeft = part.scrollWidth
      return part.scrollLeft === 0 ? [] : [part.className]
    }),
  )

test('beside an open row a list loses secondary columns, and neither its edge nor the ends of its paths', async ({
  app,
  page,
}) => {
  test.setTimeout(120_000)
  await waitForConnection(page)
  const panel = await openSample(app, 'Practice')
  const calls = page.getByRole('grid', { name: 'Calls', exact: true })
  await expect(calls.getByRole('row').nth(2)).toBeVisible()
  expect(Object.keys((await measureGrid(page, 'Calls')).widths)).not.toContain('Gate')
  const readParts = (): Promise<number> =>
    panel.evaluate(async () => (await fetch('/bridge/v1/documents/ABC0DEF123/pages/0/parts')).status)
  expect(await readParts()).toBeGreaterThanOrEqual(400)
  await panel.evaluate(() => fetch('/bridge/v1/pair', { method: 'POST', body: '{}' }))
  await expect.poll(async () => Object.keys((await measureGrid(page, 'Calls')).widths)).toContain('Gate')
  expect(await listStatusEdges(page, 'Calls')).toHaveLength(1)
  const lanes = '#/recordings/compare?after=this-run&before=this-run&view=lanes'
  for (const width of [1000, 1200, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    for (const { hash, main } of [
      { hash: '#/traffic', main: 'Path' },
      { hash: '#/findings', main: 'What went wrong' },
      { hash: lanes, main: 'Run that worked' },
    ]) {
      await go(page, hash)
      await waitUntilSettled(page)
      const grid = page.getByRole('main').getByRole('grid')
      const name = (await grid.getAttribute('aria-label')) ?? ''
      await grid
        .getByRole('row')
        .nth(1)
        .click({ position: { x: 5, y: 5 } })
      const pane = page.getByRole('main').getByRole('separator', { name: 'Width of the details' })
      await expect(pane).toBeVisible()
      await expect
        .poll(async () => [
          name,
          width,
          (await measureGrid(page, name)).cut,
          // Two lanes leave room for the last pieces of a path only.
          hash === lanes ? [] : await findCutPaths(page, name),
        ])
        .toEqual([name, width, [], []])
      const edge = await pane.boundingBox()
      const isCovered = await grid.evaluate(
        (list, x) => list.getBoundingClientRect().right > x + 1 || list.scrollWidth > list.clientWidth,
        edge?.x ?? 0,
      )
      expect([name, width, isCovered, await listScrollableParts(page, name)]).toEqual([name, width, false, []])
      expect((await measureGrid(page, name)).widths[main]).toBeGreaterThanOrEqual(180)
    }
  }
})
