import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test, type Page } from '@playwright/test'
import { writeRecordingPage } from '../../electron/recording-file/page-writer.ts'
import { writeRecording } from '../../electron/recording-file/recording-writer.ts'
import { createSigner } from '../../electron/recording-file/seal.ts'
import { createPng } from '../support/data/pictures.ts'
import { test as programTest } from './fixtures.ts'
import { letWritesThrough, openFolder } from './panel-page.ts'
import { openTools, waitForConnection } from './support.ts'
import { CARD, SET } from './writing.ts'
import {
  createManifestFacts,
  createRecordedDeviation,
  createRecordedExchange,
  createRecordedPanelNote,
  createRecordingSource,
  getBodyName,
} from '../support/data/recordings.ts'

const root = path.join(import.meta.dirname, '../..')
const template = path.join(root, 'out/page/recording-page.html')
/** What would end the script or its element, or begin one, if a text of the recording were HTML. */
const HOSTILE = '</script><script>window.ran = 1</script><!-- <img src=x onerror="window.ran = 1">\u2028\u202e'
const origin = { kind: 'panel', label: 'Practice', caller: 'panel-1', load: 1 } as const
const sign = createSigner(generateKeyPairSync('ed25519').privateKey)
const bodies = ['{"title":"First","children":[1,2]}', JSON.stringify({ title: HOSTILE }), 'x'.repeat(40)]

/** A snapshot of a study set with these titles by id. */
const listSnapshot = (id: number, endedAt: number, titles: Readonly<Record<string, string>>) => [
  {
    snapshot: {
      ...{ id, topicid: 'T1', host: 'http://127.0.0.1:42340/bridge/v1', startedAt: endedAt - 1, endedAt },
      ...{ seenAt: endedAt, origin: { kind: 'place', label: null } as const, isRequested: true, cards: 2, detailed: 0 },
      ...{ excerpts: null, palette: null, pages: 1, hostCount: 2, gaps: [], isInTreeOrder: true, members: ['title'] },
      anomalies: { duplicates: 0, orphans: 0, circles: 0 },
      bytes: null,
    },
  },
  ...Object.entries(titles).map(([noteid, title]) => ({ noteid, parent: null, title })),
]

let dir = ''
let recordingFile = ''
let pageFile = ''
test.beforeAll(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'recording-page-'))
  recordingFile = path.join(dir, 'bug.birec')
  pageFile = path.join(dir, 'bug.html')
  const frame = { file: '/main.js', line: 12, column: 3, functionName: 'load', isAsync: false }
  const initiator = { frames: [{ ...frame, original: null, isLibrary: false, isWrapper: false }], loader: null }
  const source = createRecordingSource(bodies, {
    describe: () => createManifestFacts({ title: `A panel that fails ${HOSTILE}` }),
    lines: {
      exchanges: bodies.map((body, index) => ({
        ...createRecordedExchange(index + 1, body, {
          row: {
            origin,
            ...(index === 1 ? { path: `/notes/${HOSTILE}`, status: 404, errorCode: 'NOT_FOUND' } : {}),
            ...(index === 2 ? { status: 503, rule: 'Notes are down' } : {}),
          },
        }),
        initiator,
      })),
      findings: [
        {
          id: 'finding-1',
          rule: 'read-burst',
          at: 1_000_010,
          origin,
          resource: 'GET /notes',
          exchanges: [1, 2],
          params: {},
        },
      ],
      console: [
        createRecordedPanelNote(1, { kind: 'load', text: 'opened' }),
        createRecordedPanelNote(2, { level: 'error', kind: 'error', text: `TypeError: ${HOSTILE}` }),
        ...Array.from({ length: 400 }, (_, index) =>
          createRecordedPanelNote(index + 3, { text: `Line ${index} ${'wide'.repeat(40)}` }),
        ),
      ],
      overrides: [
        {
          id: 'rule-1',
          name: 'Notes are down',
          on: true,
          match: { method: 'GET', path: '/notes/{noteid}' },
          answer: { kind: 'canned', status: 503, headers: [], body: '', base64: false },
          delayMs: 0,
        },
      ],
      deviations: [createRecordedDeviation({ lastSeq: 1 })],
      moments: [
        { at: 1_000_001, exchange: null, screenshot: 'panel-0001.png' },
        { at: 1_000_004, exchange: 2, screenshot: 'panel-0002.png' },
      ],
      steps: [{ at: 1_000_012, text: `I opened the panel ${HOSTILE}`, exchange: 2, screenshot: '0001.png' }],
    },
    screenshots: new Map(
      ['0001', 'panel-0001', 'panel-0002'].map((name) => [`${name}.png`, () => Promise.resolve(createPng(48, 30))]),
    ),
  })
  await writeRecording(recordingFile, source, { sign })
  await writeRecordingPage(recordingFile, template, pageFile)
})
test.afterAll(() => rmSync(dir, { recursive: true, force: true }))

