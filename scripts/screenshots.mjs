// npm run screenshots: takes the pictures of the README and the guide from the real program with
// the demo library.
import './lib/ensure-node.mjs'
import { chromium } from '@playwright/test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startDemoHost } from '../electron/demo-host/server.ts'
import { chromiumArgs, ensureChromium } from './lib/chromium.mjs'
import { ensureBuilt } from './lib/build.mjs'
import { root } from './lib/paths.mjs'
import { startServe } from './lib/serve-process.mjs'

const folder = path.join(root, 'docs', 'screenshots')
mkdirSync(folder, { recursive: true })
ensureBuilt('web')
const app = await startServe(['--demo'])
const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs })

const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: 'light', locale: 'en-US' })
await page.goto(app.url)
await page.getByRole('region', { name: 'Welcome' }).getByRole('button', { name: 'Close' }).click()
await page.getByRole('link', { name: /Generated mind map/ }).click()
await page.getByText('200,000 cards', { exact: true }).waitFor({ timeout: 60_000 })
await page.getByRole('searchbox', { name: 'Filter cards' }).fill('细胞膜')
await page.getByText(/matches$/).waitFor()
await page.keyboard.press('Enter')
await page.getByText(/^1 of /).waitFor()
await page.getByRole('complementary', { name: 'Inspector' }).getByText('Appearance').waitFor()
await page.waitForTimeout(600)
await page.screenshot({ path: path.join(folder, 'tree.png') })

// These ids are the same in every run, because the demo library is.
const go = (hash) => page.evaluate((to) => (location.hash = to), hash)
await go('#/study-sets/A07BE032-389C-4A95-8331-F2BF4FCFD2E7/map')
await page.getByText('163 cards', { exact: true }).waitFor()
await page.getByRole('button', { name: 'Expand to level' }).click()
await page.getByRole('menuitem', { name: 'Expand all' }).click()
await page.getByLabel('Layout').selectOption('Both sides')
for (let step = 0; step < 4; step += 1) await page.getByRole('button', { name: 'Zoom in' }).click()
await page.waitForTimeout(2_000)
await page.screenshot({ path: path.join(folder, 'map.png') })

await go('#/documents/1d9a74869a3ef16576aa7458dceb3897/excerpts?group=page')
const excerpts = page.getByRole('grid', { name: 'Excerpts' })
await excerpts.getByRole('row').nth(2).click()
await page.getByRole('complementary', { name: 'Inspector' }).getByText('Texts').waitFor()
await page.waitForTimeout(600)
await page.screenshot({ path: path.join(folder, 'excerpts.png') })

await go('#/notes/2F434250-51B5-49D9-8607-E9C650C67873?tab=content')
await page.getByRole('option', { name: /: Image$/ }).click()
await page.getByText(/image\/png · [\d,]+ × /).waitFor()
await page.waitForTimeout(600)
await page.screenshot({ path: path.join(folder, 'content.png') })

const card = '#/notes/2F434250-51B5-49D9-8607-E9C650C67873?topicid=A07BE032-389C-4A95-8331-F2BF4FCFD2E7'
await go(card)
const sheet = page.getByRole('dialog')
const write = async (title, fields = {}, choices = {}) => {
  await page.getByRole('main').getByRole('button', { name: 'Write…' }).click()
  await page.getByRole('menuitem', { name: title, exact: true }).click()
  for (const [name, text] of Object.entries(fields)) {
    await sheet.getByRole('textbox', { name: new RegExp(`^${name}`) }).fill(text)
  }
  for (const [name, value] of Object.entries(choices)) {
    await sheet.getByRole('combobox', { name: new RegExp(`^${name}`) }).selectOption(value)
  }
  await page.waitForTimeout(600)
  await sheet.getByRole('button', { name: 'Review' }).click()
  await sheet.getByRole('button', { name: 'Send', exact: true }).click()
  await sheet.getByRole('link', { name: 'Open the record' }).waitFor()
}
const close = () => sheet.getByRole('button', { name: 'Close' }).click()
await page.getByRole('button', { name: 'Read-only' }).click()
await page.getByRole('button', { name: 'Unlock until the app exits' }).click()
await write('Change hashtags', { hashtags: '#exam/2026' }, { operation: 'add' })
await close()
await write('Append a blank band', { role: 'practice', height: '9001' })
await close()
await write('Commit pencil strokes')
await sheet.getByText('Saved and verified.').waitFor({ timeout: 30_000 })
await sheet.getByRole('link', { name: 'Open the record' }).click()
await page.waitForTimeout(800)
await page.screenshot({ path: path.join(folder, 'operations.png') })

await page.emulateMedia({ colorScheme: 'dark' })
await page.evaluate(() => {
  location.hash = '#/contract?view=routes'
})
await page.getByRole('grid', { name: 'Routes' }).waitFor()
await page.waitForTimeout(600)
await page.screenshot({ path: path.join(folder, 'contract.png') })

// These are the other places of the navigation; a test compares them with it.
await page.emulateMedia({ colorScheme: 'light' })
await page.setViewportSize({ width: 1200, height: 750 })
const others = {
  host: ['#/host', page.getByText('Instance nonce')],
  connect: ['#/connect', page.getByRole('heading', { name: 'Found on this machine' })],
  library: ['#/library', page.getByRole('grid', { name: 'Study sets' })],
  search: ['#/search?q=cell', page.getByRole('grid', { name: 'Results' })],
  lab: ['#/lab', page.getByRole('heading', { name: 'Same request id again' })],
  bundles: ['#/bundles/bundle-1?path=manifest.json', page.getByText('manifest.json').first()],
  traffic: ['#/traffic', page.getByRole('grid', { name: 'Traffic' })],
  settings: ['#/settings', page.getByRole('heading', { level: 1, name: 'Settings' })],
}
for (const [name, [hash, readyElement]] of Object.entries(others)) {
  await go(hash)
  await readyElement.waitFor()
  await page.waitForTimeout(600)
  await page.screenshot({ path: path.join(folder, `${name}.png`) })
}

