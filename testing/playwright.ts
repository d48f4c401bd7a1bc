import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  test as playwrightTest,
  expect as playwrightExpect,
  type BrowserContext,
  type TestInfo,
} from '@playwright/test'
// The package's own kit, so that there is one of it however a test imports it.
import { formatFindings, startDemoHost, startPanel, toKeepContract } from 'bridge-inspector/testing'
import type * as api from './api.ts'
import type { PanelFixtures, HostFixtures } from './playwright-api.ts'

/** The types are those of `playwright-api.ts`. */
export const expect = playwrightExpect.extend({ toKeepContract })

/** Contexts of tests that have a page: asking for one would start a browser for every test. */
const contexts = new WeakMap<TestInfo, BrowserContext>()

export const test = playwrightTest.extend<PanelFixtures, HostFixtures>({
  context: async ({ context }, use, testInfo) => {
    contexts.set(testInfo, context)
    await use(context)
  },
  hostOptions: [{}, { option: true, scope: 'worker' }],
  host: [
    async ({ hostOptions }, use) => {
      await using host = await startDemoHost(hostOptions)
      await use(host)
    },
    { scope: 'worker' },
  ],
  panelOptions: [{}, { option: true }],
  panel: async ({ host, panelOptions }, use, testInfo) => {
    let url = ''
    const takePicture = (): Promise<Uint8Array | null> => takePagePicture(contexts.get(testInfo), url)
    await using panel = await startPanel({ host, takePicture, ...panelOptions })
    url = panel.url
    await use(panel)
    if (testInfo.status !== testInfo.expectedStatus) await attachSession(panel, testInfo)
  },
})

const PICTURE_TIMEOUT_MS = 2_000
/** A recording holds no larger picture. A large or busy page gets a coarser one. */
const MAX_PICTURE_BYTES = 262_144
const PICTURE_QUALITIES = [50, 20, 5] as const

/** Takes a picture of the page that shows the panel; null if none does. */
async function takePagePicture(context: BrowserContext | undefined, url: string): Promise<Uint8Array | null> {
  const page = context?.pages().find((candidate) => isSameOrigin(candidate.url(), url))
  if (!page) return null
  // Nothing in the page changes for the picture.
  const unchanged = { animations: 'allow', caret: 'initial' } as const
  const options = { type: 'jpeg', scale: 'css', timeout: PICTURE_TIMEOUT_MS, ...unchanged } as const
  let picture: Uint8Array | null = null
  for (const quality of PICTURE_QUALITIES) {
    picture = await page.screenshot({ ...options, quality })
    if (picture.length <= MAX_PICTURE_BYTES) break
  }
  return picture
}

const isSameOrigin = (first: string, second: string): boolean =>
  URL.canParse(first) && URL.canParse(second) && new URL(first).origin === new URL(second).origin

/** A build of the command line alone has no page, into which a recording could be written. */
const pageTemplate = fileURLToPath(new URL('../page/recording-page.html', import.meta.url))

/** Attaches what the panel did, so that a failure can be understood without running it again. */
async function attachSession(panel: api.Panel, testInfo: TestInfo): Promise<void> {
  const file = testInfo.outputPath('panel.birec')
  const attachText = (name: string, body: string): Promise<void> =>
    testInfo.attach(name, { body, contentType: 'text/plain' })
  const findings = await panel.settle()
  const isSaved = await panel.saveRecording(file)
  if (isSaved)
    await testInfo.attach('panel.birec', { path: file, contentType: 'application/x-bridge-inspector-recording' })
  await attachText('findings.txt', findings.length === 0 ? 'There are no findings.' : formatFindings(findings))
  const entries = await panel.console()
  await attachText('console.txt', entries.map(formatEntry).join('\n'))
  if (isSaved && existsSync(pageTemplate)) await attachPage(file, testInfo)
}

async function attachPage(recordingFile: string, testInfo: TestInfo): Promise<void> {
  const { writeRecordingPage } = await import('../electron/recording-file/index.ts')
  const file = testInfo.outputPath('panel.html')
  try {
    await writeRecordingPage(recordingFile, pageTemplate, file)
    await testInfo.attach('panel.html', { path: file, contentType: 'text/html' })
  } catch (error) {
    // A recording that is too large for a page is attached all the same.
    await testInfo.attach('panel.html.txt', { body: String(error), contentType: 'text/plain' })
  }
}

const formatEntry = ({ at, kind, level, text, file, line }: api.ConsoleEntry): string =>
  `${new Date(at).toISOString()} ${kind} ${level} ${text}${file === '' ? '' : ` (${file}${line === null ? '' : `:${line}`})`}`
