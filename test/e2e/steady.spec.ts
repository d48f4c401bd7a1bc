import type { Page } from '@playwright/test'
import { endpoints } from '../../shared/bridge/endpoints/index.ts'
import { listViews } from '../mutation/stations.ts'
import { expect, test } from './fixtures.ts'
import { typeIntoFields } from './shortcut-keys.ts'
import { go, startOwnHost, waitForConnection, waitUntilSettled, openTools } from './support.ts'

test('the fields of a request keep the focus when no suggestion is left', async ({ app }) => {
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  await waitForConnection(page)
  const faults: string[] = []
  // The console suggests the ids of responses of this run. A first page alone would be a finding.
  const { topicid = '' } = host.state.library.sets[0] ?? {}
  await go(page, `#/console?method=GET&path=${encodeURIComponent(`/study-sets/${topicid}/tree?limit=5000`)}`)
  await page.getByRole('textbox', { name: 'Path', exact: true }).press('Enter')
  const exchange = page.getByRole('region', { name: 'Answer' }).getByRole('region', { name: 'Exchange' })
  await expect(exchange.getByText(/^200/).first()).toBeVisible()
  for (const route of ['title', 'practice-verdict']) {
    await go(page, `#/console?method=POST&path=${encodeURIComponent(`/notes/{noteid}/${route}`)}&body={}`)
    await page.getByRole('combobox', { name: 'noteid' }).focus()
    await expect(page.getByRole('listbox', { name: 'Suggestions' })).toBeVisible()
    faults.push(...(await typeIntoFields(page, `console: ${route}`, '.request-form')))
  }
  expect(faults).toEqual([])
  await host.close()
})

const ROWS = '[role=row][aria-rowindex], [role=treeitem]'

/** The place of the first rows in the window, by their text. */
const measureRows = (page: Page): Promise<string[]> =>
  page
    .getByRole('main')
    .locator(ROWS)
    .evaluateAll((rows) =>
      rows.slice(0, 8).map((row) => {
        const { x, y, height } = row.getBoundingClientRect()
        return `${row.getAttribute('aria-rowindex') ?? row.id}: ${x}, ${y}, ${height}`
      }),
    )

/**
 * The controls that can be seen in the bars above a list, apart from tabs, from chips that take a
 * filter away, from two actions beside a title without a search, and from the tools of a text or a
 * picture, which are no list.
 */
const listBarControls = (page: Page): Promise<string[]> =>
  page
    .getByRole('main')
    .locator('.toolbar:visible')
    .evaluateAll((bars) =>
      bars.flatMap((bar) => {
        if (bar.closest('.json') !== null || bar.getAttribute('aria-label') === 'Image tools') return []
        const controls = [...bar.querySelectorAll('button, a[href], input, select, [role=combobox]')].filter(
          (control) =>
            !control.closest('[inert], [role=tablist], nav') &&
            !control.getAttribute('aria-label')?.startsWith('Remove ') &&
            control.checkVisibility({ visibilityProperty: true }),
        )
        const groups = controls.map((control) => control.closest('[role=radiogroup], .search') ?? control)
        const names = [...new Set(groups)].map((group) => group.getAttribute('aria-label') ?? group.textContent.trim())
        return names.slice(bar.querySelector('h1') && !bar.querySelector('.search') ? 2 : 0)
      }),
    )
const MAX_BAR_CONTROLS = 5

/** Bars that are neither 36 nor 40 pixels high, and searches of a list that stand in none. */
const findOwnBars = (page: Page): Promise<string[]> =>
  page
    .getByRole('main')
    .evaluate((main) => [
      ...[...main.querySelectorAll<HTMLElement>('.toolbar')]
        .filter((bar) => bar.checkVisibility() && ![36, 40].includes(bar.offsetHeight))
        .map((bar) => `a bar of ${String(bar.offsetHeight)} pixels`),
      ...[...main.querySelectorAll('[role=tabpanel] > .search, [role=tabpanel] .rigid > .search')]
        .filter((search) => search.checkVisibility() && search.closest('.toolbar') === null)
        .map((search) => `${search.querySelector('input')?.getAttribute('aria-label') ?? ''} is in no bar`),
    ])

/** These wait for a button and for a commit, and have specs of their own. */
const READS_ON_REQUEST: readonly string[] = ['documents.tocCandidates', 'writing.pencilResult']

/** Selects the third row of a view. Returns how that moved it, or null if nothing moved. */
async function findMovedRow(page: Page): Promise<string | null> {
  const before = await measureRows(page)
  await page
    .getByRole('main')
    .locator(ROWS)
    .nth(2)
    .click({ position: { x: 5, y: 5 } })
  await waitUntilSettled(page)
  const after = await measureRows(page)
  return before.join() === after.join() ? null : `${before[2] ?? ''} -> ${after[2] ?? ''}`
}

