import { axeOn } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { connected, go, openTree, settled } from './support.ts'

/** Background of an element as it is painted. */
const background = (element: Element): string => getComputedStyle(element).backgroundColor

test('selection, dots and swatches stay visible with forced colours', async ({ app, page }) => {
  test.skip(app.mode === 'electron', 'the same engine')
  await connected(page)
  await page.emulateMedia({ forcedColors: 'active' })
  const faults = async (): Promise<string[]> => {
    await settled(page)
    const { violations } = await (await axeOn(page)).analyze()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  }

  await openTree(page, /系统解剖学/)
  await page.getByRole('treeitem').nth(1).click()
  const chosen = page.getByRole('treeitem', { selected: true })
  const other = page.getByRole('treeitem', { selected: false }).first()
  await page.mouse.move(0, 0)
  expect(await chosen.evaluate(background)).not.toBe(await other.evaluate(background))
  expect(await faults()).toEqual([])

  // Green on whatever the system's background is.
  const dot = page.getByRole('status', { name: 'Connection' }).locator('.dot')
  expect(await dot.evaluate(background)).toMatch(/^rgb\((26, 127, 75|88, 196, 140)\)$/)
  const currentLink = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current=page]')
  const elsewhere = page.getByRole('navigation', { name: 'Main' }).locator('a:not([aria-current])').first()
  expect(await currentLink.evaluate(background)).not.toBe(await elsewhere.evaluate(background))

  await go(page, new URL(page.url()).hash.replace(/\/tree.*/, '/palette'))
  const swatches = page.getByRole('main').locator('.swatch')
  await expect(swatches.first()).toBeVisible()
  const colors = await swatches.evaluateAll((all) => all.map((element) => getComputedStyle(element).backgroundColor))
  expect(new Set(colors).size).toBeGreaterThan(3)
  expect(await faults()).toEqual([])
})

test('nothing moves with reduced motion', async ({ app, page }) => {
  test.skip(app.mode === 'electron', 'the same engine')
  await connected(page)
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const longest = await page.evaluate(() =>
    Math.max(
      ...[...document.querySelectorAll('*')].flatMap((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element)
        return `${transitionDuration},${animationDuration}`.split(',').map((time) => Number.parseFloat(time) || 0)
      }),
    ),
  )
  expect(longest).toBeLessThan(0.001)
})
