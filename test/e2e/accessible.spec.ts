import type { Page } from '@playwright/test'
import { listViews } from '../mutation/stations.ts'
import { createAxeBuilder } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { DIALOG, listOverlays } from './overlays.ts'
import { typeIntoFields } from './shortcut-keys.ts'
import { waitForConnection, go, startOwnHost, waitUntilSettled } from './support.ts'

/** WCAG 2.2 AA, axe's best practices, and the target size, which is off by default. */
const everyRule = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  rules: { 'target-size': { enabled: true } },
}
const onlyContrast = { runOnly: { type: 'rule' as const, values: ['color-contrast'] } }

/** Lists the violations that axe finds in a part of the page, or in all of it. */
async function listViolations(
  page: Page,
  options: Parameters<typeof createAxeBuilder>[1],
  within?: string,
): Promise<string[]> {
  const builder = await createAxeBuilder(page, options)
  const { violations } = await (within === undefined ? builder : builder.include(within)).analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/**
 * Copy buttons smaller than the minimum target size (WCAG 2.2, 2.5.8); axe lets small targets pass
 * that stand alone.
 */
const listSmallButtons = (page: Page): Promise<string[]> =>
  page.locator('button.copy-id, button[aria-label^="Copy"]').evaluateAll((buttons) =>
    buttons
      .map((button) => ({ button, box: button.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
      .map(({ button, box }) => `${button.className}: ${box.width} × ${box.height}`),
  )

/** Lists the violations of the current place with forced colours. */
async function listForcedColorViolations(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: 'active' })
  const faults = await listViolations(page, onlyContrast)
  await page.emulateMedia({ forcedColors: 'none' })
  return faults.map((fault) => `forced colours: ${fault}`)
}

type Theme = 'light' | 'dark'
/** `npm run test:axe` checks each view in both themes; other runs alternate between the themes. */
const isFullRun = Boolean(process.env['E2E_AXE'])

/** Changes the preferred theme of the system, and waits until the page has applied it. */
async function switchTheme(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme)
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
}

/**
 * Every view and overlay is checked by all rules in one theme, and by the rules about colours in
 * the other theme and with forced colours. The same visit types every key of a shortcut into the
 * fields of the view or dialog.
 */
for (const half of ['first', 'second'] as const) {
  test(`axe finds nothing in any place or dialog, light or dark, and its fields keep the focus: the ${half} half of the views @axe`, async ({
    app,
  }) => {
    test.setTimeout(600_000)
    const { host, flags } = await startOwnHost()
    const page = await app.restart(flags)
    await waitForConnection(page)
    // Without transitions, the colours are final at once.
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const faults: string[] = []
    const lostFocus: string[] = []
    let themes: readonly [Theme, Theme] = ['light', 'dark']
    /** Checks by all rules in the current theme; a full run then checks the other theme. */
    const check = async (name: string, within?: string, withForced = false): Promise<void> => {
      const [first, other] = themes
      for (const theme of isFullRun ? themes : themes.slice(0, 1)) {
        await switchTheme(page, theme)
        const listFaults = async (): Promise<string[]> => [
          ...(await listViolations(page, theme === first ? everyRule : onlyContrast, within)),
          ...(theme === first ? await listSmallButtons(page) : []),
          ...(withForced && theme === (isFullRun ? other : first) ? await listForcedColorViolations(page) : []),
        ]
        let wrong = await listFaults()
        // The check may have run while the page was being drawn, so only violations that persist
        // count.
        if (wrong.length > 0) {
          await waitUntilSettled(page)
          wrong = await listFaults()
        }
        faults.push(...wrong.map((fault) => `${name}: ${theme}: ${fault}`))
      }
      themes = [themes[1], themes[0]]
    }
    const selectHalf = <T>(all: readonly T[]): readonly T[] => {
      const middle = Math.ceil(all.length / 2)
      return half === 'first' ? all.slice(0, middle) : all.slice(middle)
    }
    const observations = new Set<string>()
    for (const { name, hash, act } of selectHalf(listViews(host))) {
      await go(page, hash)
      await waitUntilSettled(page)
      // Selecting a row opens the inspector.
      const rows = page.getByRole('main').locator('[role=row][aria-rowindex], [role=treeitem]')
      if (act === 'select' && (await rows.count()) > 1) {
        await rows.nth(1).click({ position: { x: 5, y: 5 } })
        await waitUntilSettled(page)
      }
      // One view of each place is enough with forced colours, because its views share their
      // components.
      const [place = ''] = name.split(':')
      await check(name, undefined, isFullRun || !observations.has(place))
      observations.add(place)
      // Last, because typing changes what is shown.
      if (!isFullRun) lostFocus.push(...(await typeIntoFields(page, name, 'main')))
    }
    for (const { name, hash, open, within } of selectHalf(listOverlays(host))) {
      await go(page, hash)
      await waitUntilSettled(page)
      await open(page)
      await expect(page.locator(within).first()).toBeVisible()
      await check(name, within)
      if (within === DIALOG && !isFullRun) lostFocus.push(...(await typeIntoFields(page, name, within)))
      await page.keyboard.press('Escape')
      if (within !== 'main') await expect(page.locator(within)).toHaveCount(0)
    }
    expect([...new Set(faults)]).toEqual([])
    expect(lostFocus, 'fields that lost the focus').toEqual([])
    await host.close()
  })
}
