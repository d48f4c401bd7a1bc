import type { Page } from '@playwright/test'
import type { DemoHost } from '../../electron/demo-host/server.ts'
import { openTools } from './support.ts'

/** Something that opens over a place: a dialog, a menu, a list of the status bar. */
interface Overlay {
  readonly name: string
  readonly hash: string
  /** Opens the overlay; Escape closes it. */
  open(page: Page): Promise<void>
  /** Selector of the overlay, for a check of this part alone. */
  readonly within: string
}

export const DIALOG = '[role="dialog"]'
/**
 * Excludes the tooltip of the button that opened the popover; it appears when the focus returns.
 */
const POPOVER = '.n-popover:not(:has([role="tooltip"]))'

/**
 * Lists every dialog that opens without a failure of the host, and one of each kind of menu and
 * list.
 */
export function listOverlays({ state }: DemoHost): readonly Overlay[] {
  const [set] = state.library.sets
  const card = `#/notes/${set?.cards[1]?.noteid ?? ''}?topicid=${set?.topicid ?? ''}`
  const tree = `#/study-sets/${set?.topicid ?? ''}/tree`
  const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()
  const pressTool = (name: string) => async (page: Page) => {
    await openTools(page)
    await press(name)(page)
  }
  const write = async (page: Page): Promise<void> => {
    await page
      .getByRole('main')
      .getByRole('button', { name: /^Write/ })
      .click()
    await page.getByRole('menuitem', { name: /title/i }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Review' }).waitFor()
  }
  return [
    { name: 'command palette', hash: '#/library', open: (page) => page.keyboard.press('Control+k'), within: DIALOG },
    { name: 'shortcuts', hash: '#/library', open: (page) => page.keyboard.press('Shift+?'), within: DIALOG },
    { name: 'hosts', hash: '#/library', open: press(/^Host: /), within: '[role="menu"]' },
    { name: 'upload', hash: '#/library?list=folders', open: press(/^Upload/), within: DIALOG },
    { name: 'add host', hash: '#/connect', open: press('Add a host'), within: DIALOG },
    { name: 'edit host', hash: '#/connect', open: press(/^Edit /), within: DIALOG },
    {
      name: 'pair',
      hash: '#/connect',
      open: async (page) => {
        await press('Add a host')(page)
        await press('Pair with a device')(page)
      },
      within: DIALOG,
    },
    { name: 'remove host', hash: '#/connect', open: press(/^Remove /), within: 'main' },
    { name: 'save a request', hash: '#/console', open: press('Save request'), within: DIALOG },
    { name: 'folder of collections', hash: '#/console', open: press('Choose a folder'), within: DIALOG },
    { name: 'callers', hash: '#/console', open: press('Who may call this?'), within: POPOVER },
    { name: 'clear traffic', hash: '#/traffic', open: pressTool('Clear traffic'), within: DIALOG },
    { name: 'save a filter', hash: '#/traffic?larger=1', open: pressTool('Save filter…'), within: DIALOG },
    { name: 'columns', hash: '#/traffic', open: pressTool('Columns'), within: POPOVER },
    { name: 'record a client', hash: '#/traffic', open: press('Record a client'), within: POPOVER },
    { name: 'write lock', hash: '#/traffic', open: press(/^(Read-only|Writing)/), within: POPOVER },
    {
      name: 'an address outside',
      hash: '#/host?view=guide',
      open: async (page) => {
        // The guide of the demo has no external link, so the test adds one.
        await page
          .locator('.guide')
          .first()
          .evaluate((guide) => {
            const link = Object.assign(document.createElement('a'), {
              href: 'https://outside.invalid/',
              textContent: 'x',
            })
            guide.append(link)
            link.click()
            link.remove()
          })
      },
      within: DIALOG,
    },
    { name: 'watch a request', hash: '#/operations', open: pressTool('Watch request id…'), within: DIALOG },
    {
      name: 'menu of a card',
      hash: tree,
      open: (page) => page.getByRole('treeitem').nth(1).click({ button: 'right' }),
      within: '[role="menu"]',
    },
    {
      name: 'menu of an exchange',
      hash: '#/traffic',
      open: (page) => page.getByRole('grid', { name: 'Traffic' }).getByRole('row').nth(1).click({ button: 'right' }),
      within: '[role="menu"]',
    },
    { name: 'write form', hash: card, open: write, within: DIALOG },
    {
      name: 'write review',
      hash: card,
      open: async (page) => {
        await write(page)
        await page.getByRole('dialog').getByRole('button', { name: 'Unlock until the app exits' }).click()
        await page.getByRole('dialog').getByRole('textbox', { name: /^text/ }).fill('Another title')
        await page.getByRole('dialog').getByRole('button', { name: 'Review' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).waitFor()
      },
      within: DIALOG,
    },
  ]
}