interface OpenedPage {
  readonly requests: string[]
  readonly problems: string[]
}

/** Opens the file from disk in a browser that has no network. */
async function openPage(page: Page, file: string, hash = ''): Promise<OpenedPage> {
  const [requests, problems]: [string[], string[]] = [[], []]
  page.on('request', (request) => requests.push(request.url().slice(0, 100)))
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
  await page.context().setOffline(true)
  await page.goto(pathToFileURL(file).href + hash)
  return { requests, problems }
}
const verdict = (page: Page) => page.getByRole('region', { name: 'Evidence' })

test('safety 80: a page opened from disk asks for nothing and shows call, finding and verdict', async ({ page }) => {
  const { requests, problems } = await openPage(page, pageFile)
  await expect(verdict(page)).toContainText('Intact.')
  await expect(verdict(page)).toContainText(sign.fingerprint)
  await expect(verdict(page)).toContainText('It cannot vouch for itself')
  await expect(page.getByRole('region', { name: 'Steps' })).toContainText('I opened the panel')
  await expect(page.getByRole('img', { name: 'Screenshot 0001.png' })).toHaveJSProperty('naturalWidth', 48)
  const findings = page.getByRole('region', { name: 'Findings' })
  await expect(findings.getByTestId('finding')).toContainText('/main.js:12:3')
  await findings.getByRole('link', { name: 'Call 2' }).press('Enter')

  const call = page.getByRole('region', { name: 'Call 2' })
  await expect(call).toContainText('404')
  await expect(call).toContainText('/main.js:12:3')
  const response = call.getByRole('region', { name: 'Response', exact: true })
  await expect(response).toContainText('"title"')
  await response.getByRole('radio', { name: 'Bytes' }).check({ force: true })
  await expect(response).toContainText('00000000')
  expect(new URL(page.url()).hash).toBe('#call-2')

  await page.getByRole('searchbox').fill('status:404')
  await expect(page.getByRole('grid').getByRole('row')).toHaveCount(2)
  expect(problems).toEqual([])
  // Blobs are the page's own pictures.
  expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([pathToFileURL(pageFile).href])
})

test('the first screen says what was done, which call failed, why, on which line, and if it is unchanged', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await openPage(page, pageFile)
  await expect(verdict(page).getByText('Intact.')).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('region', { name: 'Steps' }).getByText('I opened the panel')).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('grid').getByRole('row', { name: /404/ })).toBeInViewport({ ratio: 1 })
  const finding = page.getByTestId('finding')
  await expect(finding).toBeInViewport({ ratio: 1 })
  await expect(finding).toContainText('/main.js:12:3')
})

test('safety 80: texts of a hostile recording stay texts', async ({ page }) => {
  const { problems } = await openPage(page, pageFile, '#call-2')
  await expect(page.getByRole('heading', { level: 1 })).toContainText('</script><script>window.ran = 1</script><!--')
  await expect(page.getByRole('region', { name: 'Call 2' })).toContainText('window.ran')
  await expect(page.locator('img[src="x"]')).toHaveCount(0)
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  expect(readFileSync(pageFile, 'utf8')).not.toContain('window.ran')
  expect(problems).toEqual([])
})

test('safety 80: a page whose data were edited says so', async ({ page }) => {
  const html = readFileSync(pageFile, 'utf8')
  const bytes = readFileSync(recordingFile)
  const offset = bytes.indexOf('report.md') + 'report.md'.length + 4
  bytes[offset] = (bytes[offset] ?? 0) ^ 1
  const edited = path.join(dir, 'edited.html')
  writeFileSync(edited, html.replace(/(id="recording">)[^<]*/, `$1${bytes.toString('base64')}`))
  await openPage(page, edited)
  await expect(verdict(page)).toContainText('Not as it was sealed.')
  await expect(verdict(page)).toContainText('report.md')

  const broken = path.join(dir, 'broken.html')
  writeFileSync(broken, html.replace(/(id="recording">)[^<]*/, '$1no base64!'))
  await page.goto(pathToFileURL(broken).href)
  await expect(page.getByRole('alert')).toContainText('cannot be read')
})

