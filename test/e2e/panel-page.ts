import type { Frame, Page } from '@playwright/test'
import { expect, type RunningApp } from './fixtures.ts'
import { go } from './support.ts'

/** The sample panels by the names of their buttons. */
type Sample = 'Practice' | 'Eleven bugs' | 'Rule breaker'

/** Finds the panel's region in either language. */
const region = (page: Page) => page.getByRole('region', { name: /^(?:Panel|面板)$/ })

/** Opens the panel lab with one of the sample panels, and returns the panel's own page. */
export async function openSample(app: RunningApp, name: Sample): Promise<Frame> {
  await go(app.page, '#/panel')
  await app.page.getByRole('button', { name, exact: true }).click()
  return getPanel(app)
}

/** Opens the panel lab with a folder. */
export async function openFolder(app: RunningApp, folder: string): Promise<Frame> {
  await go(app.page, '#/panel')
  await app.page.getByRole('textbox', { name: 'Path of the folder' }).fill(folder)
  await app.page.getByRole('button', { name: 'Open folder' }).click()
  return getPanel(app)
}

/** Opens the panel lab with a development server. */
export async function openServer(app: RunningApp, url: string): Promise<Frame> {
  await go(app.page, '#/panel')
  await app.page.getByRole('textbox', { name: 'Address of the server' }).fill(url)
  await app.page.getByRole('button', { name: 'Open server' }).click()
  return getPanel(app)
}

/**
 * Resolves with true if the frame stays where it is from one picture to the next: the driver sends
 * a click to a place of the window, from which a moving frame may be gone.
 */
const isStill = (frame: Element): Promise<boolean> =>
  new Promise((resolve) => {
    const measure = (): string => JSON.stringify(frame.getBoundingClientRect())
    const before = measure()
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(frame.isConnected && measure() === before)))
  })

/** Waits until nothing moves the panel any more, as after its place got another line. */
export async function waitUntilPanelIsStill({ page }: RunningApp): Promise<void> {
  const frame = region(page).locator('iframe')
  await expect.poll(() => frame.evaluate(isStill)).toBe(true)
}

/**
 * The page of the panel that runs: the frame of the element that is shown. The list of frames is no
 * help: one whose process was busy when it was removed stays there for a while. The scripts of the
 * page have run, so that its buttons work, and it stays where it is.
 */
export async function getPanel(app: RunningApp): Promise<Frame> {
  const element = region(app.page).locator('iframe')
  let panel: Frame | null = null
  const find = async (): Promise<boolean> => {
    const handle = await element.elementHandle()
    const frame = await handle?.contentFrame()
    panel = frame && /^http:\/\//.test(frame.url()) ? frame : null
    return panel !== null
  }
  await expect.poll(find).toBe(true)
  const panelPage = panel as Frame | null
  if (!panelPage) throw new Error('The panel has no page.')
  await panelPage.waitForLoadState('domcontentloaded')
  await waitUntilPanelIsStill(app)
  return panelPage
}

/** Lets the panel's writes through. */
export async function letWritesThrough(app: RunningApp): Promise<void> {
  const writes = app.page.getByRole('radiogroup', { name: 'Writes' })
  await writes.getByText('Let through', { exact: true }).click()
  await expect(writes.getByRole('radio', { name: 'Let through' })).toBeChecked()
  // A line below the panel says that nobody is asked.
  await expect(app.page.getByRole('note').filter({ hasText: 'without asking' })).toBeVisible()
  await waitUntilPanelIsStill(app)
}

/** Opens the console of the panel, and returns its log. */
export async function openPanelConsole({ page }: RunningApp) {
  await page.getByRole('tab', { name: /^Console/ }).click()
  return page.getByRole('region', { name: 'Console' })
}
