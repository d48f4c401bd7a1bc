import type { Locator, Page } from '@playwright/test'
import type { DemoHost } from '../../electron/demo-host/server.ts'
import { expect, type RunningApp } from './fixtures.ts'
import { waitForConnection, go, startOwnHost, getDialect } from './support.ts'

/** A card of the demo library and its study set. */
export const CARD = '2F434250-51B5-49D9-8607-E9C650C67873'
export const SET = 'A07BE032-389C-4A95-8331-F2BF4FCFD2E7'
/** The title that it has in the host at present. */
export const titleOf = ({ state }: DemoHost): string =>
  state.library.sets.flatMap(({ cards }) => cards).find(({ noteid }) => noteid === CARD)?.title ?? ''

export const dialog = (page: Page): Locator => page.getByRole('dialog')
export const record = (page: Page): Locator => page.getByRole('article', { name: 'Operation record' })
/** A field to type in; one that offers values is a combobox. */
export const field = (page: Page, name: string): Locator => {
  const nameFilter = { name: new RegExp(`^${name}`) }
  const offering = dialog(page).getByRole('combobox', nameFilter).and(page.locator('input'))
  return dialog(page).getByRole('textbox', nameFilter).or(offering)
}

/** Opens the sheet of a write from the card's menu. */
export async function compose(page: Page, title: string): Promise<void> {
  await go(page, `#/notes/${CARD}?topicid=${SET}`)
  await page.getByRole('main').getByRole('button', { name: 'Write…' }).click()
  await page.getByRole('menuitem', { name: title, exact: true }).click()
  await expect(dialog(page)).toBeVisible()
  // The host fills in the canvas; typing at that moment would end up in the same field.
  if (title === 'Commit pencil strokes') await expect(field(page, 'surfaceId')).toHaveValue('main')
}

export async function send(page: Page): Promise<void> {
  await dialog(page).getByRole('button', { name: 'Review' }).click()
  await dialog(page).getByRole('button', { name: 'Send', exact: true }).click()
}

/**
 * Returns the message about a write whose read-back matches. Only some routes document `persisted`;
 * without it, only the read-back proves a title, and that is not called a success.
 */
export function getVerifiedText(): string {
  return isTerse()
    ? 'The host did not say it was written, but the read-back matches what was sent.'
    : 'Saved and verified. The read-back matches what was sent.'
}

/** Returns the message about a write that cannot be read back. */
export const getAcceptedPattern = (): RegExp =>
  isTerse() ? /without saying it was done. That doesn’t count as a success/ : /host (says|reports) that it was done/

const isTerse = (): boolean => ['0.49', 'loose'].includes(getDialect())

/** Opens the record from the outcome in the sheet. */
export async function openRecord(page: Page): Promise<void> {
  await dialog(page).getByRole('link', { name: 'Open the record' }).click()
  await expect(record(page)).toBeVisible()
}

/** Connects the app, unlocked, to the test's own host, which settles a commit after `settleMs`. */
export async function connectToSlowHost(app: RunningApp, settleMs: number): Promise<{ host: DemoHost; page: Page }> {
  const { host, flags } = await startOwnHost({ settleMs })
  const page = await app.restart(flags)
  await waitForConnection(page)
  await page.getByRole('button', { name: 'Read-only' }).click()
  await page.getByRole('button', { name: 'Unlock until the app exits' }).click()
  return { host, page }
}