test('the views use every read, at most five controls are above a list, and selecting a row moves none, at any width', async ({
  app,
}) => {
  test.setTimeout(600_000)
  const { host, flags } = await startOwnHost()
  const page = await app.restart(flags)
  const faults: string[] = []
  const inspected = new Set<string>()
  const reads = endpoints.filter(({ id, access }) => access === 'read' && !READS_ON_REQUEST.includes(id))
  const listUnread = (): readonly string[] =>
    reads.map(({ id }) => id).filter((id) => !host.log.some(({ endpoint }) => endpoint === id))
  // Those that list the program's own requests get new rows meanwhile.
  let stations = listViews(host).filter(({ flows }) => flows !== true)
  for (const width of [1000, 1440, 2560]) {
    await page.setViewportSize({ width, height: 1000 })
    // Nothing is selected in a new page.
    await page.reload()
    await waitForConnection(page)
    const stationsWithRows: typeof stations = []
    for (const station of stations) {
      await go(page, station.hash)
      await waitUntilSettled(page)
      const controls = await listBarControls(page)
      if (controls.length > MAX_BAR_CONTROLS) faults.push(`${station.name}, ${width} pixels wide: ${controls.join()}`)
      for (const bar of await findOwnBars(page)) faults.push(`${station.name}, ${width} pixels wide: ${bar}`)
      if ((await page.getByRole('main').locator(ROWS).count()) < 3) continue
      stationsWithRows.push(station)
      const move = await findMovedRow(page)
      if (move !== null) faults.push(`${station.name}, ${width} pixels wide: ${move}`)
      if ((await page.getByRole('complementary').count()) > 0) inspected.add(`${station.name} ${width}`)
    }
    stations = stationsWithRows
    await expect.poll(listUnread).toEqual([])
  }
  expect(faults).toEqual([])
  for (const width of [1000, 1440, 2560])
    for (const name of ['tree', 'library: study sets', 'excerpts']) expect(inspected).toContain(`${name} ${width}`)
  await host.close()
})

test('an id is copied whole, the page is as high as the window, and what lies over it closes by Back, a new address or its dialog', async ({
  page,
}) => {
  await test.step('an id that is selected and copied is the id', async () => {
    await waitForConnection(page)
    const copySelection = (selector: string): Promise<string[]> =>
      page.locator(selector).evaluateAll((elements) =>
        elements.map((element) => {
          window.getSelection()?.selectAllChildren(element)
          return window.getSelection()?.toString() ?? ''
        }),
      )
    await expect(page.locator('main .id.mono').nth(4)).toBeVisible()
    const ids = await copySelection('main .id.mono')
    for (const id of ids) expect(id).toMatch(/^[0-9A-F-]{36}$/)
  })
  await test.step('the page is as high as the window, also where a place is longer', async () => {
    for (const hash of ['#/library', '#/settings']) {
      await go(page, hash)
      await waitUntilSettled(page)
      expect(await page.evaluate(() => [document.body.scrollHeight, document.documentElement.scrollHeight])).toEqual([
        800, 800,
      ])
    }
  })
  await test.step('Back closes what lies over the page first, and a new address closes it', async () => {
    await go(page, '#/recordings')
    await go(page, '#/connect')
    await page.getByRole('button', { name: 'Add a host' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await page.goBack()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page).toHaveURL(/#\/connect$/)
    await page.goBack()
    await expect(page).toHaveURL(/#\/recordings$/)

    await go(page, '#/connect')
    await page.getByRole('button', { name: 'Add a host' }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await go(page, '#/traffic')
    await expect(page.getByRole('dialog')).toHaveCount(0)

    await openTools(page)
    await page.getByRole('button', { name: 'Columns' }).click()
    await expect(page.getByRole('region', { name: 'Columns' })).toBeVisible()
    await page.goBack()
    await expect(page.getByRole('region', { name: 'Columns' })).toHaveCount(0)
    await expect(page).toHaveURL(/#\/traffic$/)
    await page.getByRole('row').nth(1).click({ button: 'right' })
    await expect(page.getByRole('menu')).toBeVisible()
    await go(page, '#/connect')
    await expect(page.getByRole('menu')).toHaveCount(0)
  })
  await test.step('the menu of a bar is not seen behind a dialog that it opened, and closes with it', async () => {
    await go(page, '#/traffic')
    await openTools(page)
    const clear = page.getByRole('button', { name: 'Clear traffic', exact: true })
    await clear.press('Enter')
    await expect(page.getByRole('dialog')).toBeVisible()
    await expect.poll(() => clear.evaluate((item) => item.checkVisibility({ opacityProperty: true }))).toBe(false)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    const menu = page.getByRole('main').getByRole('button', { name: 'All tools' })
    await expect(menu).toBeFocused()
    await expect(menu).toHaveAttribute('aria-expanded', 'false')
    await expect(clear).toBeHidden()
  })
})