test('a picture of the panel leads to the calls of its moment', async ({ page }) => {
  await openPage(page, pageFile)
  const pictures = page.getByRole('region', { name: 'Pictures of the panel' })
  await expect(pictures.getByRole('img')).toHaveCount(2)
  const picture = pictures.getByRole('button', { name: /Call 2$/ })
  await picture.press('Enter')
  await expect(picture).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByRole('region', { name: 'Call 2' })).toContainText('404')
  // The first call began before the picture of the load.
  await expect(page.getByRole('grid').getByRole('row')).toHaveCount(3)
  await page.getByRole('button', { name: 'List all' }).press('Enter')
  await expect(page.getByRole('grid').getByRole('row')).toHaveCount(4)
})

test('console, overrides and deviations are folded, have addresses, and lead to their calls', async ({ page }) => {
  const { problems } = await openPage(page, pageFile, '#console')
  const consolePart = page.getByRole('group', { name: 'Console lines' })
  const overrides = page.getByRole('group', { name: 'Overrides' })
  const deviations = page.getByRole('group', { name: 'Deviations' })
  await expect(consolePart.getByRole('heading', { name: 'Console lines 402' })).toBeInViewport()
  await expect(consolePart.getByText('TypeError: </script>')).toBeVisible()
  await expect(consolePart.getByRole('listitem')).toHaveCount(300)
  await consolePart.getByRole('button', { name: 'Show 102 more of 102' }).press('Enter')
  await expect(consolePart.getByRole('listitem')).toHaveCount(402)

  await expect(overrides.getByText('answers 503')).toBeHidden()
  await page.goto(`${pathToFileURL(pageFile).href}#overrides`)
  await expect(overrides.getByText('answers 503')).toBeInViewport()
  const replaced = page.getByRole('grid').getByRole('img', { name: 'Answered by the rule “Notes are down”' })
  await replaced.click()
  await expect(page.getByRole('region', { name: 'Call 3' })).toContainText('Answered by the rule “Notes are down”')

  await deviations.getByRole('heading').click()
  await expect(deviations.getByRole('listitem')).toContainText('GET /status /app')
  await deviations.getByRole('link', { name: 'Call 1' }).press('Enter')
  await expect(page.getByRole('region', { name: 'Call 1' })).toBeVisible()
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  expect(problems).toEqual([])
})

test('what changed in the library is a tree, and each change names the recorded call that made it', async ({
  page,
}) => {
  const file = path.join(dir, 'changes.birec')
  const body = JSON.stringify({ text: `New ${HOSTILE}` })
  const write = createRecordedExchange(7, '{"persisted":true}', {
    row: { method: 'POST', path: '/notes/N1/title', endpoint: 'notes.title', origin },
    request: {
      total: body.length,
      kept: body.length,
      missing: null,
      hash: getBodyName(body),
      mediaType: 'application/json',
    },
  })
  const snapshots = [
    ...listSnapshot(1, 999_000, { N1: 'Old', N2: 'Gone later' }),
    ...listSnapshot(2, 1_000_500, { N1: `New ${HOSTILE}` }),
  ]
  const source = createRecordingSource(['{"persisted":true}', body], { lines: { exchanges: [write], snapshots } })
  await writeRecording(file, source, { sign })
  await writeRecordingPage(file, template, `${file}.html`)
  const { problems } = await openPage(page, `${file}.html`, '#changes')
  const changes = page.getByRole('group', { name: 'What changed in the library' })
  await expect(changes.getByRole('heading', { name: 'What changed in the library 2' })).toBeInViewport()
  const renamed = changes.getByRole('treeitem', { name: /^New/ })
  await expect(renamed).toContainText('renamed')
  await expect(renamed).toContainText('POST /notes/N1/title')
  await expect(changes.getByRole('treeitem', { name: 'Gone later' })).toContainText('no call in this recording')
  await renamed.click()
  await expect(changes).toContainText('This call names the card.')
  await changes.getByRole('link', { name: 'Call 7' }).press('Enter')
  await expect(page.getByRole('region', { name: 'Call 7' })).toBeVisible()
  expect(await page.evaluate(() => 'ran' in window)).toBe(false)
  expect(problems).toEqual([])
})

