import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Frame, Locator, Page } from '@playwright/test'
import { expect, test, type RunningApp } from './fixtures.ts'
import { openFolder, openPanelConsole, getPanel } from './panel-page.ts'
import { go, waitForConnection, openTools } from './support.ts'

const stage = (page: Page): Locator => page.getByRole('region', { name: 'Panel', exact: true })
const palette = (page: Page): Locator => page.getByRole('dialog', { name: 'Command palette' })
const choose = (page: Page, name: string, value: string) => page.getByRole('combobox', { name }).selectOption(value)

/** Creates a panel with two fields and a colored page, which runs this script. */
function createPanelFolder(script = ''): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-panel-'))
  writeFileSync(
    path.join(folder, 'index.html'),
    `<!doctype html><html lang="en"><title>Fields</title><style>html { background: rgb(0, 128, 0) }</style>
    <h1>Fields</h1><input aria-label="First" autofocus><input aria-label="Second">
    <a href="http://127.0.0.1:9/dragged">A link</a><script src="panel.js"></script></html>`,
  )
  writeFileSync(path.join(folder, 'panel.js'), script)
  return folder
}

async function openFields(app: RunningApp, script = ''): Promise<{ panel: Frame; folder: string }> {
  await waitForConnection(app.page)
  const folder = createPanelFolder(script)
  const panel = await openFolder(app, folder)
  await expect(panel.getByRole('heading', { name: 'Fields' })).toBeVisible()
  return { panel, folder }
}

/** Zooms our page, as the menu of the app or of a browser does. */
async function zoomPage(app: RunningApp, factor: number): Promise<void> {
  if (app.mode === 'electron') {
    await app.electron.evaluate(({ BrowserWindow }, to) => {
      BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(to)
    }, factor)
  } else {
    const session = await app.page.context().newCDPSession(app.page)
    const size = { width: Math.round(1280 / factor), height: Math.round(800 / factor) }
    await session.send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: factor, mobile: false })
  }
  await expect.poll(() => app.page.evaluate(() => devicePixelRatio)).toBeCloseTo(factor)
}

test('a panel has the size that the line says, and all of it is reached, at any zoom of our page @both', async ({
  app,
  page,
}) => {
  const { panel } = await openFields(app)
  for (const factor of [1, 1.1, 1.2, 1.5]) {
    await zoomPage(app, factor)
    const views = [
      ['fill', '0'],
      ['narrow', '0'],
      ['narrow', '90'],
      ['phone', '200'],
      ['phone', '67'],
      ['tablet', '125'],
      ['wide', '100'],
      ['wide', '0'],
      ['wide', '110'],
    ] as const
    for (const [size, zoom] of views) {
      await choose(page, 'Size', size)
      if (!(await page.getByRole('combobox', { name: 'Zoom' }).isVisible())) await openTools(page)
      await choose(page, 'Zoom', zoom)
      const readSaidSize = async (): Promise<string> =>
        /([\d,]+) × ([\d,]+)/.exec(await stage(page).getByRole('status').innerText())?.[0].replaceAll(',', '') ?? ''
      await expect
        .poll(async () => {
          const real = await panel.evaluate(() => `${innerWidth} × ${innerHeight}`)
          const line = await readSaidSize()
          return real === line ? 'equal' : `${size} ${zoom}, our page ${factor}: ${real}, said ${line}`
        })
        .toBe('equal')
      const scale = Number(zoom) / 100
      if (size !== 'fill' && scale > 0) {
        // The far corner can be scrolled to, and is drawn there.
        const element = stage(page).locator('iframe')
        const expectedWidth = { narrow: 320, phone: 375, tablet: 768, wide: 1024 }[size] * scale
        const isWhole = async (): Promise<readonly boolean[]> => {
          const corner = await element.evaluate((frame) => {
            const viewport = frame.closest('.viewport') as HTMLElement
            viewport.scrollTo(viewport.scrollWidth, viewport.scrollHeight)
            const [inner, outer] = [frame.getBoundingClientRect(), viewport.getBoundingClientRect()]
            return { width: inner.width, overRight: inner.right - outer.right, overBottom: inner.bottom - outer.bottom }
          })
          // One pixel of the screen more or less.
          const isWide = Math.abs(corner.width - expectedWidth) <= scale / factor + 0.01
          return [isWide, corner.overRight <= 1, corner.overBottom <= 1]
        }
        // Another zoom changes nothing of what the line says, which waits for nothing then.
        await expect.poll(isWhole, `${size} ${zoom}, our page ${factor}`).toEqual([true, true, true])
      }
    }
  }
})

/** Reads one pixel of a screenshot of the page. */
async function readPixel(page: Page, x: number, y: number): Promise<number[]> {
  const picture = (await page.screenshot({ clip: { x, y, width: 1, height: 1 } })).toString('base64')
  return page.evaluate(async (base64) => {
    const image = new Image()
    image.src = `data:image/png;base64,${base64}`
    await image.decode()
    const context = new OffscreenCanvas(1, 1).getContext('2d')
    context?.drawImage(image, 0, 0)
    return [...(context?.getImageData(0, 0, 1, 1).data ?? [])].slice(0, 3)
  }, picture)
}