await go('#/console?method=GET&path=/study-sets/A07BE032-389C-4A95-8331-F2BF4FCFD2E7/tree%3Flimit=5')
await page.getByRole('button', { name: 'Send', exact: true }).click()
await page.getByRole('region', { name: 'Exchange' }).waitFor()
await page.waitForTimeout(600)
await page.screenshot({ path: path.join(folder, 'console.png') })

await go('#/panel')
await page.getByRole('button', { name: 'Practice', exact: true }).click()
const calls = page.getByRole('grid', { name: 'Calls' })
await calls.getByText('/immersive/template').click()
await page.getByRole('region', { name: 'Call', exact: true }).getByText('plugins').first().waitFor()
await page.waitForTimeout(600)
await page.screenshot({ path: path.join(folder, 'panel.png') })

await page.getByRole('button', { name: 'All tools' }).last().click()
await page.getByRole('button', { name: 'Open another panel' }).click()
await page.getByRole('button', { name: 'Rule breaker', exact: true }).click()
const breaker = page.getByRole('region', { name: 'Panel', exact: true }).frameLocator('iframe')
for (const mistake of [
  'Call what no panel may',
  'Invent a cursor',
  'Count pages from 0',
  'Read Markdown by host.api',
]) {
  await breaker.getByRole('button', { name: mistake }).click()
  await breaker.getByText(`${mistake}: done.`).waitFor()
}
await go('#/traffic?view=findings')
const findings = page.getByRole('grid', { name: 'Findings' })
await findings.getByRole('row').nth(4).waitFor()
await findings.getByRole('row').filter({ hasText: 'Cursor not from the previous page' }).click()
await page.waitForTimeout(600)
await page.screenshot({ path: path.join(folder, 'findings.png') })

await go('#/recordings')
await page.getByRole('button', { name: 'Save recording…' }).click()
const preview = page.getByRole('region', { name: 'What the file will hold' })
await preview.getByText('Exchanges', { exact: true }).waitFor()
await page.waitForTimeout(600)
await page.screenshot({ path: path.join(folder, 'recordings.png') })

await app.close()

const token = `mnb0.${'screenshots'.repeat(4)}`
const drifting = await startDemoHost({ token, fault: 'drift' })
const tokenFile = path.join(mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-token-')), 'token')
writeFileSync(tokenFile, token, { mode: 0o600 })
const driftApp = await startServe(['--base-url', drifting.baseUrl, '--token-file', tokenFile])
await page.setViewportSize({ width: 1440, height: 900 })
await page.goto(driftApp.url)
await page.getByRole('status', { name: 'Connection' }).getByText('Online').waitFor()
const studySet = drifting.state.library.sets[0].topicid
for (const place of ['tree', 'palette', 'documents']) {
  await go(`#/study-sets/${studySet}/${place}`)
  await page.waitForTimeout(1_500)
}
await go('#/contract')
await page.getByRole('grid', { name: 'Deviations' }).getByText('/colors/*/baseColor/hex').click()
await page.getByRole('region', { name: 'Deviation', exact: true }).waitFor()
await page.waitForTimeout(600)
await page.screenshot({ path: path.join(folder, 'drift.png') })

await driftApp.close()
await drifting.close()

const edited = await startDemoHost({ token })
const editedApp = await startServe(['--base-url', edited.baseUrl, '--token-file', tokenFile])
await page.goto(editedApp.url)
await page.getByRole('status', { name: 'Connection' }).getByText('Online').waitFor()
await page.getByRole('button', { name: 'Read-only' }).click()
await page.getByRole('button', { name: 'Unlock until the app exits' }).click()
const takeSnapshot = async () => {
  await go('#/study-sets/A07BE032-389C-4A95-8331-F2BF4FCFD2E7/changes')
  await page.getByRole('button', { name: 'Take snapshot' }).click()
  await page.getByText(/^Snapshot taken/).waitFor()
}
await takeSnapshot()
await go(card)
await write('Set the title', { text: 'Atlas (C1)' })
await close()
// Nobody is recorded who edits cards in the host.
const { cards } = edited.state.library.sets.find(({ topicid }) => topicid === 'A07BE032-389C-4A95-8331-F2BF4FCFD2E7')
const otherCards = cards.filter(({ noteid }) => !card.includes(noteid))
const [parent, renamed, moved, recolored, removed] = [2, 3, 9, 14, 20].map((index) => otherCards[index])
renamed.title = `${renamed.title} · Axis`
moved.parent = parent.noteid
recolored.colorIndex = (recolored.colorIndex + 3) % 8
cards.push({ ...structuredClone(renamed), noteid: '11111111-2222-4333-8444-555555555555', title: 'Vertebra prominens' })
cards.splice(cards.indexOf(removed), 1)
await takeSnapshot()
await page.getByRole('treeitem', { name: 'Atlas (C1)' }).first().click()
await page.getByRole('complementary', { name: 'Inspector' }).getByText('This recorded call names the card.').waitFor()
await page.waitForTimeout(600)
await page.screenshot({ path: path.join(folder, 'changes.png') })

await browser.close()
await editedApp.close()
await edited.close()
rmSync(path.dirname(tokenFile), { recursive: true })
process.stdout.write(`Screenshots are in ${path.relative(root, folder)}.\n`)
