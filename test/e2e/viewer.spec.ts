import type { Page } from '@playwright/test'
import { createJxl, createPng } from '../support/data/pictures.ts'
import { serveBytes, startContentServer } from './content-host.ts'
import { expect, test } from './fixtures.ts'
import { waitForConnection, expectAccessible, go, openTools } from './support.ts'

// Cards of the demo library, which is the same in every run.
const IMAGE = '2F434250-51B5-49D9-8607-E9C650C67873'
const AUDIO = 'CCE3C529-8393-41C2-83F5-25D1656D0970'
const VIDEO = '3943520E-57B5-434B-8667-EA5D5AC68831'

async function openContent(page: Page, noteid: string, kind: string): Promise<void> {
  await waitForConnection(page)
  await go(page, `#/notes/${noteid}?tab=content`)
  await page.getByRole('option', { name: new RegExp(`: ${kind}$`) }).click()
}

test('an image can be fitted, shown in actual pixels, zoomed and panned by keyboard, requested in a size, and compared with its base', async ({
  page,
}) => {
  await openContent(page, IMAGE, 'Ink')
  const stage = page.getByRole('application')
  await expect(page.getByText(/image\/png · 1,400 × 700 px/)).toBeVisible()
  await stage.focus()
  await page.keyboard.press('1')
  await expect(page.getByRole('button', { name: 'Actual pixels (1)' })).toHaveText('100 %')
  await page.keyboard.press('+')
  await expect(page.getByRole('button', { name: 'Actual pixels (1)' })).toHaveText('125 %')
  const before = await stage.locator('.sheet').getAttribute('style')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => stage.locator('.sheet').getAttribute('style')).not.toBe(before)
  await page.keyboard.press('0')
  await expect(page.getByRole('button', { name: 'Fit (0)' })).toHaveAttribute('aria-pressed', 'true')

  // Beside the inspector, the bar has no room for all of its tools.
  await openTools(page)
  const edge = page.getByRole('combobox', { name: /Longest edge/ })
  await edge.fill('256')
  await edge.press('Enter')
  await expect(page.getByText(/image\/png · 256 × 128 px/)).toBeVisible()
  // Another picture has a bar of its own.
  await openTools(page)
  await edge.fill('10')
  await edge.press('Enter')
  await expect(page.getByRole('alert')).toContainText('A whole number from 64 to 4096')
  await expectAccessible(page, 'image')

  await openContent(page, IMAGE, 'Image')
  await openTools(page)
  const masks = page.getByRole('checkbox', { name: /\d+ masks?/ })
  await expect(masks).toBeChecked()
  await expect(page.locator('.mask').first()).toBeVisible()
  await masks.uncheck()
  await expect(page.locator('.mask')).toHaveCount(0)
  await page.getByText('Slider', { exact: true }).click()
  const slider = page.getByRole('slider', { name: 'Boundary between composite and base' })
  await slider.focus()
  await page.keyboard.press('ArrowRight')
  await expect(slider).toHaveValue('51')
  await page.getByText('Difference', { exact: true }).click()
  await expect(page.getByRole('img', { name: 'Layer below' })).toHaveCSS('mix-blend-mode', 'difference')
})

test('audio and video play and seek', async ({ page }) => {
  await openContent(page, AUDIO, 'Audio')
  await expect(page.getByText('0:00 / 0:12')).toBeVisible()
  const position = page.getByRole('slider', { name: 'Position' })
  await position.fill('6')
  await expect(page.getByText('0:06 / 0:12')).toBeVisible()
  await page.getByRole('button', { name: 'Play' }).click()
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible()
  await expect(page.getByText(/^0:(?:0[7-9]|1[0-2]) \/ 0:12$/)).toBeVisible()
  await openContent(page, VIDEO, 'Video')
  const video = page.locator('video')
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.readyState)).toBeGreaterThan(0)
  await video.evaluate((element: HTMLVideoElement) => {
    element.currentTime = element.duration / 2
  })
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.seeking)).toBe(false)
})

test('a card is shown as the host renders it, as a long image or a PDF page by page @either', async ({ page }) => {
  await waitForConnection(page)
  await go(page, `#/notes/${IMAGE}?tab=render`)
  await expect(page.getByText(/image\/png · 720 × /)).toBeVisible()
  const width = page.getByRole('textbox', { name: /Width in pixels/ })
  await width.fill('320')
  await width.press('Enter')
  await expect(page.getByText(/image\/png · 320 × /)).toBeVisible()
  await page.getByText('PDF', { exact: true }).click()
  await expect(page.getByText('of 2', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page.getByRole('textbox', { name: 'Go to page' })).toHaveValue('2')
  await expect
    .poll(() => page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => canvas.width))
    .toBeGreaterThan(100)
  await expectAccessible(page, 'render')
})

test('pictures of any shape do not cover the captions of the strip, and a JPEG XL is drawn where the browser supports it', async ({
  app,
}) => {
  const pictures = { tall: [40, 3_000], wide: [3_000, 40], square: [900, 900] } as const
  const contents = Object.fromEntries(
    Object.entries(pictures).map(([name, [width, height]]) => [
      name,
      serveBytes('image/png', createPng(width, height)),
    ]),
  )
  const jxl = serveBytes('image/jxl', createJxl())
  const server = await startContentServer(() => ({ ...contents, jxl }))
  const page = await app.restart(server.flags)
  await waitForConnection(page)
  await go(page, '#/notes/N?tab=content')
  for (const [index, name] of Object.keys(pictures).entries()) {
    const item = page.getByRole('option').nth(index)
    await expect(item.locator('img'), name).toBeVisible()
    await expect.poll(() => item.locator('img').evaluate((img: HTMLImageElement) => img.complete)).toBe(true)
    const [picture, caption, itemBox] = await Promise.all(
      [item.locator('img'), item.locator('.caption'), item].map((locator) => locator.boundingBox()),
    )
    expect((picture?.y ?? 0) + (picture?.height ?? 0), name).toBeLessThanOrEqual(caption?.y ?? 0)
    expect(picture?.y ?? 0, name).toBeGreaterThanOrEqual(itemBox?.y ?? 0)
    expect(caption?.height ?? 0, name).toBeGreaterThan(10)
  }

  await page.getByRole('option').last().click()
  await expect(page.getByText(/image\/jxl · 32 × 32 px/)).toBeVisible()
  const draws = await page.evaluate(
    async (src) => {
      const image = new Image()
      image.src = src
      return image.decode().then(
        () => true,
        () => false,
      )
    },
    `data:image/jxl;base64,${createJxl().toString('base64')}`,
  )
  if (draws) await expect(page.getByRole('application').locator('img')).toBeVisible()
  else await expect(page.getByText('This browser can’t draw JPEG XL. You can save it.')).toBeVisible()
  await expect(page.getByText('its bytes say otherwise')).toHaveCount(0)
  server.close()
})
