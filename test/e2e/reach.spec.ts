import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { stationsOf } from '../mutation/stations.ts'
import { expect, test } from './fixtures.ts'
import { connected, go, ownHost, settled } from './support.ts'

/** Rules that axe only recommends or leaves out by default. */
const rules = ['heading-order', 'page-has-heading-one', 'target-size']

async function found(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withRules(rules).analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** Copy buttons smaller than the minimum target size (WCAG 2.2, 2.5.8). */
const small = (page: Page): Promise<string[]> =>
  page.locator('button.copy-id, button[aria-label^="Copy"]').evaluateAll((buttons) =>
    buttons
      .map((button) => ({ button, box: button.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
      .map(({ button, box }) => `${button.className}: ${box.width} × ${box.height}`),
  )

test('every place has its headings in order and its targets large enough', async ({ app }) => {
  test.slow()
  const { host, flags } = await ownHost()
  const page = await app.restart(flags)
  await connected(page)
  const faults: string[] = []
  for (const { name, hash, act } of stationsOf(host)) {
    await go(page, hash)
    await settled(page)
    // Selecting a row opens the inspector.
    const rows = page.getByRole('main').locator('[role=row][aria-rowindex], [role=treeitem]')
    if (act === 'select' && (await rows.count()) > 1) await rows.nth(1).click({ position: { x: 5, y: 5 } })
    await settled(page)
    faults.push(...[...(await found(page)), ...(await small(page))].map((fault) => `${name}: ${fault}`))
  }
  expect([...new Set(faults)]).toEqual([])
  await host.close()
})
