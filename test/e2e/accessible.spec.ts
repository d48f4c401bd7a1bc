import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { stationsOf } from '../mutation/stations.ts'
import { expect, test } from './fixtures.ts'
import { overlaysOf } from './overlays.ts'
import { connected, go, ownHost, settled } from './support.ts'

/** WCAG 2.2 AA, axe's best practices, and the target size, which is off by default. */
const axe = (page: Page): AxeBuilder =>
  new AxeBuilder({ page })
    .setLegacyMode(true)
    // Samples show text on the host's colours: their contrast is the host's, and given in numbers next to them.
    .exclude('[data-sample]')
    .options({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      rules: { 'target-size': { enabled: true } },
    })

async function found(builder: AxeBuilder): Promise<string[]> {
  const { violations } = await builder.analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** Copy buttons smaller than the minimum target size (WCAG 2.2, 2.5.8); axe lets small targets pass that stand alone. */
const small = (page: Page): Promise<string[]> =>
  page.locator('button.copy-id, button[aria-label^="Copy"]').evaluateAll((buttons) =>
    buttons
      .map((button) => ({ button, box: button.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
      .map(({ button, box }) => `${button.className}: ${box.width} × ${box.height}`),
  )

/** Within a part of the page, or all of it. */
const part = (builder: AxeBuilder, within?: string): AxeBuilder =>
  within === undefined ? builder : builder.include(within)
const contrast = (page: Page, within?: string): Promise<string[]> =>
  found(part(axe(page).options({ runOnly: { type: 'rule', values: ['color-contrast'] } }), within))

/** The same place in the colours of a system that forces its own. */
async function forced(page: Page): Promise<string[]> {
  await page.emulateMedia({ forcedColors: 'active' })
  const faults = await contrast(page)
  await page.emulateMedia({ forcedColors: 'none' })
  return faults.map((fault) => `forced colours: ${fault}`)
}

/** Every view of every place, and what opens over them: by all rules in one theme, and what depends on colours in the other and forced. */
for (const [theme, check] of [
  ['light', async (page: Page, within?: string) => [...(await found(part(axe(page), within))), ...(await small(page))]],
  ['dark', contrast],
] as const) {
  test(`axe finds nothing in any place or dialog, ${theme}`, async ({ app }) => {
    test.setTimeout(360_000)
    const { host, flags } = await ownHost()
    const page = await app.restart(flags)
    await connected(page)
    await page.emulateMedia({ colorScheme: theme })
    const faults: string[] = []
    const seen = new Set<string>()
    for (const { name, hash, act } of stationsOf(host)) {
      await go(page, hash)
      await settled(page)
      // Selecting a row opens the inspector.
      const rows = page.getByRole('main').locator('[role=row][aria-rowindex], [role=treeitem]')
      if (act === 'select' && (await rows.count()) > 1) {
        await rows.nth(1).click({ position: { x: 5, y: 5 } })
        await settled(page)
      }
      faults.push(...(await check(page)).map((fault) => `${name}: ${fault}`))
      // One view of each place: what depends on forced colours is in its parts, which its views share.
      const [place = ''] = name.split(':')
      if (theme === 'dark' && !seen.has(place)) faults.push(...(await forced(page)).map((fault) => `${name}: ${fault}`))
      seen.add(place)
    }
    for (const { name, hash, open, within } of overlaysOf(host)) {
      await go(page, hash)
      await settled(page)
      await open(page)
      await expect(page.locator(within).first()).toBeVisible()
      faults.push(...(await check(page, within)).map((fault) => `${name}: ${fault}`))
      await page.keyboard.press('Escape')
      if (within !== 'main') await expect(page.locator(within)).toHaveCount(0)
    }
    expect([...new Set(faults)]).toEqual([])
    await host.close()
  })
}
