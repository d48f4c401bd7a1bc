import { readFileSync } from 'node:fs'
import type { Download, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { expectAccessible, openTree, startOwnHost, waitForConnection, chooseLevel } from './support.ts'

test.skip(({ mode }) => mode === 'electron', 'the desktop app asks where to save, and has the same engine')

async function openMap(page: Page, title: RegExp): Promise<void> {
  await waitForConnection(page)
  await openTree(page, title)
  await page.getByRole('link', { name: 'Map', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Map' }).locator('canvas')).toBeVisible()
}

async function beginExport(page: Page, group: string, format: string): Promise<void> {
  await page.getByRole('button', { name: 'Export the view or the whole map' }).click()
  await page.getByRole('group', { name: group }).getByRole('menuitem', { name: format }).click()
}

async function exportMap(page: Page, group: string, format: string): Promise<Download> {
  const downloading = page.waitForEvent('download')
  await beginExport(page, group, format)
  return downloading
}

const WINDOW = 'What is in sight'
const ALL = 'Whole map, as it is expanded and filtered'

/** What a browser makes of a drawing. */
async function readDrawing(page: Page, download: Download) {
  const source = readFileSync(await download.path(), 'utf8')
  return page.evaluate((svg) => {
    const drawing = new DOMParser().parseFromString(svg, 'image/svg+xml')
    const elements = [...drawing.querySelectorAll('*')]
    return {
      isValid: drawing.querySelector('parsererror') === null,
      names: [...new Set(elements.map(({ localName }) => localName))],
      attributes: [...new Set(elements.flatMap((element) => element.getAttributeNames()))],
      texts: [...drawing.querySelectorAll('text')].map(({ textContent }) => textContent),
    }
  }, source)
}

test('a part of the map says that it is a part, and the whole is saved as a drawing and as a picture, with a legend', async ({
  page,
}) => {
  await test.step('a part of the map says that it is a part', async () => {
    await openMap(page, /系统解剖学/)
    for (let step = 0; step < 4; step += 1) await page.getByRole('button', { name: 'Zoom in' }).click()
    const { isValid, texts } = await readDrawing(page, await exportMap(page, WINDOW, 'Drawing (SVG)'))
    expect(isValid).toBe(true)
    expect(texts.find((text) => text?.startsWith('A part of the map'))).toMatch(/\d+ cards .* of 163\.$/)
    await expectAccessible(page, 'map after an export')
  })
  await test.step('the whole map is saved as a drawing and as a picture, with a legend', async () => {
    await openMap(page, /系统解剖学/)
    await chooseLevel(page, 'Expand all')
    await expect(page.getByRole('region', { name: 'Map' })).not.toContainText('drawn')
    const drawing = await exportMap(page, ALL, 'Drawing (SVG)')
    expect(drawing.suggestedFilename()).toBe('系统解剖学 Systematic Anatomy.svg')
    const { isValid, texts } = await readDrawing(page, drawing)
    expect(isValid).toBe(true)
    expect(texts[0]).toBe('系统解剖学 Systematic Anatomy')
    expect(texts).toContain('The whole map as it was expanded and filtered: 163 of 163 cards drawn.')
    expect(texts).toEqual(expect.arrayContaining([expect.stringMatching(/^Sub-map/), '骨学', '内分泌系统']))

    const picture = await exportMap(page, ALL, 'Picture (PNG)')
    const bytes = readFileSync(await picture.path()).toString('base64')
    const { height, lowestRow } = await page.evaluate(async (base64) => {
      const png = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
      const image = await createImageBitmap(new Blob([png]))
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
      context?.drawImage(image, 0, 0)
      const pixels = context?.getImageData(0, 0, image.width, image.height).data ?? []
      let last = 0
      for (let index = 0; index < pixels.length; index += 4)
        if ((pixels[index] ?? 255) < 128) last = Math.floor(index / 4 / image.width)
      return { height: image.height, lowestRow: last }
    }, bytes)
    // The last card stands at the lower end, which is not cut off.
    expect(height).toBeGreaterThan(2_000)
    expect(lowestRow).toBeGreaterThan(height - 80)
    expect(lowestRow).toBeLessThan(height - 16)
  })
})

test('titles of a hostile host stay texts in a drawing', async ({ app }) => {
  const { host, flags } = await startOwnHost({ nodes: 50 })
  const evil = '</text><script>window.hacked=1</script><a href="javascript:1">&amp;"\'\u0000\u0008\ud800\uffff]]>\u202E'
  const [set] = host.state.library.sets
  for (const card of set?.cards.slice(0, 20) ?? []) card.title = evil
  if (set) set.title = `Bones ${evil}`
  const page = await app.restart(flags)
  await openMap(page, /Bones/)
  const drawing = await readDrawing(page, await exportMap(page, ALL, 'Drawing (SVG)'))
  expect(drawing.isValid).toBe(true)
  expect(drawing.names.sort()).toEqual(['g', 'path', 'rect', 'svg', 'text', 'title'])
  expect(drawing.attributes.filter((name) => name.startsWith('on') || name.includes('href'))).toEqual([])
  expect(drawing.texts[0]).toContain('<script>')
  await host.close()
})

test.describe('a map of 200,000 cards', () => {
  test.use({ nodes: 200_000 })

  test('is written while the page stays usable, until it is cancelled, and refused as a picture', async ({ page }) => {
    await openMap(page, /Generated mind map/)
    const region = page.getByRole('region', { name: 'Map' })
    await expect(region).toContainText('200,000 cards', { timeout: 40_000 })
    await chooseLevel(page, 'Expand all')
    await expect(region).not.toContainText('drawn')
    await beginExport(page, ALL, 'Picture (PNG)')
    await expect(region.getByRole('alert')).toContainText('its titles could not be read')
    await region.getByRole('button', { name: 'Close' }).click()
    await beginExport(page, ALL, 'Drawing (SVG)')
    await expect(region.getByRole('progressbar', { name: 'Writing the file…' })).toBeVisible()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await region.getByRole('button', { name: 'Cancel' }).click()
    await expect(region.getByRole('progressbar')).toHaveCount(0)
    await expect(region.getByRole('alert')).toHaveCount(0)
  })
})

test('a browser that cannot draw in a worker, or does not start it, says so and leads to the tree', async ({
  page,
}) => {
  await test.step('a browser that cannot draw in a worker says so and leads to the tree', async () => {
    await page.route(/map\.worker.*\.js/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: `self.OffscreenCanvas = undefined;${await response.text()}` })
    })
    await openMap(page, /系统解剖学/)
    const region = page.getByRole('region', { name: 'Map' })
    await expect(region.getByRole('alert')).toContainText('The map can’t be drawn.')
    await expect(region.getByRole('alert')).toContainText('OffscreenCanvas')
    await expectAccessible(page, 'map that cannot be drawn')
    await region.getByRole('button', { name: 'Show the tree' }).click()
    await expect(page).toHaveURL(/\/tree/)
    await expect(page.getByRole('treeitem').first()).toBeVisible()
  })
  await test.step('a worker that does not start is no blank map', async () => {
    await page.unrouteAll()
    await page.reload()
    await page.route(/map\.worker.*\.js/, (route) => route.abort())
    await openMap(page, /系统解剖学/)
    const region = page.getByRole('region', { name: 'Map' })
    await expect(region.getByRole('alert')).toContainText('The map can’t be drawn.')
    await region.getByRole('button', { name: 'Show the tree' }).click()
    await expect(page.getByRole('treeitem').first()).toBeVisible()
  })
})
