import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { stationsOf } from '../mutation/stations.ts'
import { expect, test } from './fixtures.ts'
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

/** Every view of every place: by all rules in one theme, and again what depends on colours in the other. */
for (const [theme, check] of [
  ['light', async (page: Page) => [...(await found(axe(page))), ...(await small(page))]],
  ['dark', (page: Page) => found(axe(page).options({ runOnly: { type: 'rule', values: ['color-contrast'] } }))],
] as const) {
  test(`axe finds nothing in any place, ${theme}`, async ({ app }) => {
    test.setTimeout(360_000)
    const { host, flags } = await ownHost()
    const page = await app.restart(flags)
    await connected(page)
    await page.emulateMedia({ colorScheme: theme })
    const faults: string[] = []
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
    }
    expect([...new Set(faults)]).toEqual([])
    await host.close()
  })
}
