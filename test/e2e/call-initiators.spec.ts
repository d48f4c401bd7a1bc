import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from './fixtures.ts'
import { openFolder } from './panel-page.ts'
import { waitForConnection } from './support.ts'

const files = {
  'index.html': `<!doctype html>
<html lang="en">
  <head>
    <title>Elements</title>
    <link rel="stylesheet" href="style.css" />
    <script type="module" src="main.js"></script>
  </head>
  <body>
    <img alt="" src="/bridge/v1/status?by=document" />
    <p>Painted</p>
    <button type="button">Load</button>
  </body>
</html>`,
  'style.css': `p {
  background: url("/bridge/v1/status?by=style");
}`,
  'main.js': `import './data.js'
document.querySelector('button').onclick = function loadAll() {
  new Image().src = '/bridge/v1/status?by=image'
  const picture = document.createElement('img')
  picture.setAttribute('src', '/bridge/v1/status?by=attribute')
  document.body.append(picture)
  document.querySelector('p').insertAdjacentHTML('afterend', '<img src="/bridge/v1/status?by=markup">')
  document.querySelector('p').style.setProperty('background-image', 'url(/bridge/v1/status?by=inline)')
  new Worker('worker.js')
}
document.title = 'Ready to load'`,
  'data.js': `// Some lines before the import.
import data from '/bridge/v1/status?by=import' with { type: 'json' }
export default data`,
  'worker.js': `fetch('/bridge/v1/status?by=worker')`,
}

/** The line that makes each call, and a part of it. */
const lines = [
  ['document', '/:9', 'by=document'],
  ['image', '/main.js:3', 'new Image()'],
  ['attribute', '/main.js:5', 'setAttribute'],
  ['markup', '/main.js:7', 'insertAdjacentHTML'],
  ['inline', '/main.js:8', 'setProperty'],
] as const
/** Only a browser tells which file named these addresses. */
const referredLines = [
  ['style', '/style.css:2', 'url('],
  ['import', '/data.js:2', 'import data'],
] as const

let folder = ''
test.beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'panel-elements-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
})
test.afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('two clicks lead from the call of an element or a module to its line @both', async ({ app, page }) => {
  await waitForConnection(page)
  const panel = await openFolder(app, folder)
  // Before its modules have run, the button does nothing.
  await expect.poll(() => panel.title()).toBe('Ready to load')
  // The frame may still move, so that a click could miss the button.
  await panel.getByRole('button', { name: 'Load' }).press('Enter')
  const calls = page.getByRole('grid', { name: 'Calls' })
  const initiator = page.getByRole('region', { name: 'Initiator' })
  const source = page.getByRole('dialog', { name: 'Source' })
  const isBrowser = app.mode !== 'electron'
  for (const [name, place, line] of [...lines, ...(isBrowser ? referredLines : [])]) {
    await test.step(name, async () => {
      const row = calls.getByRole('row').filter({ hasText: `by=${name}` })
      await row.click()
      await initiator.getByRole('button', { name: place, exact: true }).click()
      await expect(source.locator('.cm-shown-line')).toContainText(line)
      await source.getByRole('button', { name: 'Close' }).click()
    })
  }
  await calls.getByRole('row').filter({ hasText: 'by=worker' }).click()
  await expect(initiator).toContainText(isBrowser ? 'Not known: a worker made it (/worker.js).' : 'Not known')
})
