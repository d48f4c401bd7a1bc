import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@playwright/test'
import { openRecording } from '../../electron/recording-file/recording-file.ts'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { findTestChromium } from '../../scripts/lib/chromium.mjs'
import { bin, root } from '../../scripts/lib/paths.mjs'

const panelFolder = fileURLToPath(new URL('../fixtures/faulty-panel/built', import.meta.url))

/** A plugin's spec: one test fails by a finding, two pass with the same host. */
const spec = `
import { expect, test } from 'bridge-inspector/playwright'

test.use({ panelOptions: { panel: ${JSON.stringify(panelFolder)}, writes: 'refuse' } })
const hosts = new Set()

test('keeps the contract', async ({ page, panel, host }) => {
  hosts.add(host)
  await page.goto(panel.url)
  await page.evaluate(() => console.warn('A word of the page.'))
  await page.getByRole('button', { name: 'Read' }).click()
  await expect(page.getByRole('status')).toHaveText('403')
  await expect(panel).toKeepContract()
})

test('sees what an override answers', async ({ page, panel, host }) => {
  hosts.add(host)
  panel.override({ path: '/status' }, ({ method }) => ({ body: { method } }))
  await page.goto(panel.url)
  expect(await page.evaluate(async () => (await fetch('/bridge/v1/status')).json())).toEqual({ method: 'GET' })
  await expect(panel).toKeepContract()
})

test('asks the same host, with the number of cards of the configuration', async ({ panel, host }) => {
  hosts.add(host)
  expect(panel.host.baseUrl).toBe(host.baseUrl)
  expect(new Set([...hosts].map(({ port }) => port)).size).toBe(1)
})
`

/** Noise, of which a picture of the usual quality is larger than a recording takes. */
const pictureSpec = `
import { test } from 'bridge-inspector/playwright'

test.use({
  viewport: { width: 1400, height: 900 },
  panelOptions: {
    panel: ${JSON.stringify(panelFolder)},
    writes: 'refuse',
    redaction: { texts: 'keep', pictures: 'keep' },
  },
})

test('shows noise', async ({ page, panel }, testInfo) => {
  await page.goto(panel.url)
  await page.evaluate(() => {
    const canvas = document.createElement('canvas')
    canvas.width = innerWidth
    canvas.height = innerHeight
    canvas.style.cssText = 'position: fixed; inset: 0'
    const context = canvas.getContext('2d')
    const image = context.createImageData(canvas.width, canvas.height)
    let seed = 1
    for (let index = 0; index < image.data.length; index += 1) {
      seed ^= seed << 13
      seed ^= seed >>> 17
      seed ^= seed << 5
      image.data[index] = index % 4 === 3 ? 255 : seed & 255
    }
    context.putImageData(image, 0, 0)
    document.body.append(canvas)
  })
  const usual = await page.screenshot({ type: 'jpeg', quality: 50 })
  await page.evaluate(() => fetch('/bridge/v1/nope'))
  await panel.settle()
  await testInfo.attach('usual', { body: String(usual.length), contentType: 'text/plain' })
  await panel.saveRecording(testInfo.outputPath('noise.birec'))
  await testInfo.attach('noise.birec', { path: testInfo.outputPath('noise.birec'), contentType: 'application/zip' })
})
`

interface ReportedTest {
  readonly title: string
  readonly tests: readonly {
    readonly results: readonly {
      readonly status: string
      readonly error?: { readonly message: string }
      readonly attachments: readonly { readonly name: string; readonly body?: string; readonly path?: string }[]
    }[]
  }[]
}

type TestResult = ReportedTest['tests'][number]['results'][number]

/** Runs a spec of a plugin. The results are by the title of its tests. */
async function runSpec(text: string): Promise<{ folder: string; results: Map<string, TestResult | undefined> }> {
  ensureBuilt('cli')
  mkdirSync(path.join(root, 'test-results'), { recursive: true })
  const folder = mkdtempSync(path.join(root, 'test-results', 'fixtures-'))
  writeFileSync(path.join(folder, 'panel.spec.js'), text)
  const config = {
    testDir: folder,
    outputDir: path.join(folder, 'out'),
    respectGitIgnore: false,
    workers: 1,
    use: {
      hostOptions: { nodes: 50 },
      launchOptions: { executablePath: await findTestChromium(), args: ['--no-sandbox'] },
    },
  }
  writeFileSync(path.join(folder, 'playwright.config.mjs'), `export default ${JSON.stringify(config)}\n`)
  const args = [bin('playwright'), 'test', '--config', folder, '--reporter', 'json']
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  const report = JSON.parse(stdout) as { suites: readonly { specs: readonly ReportedTest[] }[]; errors: unknown[] }
  expect([report.errors, stderr]).toEqual([[], ''])
  const results = new Map(
    report.suites.flatMap(({ specs }) => specs).map(({ title, tests }) => [title, tests[0]?.results[0]]),
  )
  return { folder, results }
}

test('the fixtures attach what a panel did when its test fails', async () => {
  const { folder, results } = await runSpec(spec)
  expect([...results.values()].map((result) => result?.status)).toEqual(['failed', 'passed', 'passed'])
  const failure = results.get('keeps the contract')
  const message = failure?.error?.message ?? ''
  expect(message).toMatch(/error +outside-allow-list +\/src\/token\.js:2:26 readToken +GET \/token/)
  expect(message).toMatch(/outside-allow-list: .*IN_PROCESS_NOT_ALLOWED/)
  const attachments = new Map(failure?.attachments.map((attachment) => [attachment.name, attachment]))
  const readText = (name: string): string => Buffer.from(attachments.get(name)?.body ?? '', 'base64').toString()
  expect(readText('findings.txt')).toContain('/src/token.js:2:26')
  expect(readText('console.txt')).toContain('A word of the page.')
  const recording = attachments.get('panel.birec')?.path ?? ''
  expect(readFileSync(recording).subarray(0, 2).toString()).toBe('PK')
  const html = readFileSync(attachments.get('panel.html')?.path ?? '', 'utf8')
  expect(html).toContain(`id="recording">${readFileSync(recording).toString('base64')}</script>`)
  const file = await openRecording(recording)
  const moments = await file.listLines('moments')
  await file.close()
  expect(moments.map(({ screenshot }) => screenshot)).toContain('panel-0001.png')
  const program = path.join(root, 'out/cli/bridge-inspector.js')
  const opened = spawnSync(process.execPath, [program, 'recording', 'info', recording], { encoding: 'utf8' })
  expect([opened.status, opened.stdout]).toEqual([0, expect.stringContaining(' 1 findings,')])
  rmSync(folder, { recursive: true, force: true })
})

test('a picture that would be larger than a recording takes is a coarser one', async () => {
  const { folder, results } = await runSpec(pictureSpec)
  const result = results.get('shows noise')
  expect(result?.status).toBe('passed')
  const [usual, saved] = ['usual', 'noise.birec'].map((name) => result?.attachments.find((file) => file.name === name))
  expect(Number(Buffer.from(usual?.body ?? '', 'base64').toString())).toBeGreaterThan(262_144)
  const file = await openRecording(saved?.path ?? '')
  const moments = await file.listLines('moments')
  expect(moments.map(({ screenshot }) => screenshot)).toContain('panel-0001.jpg')
  const bytes = await Promise.all(file.screenshots.map(async (name) => (await file.readScreenshot(name)).length))
  expect(Math.max(...bytes)).toBeLessThanOrEqual(262_144)
  await file.close()
  rmSync(folder, { recursive: true, force: true })
})