test('what lies over a panel leaves it visible, and gives the focus back to the field that had it @both', async ({
  app,
  page,
}) => {
  const { panel } = await openFields(app)
  const second = panel.getByRole('textbox', { name: 'Second' })
  await second.click()
  await page.keyboard.press('ControlOrMeta+K')
  await expect(palette(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(palette(page)).toHaveCount(0)
  await expect(second).toBeFocused()
  await page.keyboard.type('typed after the palette')
  await expect(second).toHaveValue('typed after the palette')

  const box = await stage(page).locator('iframe').boundingBox()
  const readPanelPixel = () => readPixel(page, (box?.x ?? 0) + 20, (box?.y ?? 0) + (box?.height ?? 0) - 20)
  await expect.poll(readPanelPixel).toEqual([0, 128, 0])
  // A tooltip that touches the panel hides nothing of it, and takes no focus.
  await expect(async () => {
    // The window of another app that opens on the same display takes the pointer away.
    await page.mouse.move(0, 0)
    await page.getByRole('button', { name: 'Reload panel' }).hover()
    await expect(page.getByRole('tooltip')).toBeVisible({ timeout: 3_000 })
  }).toPass()
  expect(await readPanelPixel()).toEqual([0, 128, 0])
  await expect(second).toBeFocused()
  await page.keyboard.type('!')
  await expect(second).toHaveValue('typed after the palette!')

  const overrides = page.getByRole('button', { name: /^Overrides/ })
  await overrides.click()
  await expect(page.getByRole('dialog', { name: 'Overrides' })).toBeVisible()
  expect(await readPanelPixel()).toEqual([0, 128, 0])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Overrides' })).toHaveCount(0)
  await expect(overrides).toBeFocused()
})

test('typing in our page is not interrupted by a panel that reloads and asks for the focus @both', async ({
  app,
  page,
}) => {
  const takeFocus = `const take = () => { document.querySelector('input').focus(); window.focus(); parent.focus() }
    take()
    setInterval(take, 5)`
  await waitForConnection(page)
  const folder = createPanelFolder(takeFocus)
  await openFolder(app, folder)
  const search = page.getByRole('searchbox', { name: 'Search calls' })
  await search.click()
  let typed = ''
  const typeUntil = async (isDone: () => Promise<boolean>): Promise<void> => {
    do {
      await page.keyboard.type('ab', { delay: 5 })
      typed += 'ab'
    } while (!(await isDone()))
  }
  const hasText = (text: string) => async () => (await stage(page).innerText()).includes(text)
  writeFileSync(path.join(folder, 'panel.js'), `${takeFocus}\n`)
  await typeUntil(hasText('A file changed'))
  const reloaded = await getPanel(app)
  await typeUntil(() => reloaded.evaluate(() => document.readyState === 'complete'))
  await page.keyboard.type('end')
  await expect(search).toHaveValue(`${typed}end`)
  await expect(search).toBeFocused()
})

test('the keyboard goes into a panel and out of it, and the shortcuts work there unless the page uses them @both', async ({
  app,
  page,
}) => {
  const { panel } = await openFields(
    app,
    `addEventListener('keydown', (event) => event.ctrlKey && event.key === 'b' && event.preventDefault())`,
  )
  const isInPanel = () => page.evaluate(() => document.activeElement instanceof HTMLIFrameElement)
  const search = page.getByRole('searchbox', { name: 'Search calls' })
  const main = page.getByRole('main')
  // The button that started the panel has gone.
  await expect(main).toBeFocused()
  await page.keyboard.press('F6')
  await expect.poll(isInPanel).toBe(true)
  await page.keyboard.press('F6')
  await expect(main).toBeFocused()
  const [first, second] = [
    panel.getByRole('textbox', { name: 'First' }),
    panel.getByRole('textbox', { name: 'Second' }),
  ]
  await search.focus()
  await page.keyboard.press('F6')
  await expect.poll(isInPanel).toBe(true)
  // A page that wanted the focus from its beginning has it once the user is there.
  await page.keyboard.press('Tab')
  await expect.poll(() => panel.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('First')
  await page.keyboard.press('F6')
  await expect(search).toBeFocused()
  await page.keyboard.press('F6')
  await expect(first).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(second).toBeFocused()
  // Text that is typed stays in the panel, although it is a shortcut of the program.
  await page.keyboard.type('gl?')
  await expect(second).toHaveValue('gl?')
  await expect(page).toHaveURL(/#\/panel/)
  await page.keyboard.press('Escape')
  await expect(search).toBeFocused()

  // Tab goes through the panel, from the controls before it to those after it.
  await second.click()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('separator', { name: 'Width of the panel' })).toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect.poll(isInPanel).toBe(true)

  await second.click()
  const navigation = page.getByRole('navigation').first()
  const width = (await navigation.boundingBox())?.width
  await page.keyboard.press('Control+b')
  await page.keyboard.press('ControlOrMeta+K')
  await expect(palette(page)).toBeVisible()
  expect((await navigation.boundingBox())?.width).toBe(width)
  await page.keyboard.press('Escape')
  await expect(palette(page)).toHaveCount(0)
  await expect.poll(isInPanel).toBe(true)
  // The panel's process reports the key, so what is typed at once would still go to the panel.
  await page.keyboard.press('Escape')
  await expect(main).toBeFocused()
  await page.keyboard.press('G')
  await page.keyboard.press('L')
  await expect(page.getByRole('heading', { level: 1, name: 'Library' })).toBeVisible()
  await page.keyboard.press('F6')
  await expect(page).toHaveURL(/#\/library/)
  // Tab goes on in the place and not at the skip link.
  await expect(main).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(main.locator(':focus')).toBeVisible()
})

/** The driver takes the crash of a frame for one of the page, which it then refuses to drive. */
async function createEvaluator(page: Page): Promise<(expression: string) => Promise<unknown>> {
  const session = await page.context().newCDPSession(page)
  return async (expression) =>
    (await session.send('Runtime.evaluate', { expression, returnByValue: true })).result.value
}

test('window.close() is listed and changes nothing; a crash is said in place, and Open again brings the panel back @both', async ({
  app,
  page,
}) => {
  const { panel } = await openFields(app)
  await panel.evaluate(() => {
    window.close()
    parent.close()
    top?.close()
  })
  await expect((await openPanelConsole(app)).getByText('window.close()')).toBeVisible()
  await expect(panel.getByRole('heading', { name: 'Fields' })).toBeVisible()

  const evaluate = await createEvaluator(page)
  const ofPanel = await page.context().newCDPSession(panel)
  const alerts = '[...document.querySelectorAll("[role=alert]")].map((alert) => alert.innerText).join()'
  const address = 'document.querySelector("iframe")?.src'
  const before = await evaluate(address)
  // The command is never answered, because the process that would answer ends.
  ofPanel.send('Page.crash').catch(() => undefined)
  await expect.poll(() => evaluate(alerts)).toContain('its process has ended')
  await evaluate(
    '[...document.querySelectorAll("[role=alert] button")].find((button) => button.innerText === "Open again").click()',
  )
  await expect.poll(() => evaluate(address)).not.toBe(before)
  await expect.poll(() => evaluate('document.querySelector(".facts")?.innerText')).toContain('Loaded at')
  expect(await evaluate(alerts)).toBe('')
})

test('safety 32: Reload brings a panel in an endless loop back at the first press @both', async ({ app, page }) => {
  const { panel } = await openFields(app)
  await panel.evaluate(
    () =>
      void setTimeout(() => {
        for (;;);
      }),
  )
  const evaluate = await createEvaluator(page)
  const address = 'document.querySelector("iframe")?.src'
  const before = await evaluate(address)
  await page.getByRole('button', { name: 'Reload panel' }).click()
  await expect.poll(() => evaluate(address)).not.toBe(before)
  await expect.poll(() => evaluate('document.querySelector(".facts")?.innerText')).toContain('Loaded at')
})

test('safety 32: a panel that sends messages without end is stopped, and the program goes on @either', async ({
  app,
  page,
}) => {
  const { panel } = await openFields(app)
  await panel.evaluate(() => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      for (let count = 0; count < 200; count += 1) parent.postMessage({ count }, '*')
      port2.postMessage(null)
    }
    port2.postMessage(null)
  })
  await expect(stage(page)).toContainText('thousands of messages a second')
  await go(page, '#/host')
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  await go(page, '#/panel')
  await page.getByRole('button', { name: 'Open again' }).click()
  await expect((await getPanel(app)).getByRole('heading', { name: 'Fields' })).toBeVisible()
})

test('a link that is dragged out of a panel is ignored; one that is dropped from elsewhere asks', async ({
  app,
  page,
}) => {
  const { panel } = await openFields(app)
  const drop = (text: string): Promise<void> =>
    page.evaluate((link) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.setData('text/uri-list', link)
      const target = document.querySelector('[role=tabpanel]')
      for (const type of ['dragover', 'drop'])
        target?.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
    }, text)
  await panel.getByRole('textbox', { name: 'First' }).click()
  await drop('http://127.0.0.1:9/dragged')
  await expect(panel.getByRole('heading', { name: 'Fields' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Back to the panel' })).toHaveCount(0)

  await page.getByRole('searchbox', { name: 'Search calls' }).focus()
  await drop('http://127.0.0.1:9/dropped')
  await expect(page.getByRole('textbox', { name: 'Address of the server' })).toHaveValue('http://127.0.0.1:9/dropped')
  await expect(page.getByRole('status').filter({ hasText: 'what was dropped' })).toBeVisible()
  await page.getByRole('button', { name: 'Back to the panel' }).click()
  await expect(panel.getByRole('heading', { name: 'Fields' })).toBeVisible()
})
