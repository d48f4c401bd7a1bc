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
 * The page of the panel that runs: the frame of the element that is shown. The list of frames is no
 * help: one whose process was busy when it was removed stays there for a while.
 */
export async function getPanel({ page }: RunningApp): Promise<Frame> {
  const element = region(page).locator('iframe')
  const find = async (): Promise<Frame | null> => {
    const handle = await element.elementHandle()
    const frame = await handle?.contentFrame()
    return frame && /^http:\/\//.test(frame.url()) ? frame : null
  }
  await expect.poll(async () => (await find()) !== null).toBe(true)
  const panelPage = await find()
  if (!panelPage) throw new Error('The panel has no page.')
  return panelPage
}

/** Lets the panel's writes through. */
export async function letWritesThrough({ page }: RunningApp): Promise<void> {
  const writes = page.getByRole('radiogroup', { name: 'Writes' })
  await writes.getByText('Let through', { exact: true }).click()
  await expect(writes.getByRole('radio', { name: 'Let through' })).toBeChecked()
}

/** Opens the console of the panel, and returns its log. */
export async function openPanelConsole({ page }: RunningApp) {
  await page.getByRole('tab', { name: /^Console/ }).click()
  return page.getByRole('region', { name: 'Console' })
}
