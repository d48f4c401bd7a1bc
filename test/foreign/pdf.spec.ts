import type { Page } from '@playwright/test'
import {
  brokenJpxPdf,
  ccittPdf,
  chinesePdf,
  japanesePdf,
  jbig2Pdf,
  jpxPdf,
  protectedPdf,
  standardFontPdf,
} from './pdf-files.ts'
import { serveBytes, startContentServer, type ContentServer } from '../e2e/content-host.ts'
import { expect, test, type RunningApp } from '../e2e/fixtures.ts'
import { waitForConnection, expectAccessible, go } from '../e2e/support.ts'
import { figure } from './figures.ts'

let server: ContentServer | null = null
test.afterEach(() => {
  server?.close()
  server = null
})

/** Opens a card whose only content is this PDF. */
async function showing(app: RunningApp, pdf: Buffer): Promise<Page> {
  server = await startContentServer(() => ({ pdf: serveBytes('application/pdf', pdf) }))
  const page = await app.restart(server.flags)
  await waitForConnection(page)
  await go(page, '#/notes/N?tab=content')
  return page
}

/** Measures how much of the drawn page is dark, and whether its middle is. */
const ink = (page: Page) =>
  page.locator('canvas').evaluate((canvas: HTMLCanvasElement) => {
    const { width, height } = canvas
    if (width === 0) return { dark: 0, middle: false, corner: false }
    const { data } = canvas.getContext('2d')?.getImageData(0, 0, width, height) ?? { data: new Uint8ClampedArray(0) }
    const isDark = (pixel: number): boolean => (data[pixel * 4 + 3] ?? 0) > 128 && (data[pixel * 4] ?? 255) < 128
    let dark = 0
    for (let pixel = 0; pixel < width * height; pixel += 1) if (isDark(pixel)) dark += 1
    const middle = Math.floor(height / 2) * width + Math.floor(width / 2)
    return { dark: dark / (width * height), middle: isDark(middle), corner: isDark(width * 5 + 5) }
  })

for (const [name, pdf] of [
  ['JBIG2', jbig2Pdf()],
  ['JPEG 2000', jpxPdf()],
  ['a fax', ccittPdf()],
] as const) {
  test(`a scan as ${name} is drawn @either`, async ({ app }) => {
    const page = await showing(app, pdf)
    await expect.poll(() => ink(page)).toMatchObject({ middle: true, corner: false })
    const { dark } = await ink(page)
    expect(dark).toBeGreaterThan(0.2)
    expect(dark).toBeLessThan(0.3)
    await expect(page.getByText('could not be drawn')).toHaveCount(0)
    figure(`pdf-${name}`, { [`a scan as ${name}`]: 'drawn' })
  })
}

for (const [name, pdf, font] of [
  ['Chinese', chinesePdf(), 'STSong-Light'],
  ['Japanese', japanesePdf(), 'HeiseiMin-W3'],
] as const) {
  test(`${name} in a font that is not embedded is drawn with an available font, and that is reported @either`, async ({
    app,
  }) => {
    const page = await showing(app, pdf)
    await expect.poll(async () => (await ink(page)).dark).toBeGreaterThan(0.01)
    await expect(page.getByText(`others replace them: ${font}`)).toBeVisible()
    await expect(page.getByText('could not be drawn')).toHaveCount(0)
    figure(`pdf-${name}`, { [`${name} in a font that is not embedded`]: 'drawn, with the font named' })
  })
}

test('a standard font is included in the app', async ({ app }) => {
  const page = await showing(app, standardFontPdf())
  await expect.poll(async () => (await ink(page)).dark).toBeGreaterThan(0.01)
  figure('pdf-standard', { 'a standard font': 'drawn' })
})

test('a PDF that cannot be drawn is reported with the reason', async ({ app }) => {
  const page = await showing(app, brokenJpxPdf())
  const notice = page.getByText('1 part of this page could not be drawn')
  await expect(notice).toBeVisible()
  await notice.click()
  await expect(page.getByText(/Unable to decode image .*JpxError/)).toBeVisible()
  await expectAccessible(page, 'a page with a loss')
  figure('pdf-broken', { 'a picture that is cut off': 'said, with the reason' })
})

test('a protected PDF asks for its password, and reports a wrong one', async ({ app }) => {
  const page = await showing(app, protectedPdf('open sesame'))
  const dialog = page.getByRole('dialog', { name: 'Password needed' })
  await expect(dialog).toBeVisible()
  await expectAccessible(page, 'the question for a password')
  await page.keyboard.press('Escape')
  await expect(page.getByText('This PDF is protected by a password')).toBeVisible()
  await page.getByRole('button', { name: 'Enter the password…' }).click()
  await dialog.getByLabel('Password').fill('wrong')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('alert')).toHaveText('Wrong password.')
  await dialog.getByLabel('Password').fill('open sesame')
  await dialog.getByRole('button', { name: 'Open' }).click()
  await expect.poll(() => ink(page)).toMatchObject({ middle: true, corner: false })
  await expect(dialog).toHaveCount(0)
  figure('pdf-password', { 'behind a password': 'asked for, refused when wrong, drawn' })
})