test('every text is there in both languages', async ({ page }) => {
  const folder = path.join(root, 'renderer/i18n/locales/en')
  const namespaces = readdirSync(folder).map((file) => file.replace('.json', ''))
  const key = new RegExp(String.raw`(?<![\w./-])(?:${namespaces.join('|')})(?:\.[a-z][\w-]*)+(?!\w*\()`)
  for (const [language, name] of [
    ['English', 'en'],
    ['中文', 'zh-CN'],
  ] as const) {
    await openPage(page, pageFile, '#call-2')
    await page.getByRole('radio', { name: language }).check({ force: true })
    await expect(page.locator('html')).toHaveAttribute('lang', name)
    await page.locator('details').evaluateAll((parts) => parts.forEach((part) => part.setAttribute('open', '')))
    const texts = await page.evaluate(() => [
      document.body.innerText,
      ...Array.from(document.querySelectorAll('*')).flatMap((element) =>
        ['aria-label', 'title', 'placeholder', 'alt'].map((attribute) => element.getAttribute(attribute) ?? ''),
      ),
    ])
    // A text that the page lacks is shown as its key.
    expect(texts.flatMap((text) => text.match(key)?.[0] ?? [])).toEqual([])
  }
})

test('the recording can be saved out of the page, byte for byte', async ({ page }) => {
  await openPage(page, pageFile)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save the recording' }).press('Enter')
  const saved = await (await downloading).path()
  expect(readFileSync(saved)).toEqual(readFileSync(recordingFile))
})

test('a page without room shows everything below each other, and nothing beside the window', async ({ page }) => {
  for (const [width, colorScheme] of [
    [400, 'light'],
    [400, 'dark'],
    [1000, 'light'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await openPage(page, pageFile, '#call-2')
    await expect(verdict(page)).toContainText('Intact.')
    await expect(page.getByRole('region', { name: 'Call 2' })).toContainText('"title"')
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    const shots = process.env['PAGE_SHOTS']
    if (shots !== undefined)
      await page.screenshot({ path: path.join(shots, `${width}-${colorScheme}.png`), fullPage: true })
    // The same address is not loaded again.
    await page.locator('details.part').evaluateAll((parts) => parts.forEach((part) => part.setAttribute('open', '')))
    await expect(page.getByText('Line 297')).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    // Nor may what only a screen reader reads lie below a window in which the parts scroll.
    const below = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)
    if (width >= 900) expect(below).toBeLessThanOrEqual(0)
    // Neither may a line be wider than its column.
    expect(await page.locator('.report').evaluate((part) => part.scrollWidth - part.clientWidth)).toBeLessThanOrEqual(0)
    if (shots !== undefined)
      await page.screenshot({ path: path.join(shots, `${width}-${colorScheme}-parts.png`), fullPage: true })
  }
})

test('a page prints its report and the open call in full, without what only acts', async ({ page }) => {
  await openPage(page, pageFile, '#call-1')
  await expect(verdict(page)).toContainText('Intact.')
  await page.setViewportSize({ width: 1000, height: 400 })
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('searchbox')).toBeHidden()
  await expect(page.getByRole('button', { name: 'Save the recording' })).toBeHidden()
  const call = page.getByRole('region', { name: 'Call 1', exact: true })
  await expect(call).toContainText('"children"')
  // What is folded is printed, and how much of it is not.
  await expect(page.getByText('answers 503')).toBeVisible()
  await expect(page.getByText('Line 297')).toBeVisible()
  await expect(page.getByText('Show 102 more of 102')).toBeVisible()
  // Nothing scrolls on paper.
  for (const part of [call, page.locator('.report')])
    expect(await part.evaluate((element) => element.scrollHeight - element.clientHeight)).toBeLessThanOrEqual(1)
})

test('recording page writes what opens, redacts it first, and replaces nothing unasked', async ({ page }) => {
  const target = path.join(dir, 'target.html')
  const write = (...args: readonly string[]) =>
    spawnSync(process.execPath, [path.join(root, 'cli/main.ts'), 'recording', 'page', recordingFile, ...args], {
      encoding: 'utf8',
    })
  expect(write('-o', target)).toMatchObject({ status: 0, stdout: '' })
  expect(readFileSync(target)).toEqual(readFileSync(pageFile))
  const refused = write('-o', target, '--texts', 'drop')
  expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('--force')])
  expect(readFileSync(target)).toEqual(readFileSync(pageFile))

  const redacted = write('-o', target, '--texts', 'drop', '--force', '--data-dir', path.join(dir, 'data'))
  expect([redacted.stderr, redacted.status]).toEqual([expect.stringContaining('Wrote'), 0])
  await openPage(page, target, '#call-1')
  await expect(verdict(page)).toContainText('Redacted, and all of it is signed.')
  await expect(page.getByRole('region', { name: 'Call 1' })).toContainText('"children"')
  await expect(page.getByRole('main')).not.toContainText('First')
})

