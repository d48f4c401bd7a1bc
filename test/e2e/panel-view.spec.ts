import { mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Frame } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { openFolder, getPanel } from './panel-page.ts'
import { waitForConnection, openTools } from './support.ts'

/** Creates a panel that reads the preferred color scheme in every way that a page has. */
function createSchemePanel(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-panel-'))
  writeFileSync(
    path.join(folder, 'index.html'),
    `<!doctype html><html lang="en"><head><meta name="color-scheme" content="light dark"><title>Scheme</title>
    <script>
      window.first = matchMedia('(prefers-color-scheme: dark)').matches
      window.changes = []
      const asked = matchMedia('(prefers-color-scheme: dark)')
      asked.addEventListener('change', ({ matches }) => changes.push(matches))
      window.heard = []
      addEventListener('message', ({ data }) => heard.push(data))
    </script>
    <link rel="stylesheet" href="dark.css" media="(prefers-color-scheme: dark)">
    <link rel="stylesheet" href="both.css">
    </head><body><h1>Scheme</h1><p id="p">rule</p><i id="link">link</i><b id="late">late</b><u id="mixed">mixed</u></body></html>`,
  )
  writeFileSync(path.join(folder, 'dark.css'), '#link { color: rgb(1, 1, 1) }')
  writeFileSync(
    path.join(folder, 'both.css'),
    `@supports (display: block) { @media (prefers-color-scheme: light) { #p { color: rgb(2, 2, 2) } } }
    @media screen and (prefers-color-scheme:dark) { #p { color: rgb(3, 3, 3) } }
    @media not (prefers-color-scheme: dark) { #mixed { color: rgb(4, 4, 4) } }
    html { background: light-dark(rgb(250, 250, 250), rgb(5, 5, 5)) }`,
  )
  return folder
}

/** Reads the color scheme that the panel's page sees. */
const observeVisibility = (panel: Frame) =>
  panel.evaluate(() => {
    const panelWindow = window as unknown as { first: boolean; changes: boolean[]; heard: unknown[] }
    const readColor = (id: string): string => getComputedStyle(document.getElementById(id) ?? document.body).color
    return {
      ...{ p: readColor('p'), link: readColor('link'), mixed: readColor('mixed'), late: readColor('late') },
      ground: getComputedStyle(document.documentElement).backgroundColor,
      asked: matchMedia('(prefers-color-scheme: dark)').matches,
      ...{ first: panelWindow.first, changes: panelWindow.changes, heard: panelWindow.heard.length },
    }
  })

test.use({ flags: ['--demo'] })

test('a panel is shown light or dark, whatever the system prefers @either', async ({ app, page }) => {
  await waitForConnection(page)
  await page.emulateMedia({ colorScheme: 'light' })
  const panel = await openFolder(app, createSchemePanel())
  await expect(panel.getByRole('heading', { name: 'Scheme' })).toBeVisible()
  const choice = page.getByRole('combobox', { name: 'Color scheme' })
  await openTools(page)
  await choice.selectOption('dark')
  await expect
    .poll(() => observeVisibility(panel))
    .toMatchObject({ p: 'rgb(3, 3, 3)', link: 'rgb(1, 1, 1)', ground: 'rgb(5, 5, 5)', asked: true, changes: [true] })
  const dark = await observeVisibility(panel)
  expect(dark.mixed).not.toBe('rgb(4, 4, 4)')
  // Styles that the page adds later are affected as well, and it gets only the change event.
  await panel.evaluate(() => {
    const style = document.createElement('style')
    style.textContent = '@media (prefers-color-scheme: dark) { #late { color: rgb(6, 6, 6) } }'
    document.head.append(style)
    document.documentElement.style.colorScheme = 'light dark'
    style.sheet?.insertRule('@media (prefers-color-scheme: dark) { #late { background: rgb(7, 7, 7) } }')
    const shadow = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' })
    shadow.innerHTML = '<style>@media (prefers-color-scheme: dark) { s { color: rgb(8, 8, 8) } }</style><s>shadow</s>'
    const adopted = new CSSStyleSheet()
    adopted.replaceSync('@media (prefers-color-scheme: dark) { s { background: rgb(9, 9, 9) } }')
    shadow.adoptedStyleSheets = [adopted]
  })
  await expect.poll(() => observeVisibility(panel)).toMatchObject({ late: 'rgb(6, 6, 6)', heard: 0 })
  const readColors = (selector: string) =>
    panel.locator(selector).evaluate((element) => {
      const { color, backgroundColor } = getComputedStyle(element)
      return [color, backgroundColor]
    })
  await expect.poll(() => readColors('#late')).toEqual(['rgb(6, 6, 6)', 'rgb(7, 7, 7)'])
  await expect.poll(() => readColors('s')).toEqual(['rgb(8, 8, 8)', 'rgb(9, 9, 9)'])

  // The page's own color scheme applies again.
  await choice.selectOption('system')
  await expect.poll(() => observeVisibility(panel)).toMatchObject({ asked: false, changes: [true, false] })
  expect(await panel.evaluate(() => document.documentElement.style.colorScheme)).toBe('light dark')
  await choice.selectOption('dark')
  await expect.poll(() => observeVisibility(panel)).toMatchObject({ asked: true, changes: [true, false, true] })

  // A reloaded page is dark from its first script on.
  await page.getByRole('button', { name: 'Reload panel' }).click()
  await expect(page.getByRole('region', { name: 'Panel', exact: true })).toContainText('Reloaded at')
  const reopenedPanel = await getPanel(app)
  await expect
    .poll(() => observeVisibility(reopenedPanel).catch(() => null))
    .toMatchObject({ first: true, asked: true, p: 'rgb(3, 3, 3)' })

  await openTools(page)
  await choice.selectOption('light')
  await expect
    .poll(() => observeVisibility(reopenedPanel))
    .toMatchObject({
      ...{ p: 'rgb(2, 2, 2)', mixed: 'rgb(4, 4, 4)', ground: 'rgb(250, 250, 250)', asked: false, changes: [false] },
    })
  expect((await observeVisibility(reopenedPanel)).link).not.toBe('rgb(1, 1, 1)')
})
