import type { Page } from '@playwright/test'
import { go, waitUntilSettled } from './support.ts'

const FIELDS =
  'input:not([type=checkbox], [type=radio], [type=file], [type=range], [type=color]), textarea, [contenteditable=true]'
/** The keys of shortcuts that are a single key or two in a row. */
const TEXT = 'glxn?/ jktferwcp[]z012'

/** Types into every field within an element; returns those that lost the focus meanwhile. */
export async function typeIntoFields(page: Page, name: string, within: string): Promise<string[]> {
  const faults: string[] = []
  const address = page.url()
  const fields = page.locator(within).first().locator(FIELDS)
  for (let index = 0; index < (await fields.count()); index++) {
    const field = fields.nth(index)
    if (!(await field.isVisible()) || !(await field.isEditable())) continue
    const element = await field.elementHandle()
    const label = await field.evaluate((node) => node.getAttribute('aria-label') ?? node.id)
    await field.focus()
    await page.keyboard.type(TEXT)
    const isFocused = await element?.evaluate((node) => node === document.activeElement)
    if (isFocused !== true) {
      faults.push(`${name}: ${label}`)
      await page.keyboard.press('Escape')
      await go(page, new URL(address).hash)
      await waitUntilSettled(page)
      continue
    }
    await page.keyboard.press('Control+a')
    await page.keyboard.press('Delete')
  }
  return faults
}