test('the page speaks both languages', async ({ page }) => {
  await openPage(page, pageFile)
  await page.getByRole('radio', { name: '中文' }).check({ force: true })
  await expect(page.getByRole('region', { name: '步骤' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN')
})

/**
 * A panel that renames a card, and then asks for a page by a cursor that it made up. No redaction
 * replaces the name of its file.
 */
const PANEL_SCRIPT = `const output = document.querySelector('output')
async function readSet() {
  let cursor = ''
  do {
    const next = cursor === '' ? '' : '&cursor=' + encodeURIComponent(cursor)
    cursor = (await host.api('/study-sets/${SET}/tree?limit=500' + next)).nextCursor ?? ''
  } while (cursor !== '')
}
async function rename() {
  await readSet()
  const body = JSON.stringify({ text: 'Renamed by the panel', confirm: true })
  await host.api('/notes/${CARD}/title', { method: 'POST', body })
  await readSet()
  await host.api('/decks')
  await host.api('/study-sets/${SET}/tree?limit=2&cursor=invented')
  output.textContent = 'done'
}
document.querySelector('button').addEventListener('click', rename)
`
const PANEL_OVERRIDES = {
  version: 1,
  rules: [
    {
      name: 'Decks are down',
      match: { method: 'GET', path: '/decks' },
      answer: { kind: 'canned', status: 503, headers: [], body: '', base64: false },
    },
  ],
}

programTest(
  'somebody who has only the page of a bug answers what was done, and which call failed, why and where',
  async ({ app, page }) => {
    const panelFolder = mkdtempSync(path.join(os.tmpdir(), 'recorded-panel-'))
    const html =
      '<!doctype html><title>Renamer</title><button>Rename</button><output></output><script src="main.js"></script>'
    writeFileSync(path.join(panelFolder, 'index.html'), html)
    writeFileSync(path.join(panelFolder, 'main.js'), PANEL_SCRIPT)
    writeFileSync(path.join(panelFolder, 'bridge-overrides.json'), JSON.stringify(PANEL_OVERRIDES))
    await waitForConnection(page)
    const panel = await openFolder(app, panelFolder)
    await letWritesThrough(app)
    await panel.getByRole('button', { name: 'Rename' }).press('Enter')
    await expect(panel.getByRole('status')).toHaveText('done')
    await expect(page.getByRole('link', { name: /^\d+ findings?$/ })).toBeVisible()
    await openTools(page)
    await page.getByRole('button', { name: 'Save recording…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save recording' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('The second page fails')
    await dialog.getByRole('textbox', { name: 'Steps, in your words' }).fill('I pressed Rename.')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('link', { name: 'Show', exact: true }).click()
    const detail = page.getByRole('region', { name: 'Recording', exact: true })
    const downloading = page.waitForEvent('download', (download) => download.suggestedFilename().endsWith('.html'))
    await detail.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Save as page…' }).click()
    const bugPage = path.join(mkdtempSync(path.join(os.tmpdir(), 'only-the-page-')), 'bug.html')
    copyFileSync(await (await downloading).path(), bugPage)

    const browser = page.context().browser()
    if (!browser) throw new Error('The browser is gone.')
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const report = await context.newPage()
    const { requests, problems } = await openPage(report, bugPage)
    // What was done?
    await expect(report.getByRole('heading', { level: 1 })).toHaveText('The second page fails')
    await expect(report.getByRole('region', { name: 'Steps' })).toContainText('I pressed Rename.')
    // Which call failed, why, and on which line?
    const finding = report.getByTestId('finding').filter({ hasText: 'Cursor not from the previous page' })
    await expect(finding).toBeInViewport()
    await expect(finding).toContainText('/main.js:15')
    await finding
      .getByRole('link', { name: /^Call \d+$/ })
      .last()
      .press('Enter')
    const call = report.getByRole('region', { name: /^Call \d+$/ })
    await expect(call).toContainText('cursor=')
    await expect(call).toContainText('/main.js:15')
    // Is it unchanged?
    await expect(verdict(report)).toContainText('Intact.')
    // What became of the library, by which call, and what did the host not answer itself?
    const changes = report.getByRole('group', { name: 'What changed in the library' })
    await changes.getByRole('heading').click()
    await expect(changes.getByRole('treeitem').filter({ hasText: 'renamed' })).toContainText(
      `POST /notes/${CARD}/title`,
    )
    await expect(report.getByRole('img', { name: /^Answered by the rule/ }).first()).toBeVisible()
    expect(problems).toEqual([])
    expect(requests.filter((url) => !url.startsWith('blob:'))).toEqual([pathToFileURL(bugPage).href])
    await context.close()
  },
)
