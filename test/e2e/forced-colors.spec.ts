import { createAxeBuilder } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { waitForConnection, go, openTree, waitUntilSettled } from './support.ts'

/** Background of an element as it is painted. */
const readBackground = (element: Element): string => getComputedStyle(element).backgroundColor

test('selection, dots and swatches stay visible with forced colours', async ({ app, page }) => {
  test.skip(app.mode === 'electron', 'the same engine')
  await waitForConnection(page)
  await page.emulateMedia({ forcedColors: 'active' })
  const listFaults = async (): Promise<string[]> => {
    await waitUntilSettled(page)
    const { violations } = await (await createAxeBuilder(page)).analyze()
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
  }

  await openTree(page, /系统解剖学/)
  await page.getByRole('treeitem').nth(1).click()
  const stripes = page.getByRole('treeitem').locator('.stripe')
  const countColors = async (): Promise<number> =>
    new Set(await stripes.evaluateAll((all) => all.map((element) => getComputedStyle(element).backgroundColor))).size
  // The colors of the cards are read after the tree.
  await expect.poll(countColors).toBeGreaterThan(3)
  const chosen = page.getByRole('treeitem', { selected: true })
  const other = page.getByRole('treeitem', { selected: false }).first()
  await page.mouse.move(0, 0)
  expect(await chosen.evaluate(readBackground)).not.toBe(await other.evaluate(readBackground))
  expect(await listFaults()).toEqual([])

  // Green on whatever the system's background is.
  const dot = page.getByRole('status', { name: 'Connection' }).locator('.dot')
  expect(await dot.evaluate(readBackground)).toMatch(/^rgb\((20, 106, 63|88, 196, 140)\)$/)
  const currentLink = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current=page]')
  const elsewhere = page.getByRole('navigation', { name: 'Main' }).locator('a:not([aria-current])').first()
  expect(await currentLink.evaluate(readBackground)).not.toBe(await elsewhere.evaluate(readBackground))

  await go(page, new URL(page.url()).hash.replace(/\/tree.*/, '/palette'))
  const swatches = page.getByRole('main').locator('.swatch')
  await expect(swatches.first()).toBeVisible()
  const colors = await swatches.evaluateAll((all) => all.map((element) => getComputedStyle(element).backgroundColor))
  expect(new Set(colors).size).toBeGreaterThan(3)
  expect(await listFaults()).toEqual([])

  await go(page, '#/settings')
  const pictures = page.getByRole('switch', { name: 'Pictures of panels' })
  const rail = pictures.locator('.n-switch__rail')
  await pictures.focus()
  await page.keyboard.press('Space')
  await expect(pictures).toHaveAttribute('aria-checked', 'false')
  const whenOff = await rail.evaluate(readBackground)
  await page.keyboard.press('Space')
  await expect(pictures).toHaveAttribute('aria-checked', 'true')
  expect(await rail.evaluate(readBackground)).not.toBe(whenOff)
  expect(await pictures.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe('solid')
})

test('nothing moves with reduced motion', async ({ app, page }) => {
  test.skip(app.mode === 'electron', 'the same engine')
  await waitForConnection(page)
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
  // A size that a script sets is the size that it reads then.
  const sizes = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('div'))
    const measured = ['10px', '20px'].map((height) => {
      probe.style.setProperty('height', height)
      return probe.getBoundingClientRect().height
    })
    probe.remove()
    return measured
  })
  expect(sizes).toEqual([10, 20])
})
