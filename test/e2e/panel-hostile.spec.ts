import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test, type Page } from '@playwright/test'
import { root } from '../../scripts/lib/paths.mjs'

/** What a panel may not have; each line says what became of the try. */
const tries = `
const out = {}
const attempt = async (name, run) => {
  try { out[name] = String(await run()) } catch (error) { out[name] = 'threw ' + error.name }
}
const run = async () => {
  await attempt('api', async () => (await host.api('/pair', { method: 'POST', body: '{}' })).error.code)
  await attempt('never rejects', async () => (await host.api('/../index.html')).error.code)
  await attempt('parent', () => parent.document.title)
  await attempt('storage', () => parent.localStorage.length)
  await attempt('top', () => { top.location = 'about:blank' })
  await attempt('cookie', () => document.cookie)
  await attempt('file', () => fetch('file:///etc/passwd'))
  await attempt('port', () => fetch('http://127.0.0.1:1/'))
  await attempt('image', () => new Promise((resolve) => {
    const image = new Image()
    image.onload = () => resolve('loaded')
    image.onerror = () => resolve('refused')
    image.src = 'http://127.0.0.1:1/x.png'
  }))
  await attempt('worker', () => ServiceWorkerContainer.prototype.register.call(navigator.serviceWorker, '/worker.js'))
  await attempt('window', () => window.open('https://example.invalid'))
  await attempt('100 MB', async () => {
    const body = new Blob(Array.from({ length: 100 }, () => new Uint8Array(1024 * 1024)))
    return (await fetch('/bridge/v1/notes/batch-get', { method: 'POST', body })).status
  })
  console.log('RESULT ' + JSON.stringify(out))
  setTimeout(() => { for (;;); }, 0)
}
void run()
`
const page = `<!doctype html><html><head><title>Hostile</title></head><body><script>${tries}</script></body></html>`

interface Said {
  readonly page?: string
  readonly state?: { readonly url: string | null; readonly phase: string }
  readonly notes?: { readonly notes: readonly { readonly kind: string; readonly what: string | null }[] }
}

let program: ChildProcess
const said: Said[] = []

test.beforeEach(async ({}, info) => {
  test.skip(info.project.name !== 'browser', 'the desktop app shows panels in a view of its own')
  const folder = info.outputPath('panel')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'index.html'), page)
  writeFileSync(path.join(folder, 'worker.js'), '')
  const file = path.join(root, 'test/support/panel-program.ts')
  program = spawn(process.execPath, [file, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  said.length = 0
  createInterface({ input: program.stdout ?? process.stdin }).on('line', (line) => said.push(JSON.parse(line) as Said))
})
test.afterEach(() => program.stdin?.end())

const running = (): string | null => said.findLast(({ state }) => state?.phase === 'running')?.state?.url ?? null

/** As the panel lab does it. */
const frame = (on: Page, url: string): Promise<void> =>
  on.evaluate((src) => {
    const element = document.createElement('iframe')
    element.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms')
    element.src = src
    document.body.append(element)
  }, url)

test('safety 30, safety 32: a hostile panel gets nothing, is listed, and its endless loop stops only itself', async ({
  page: on,
}) => {
  await expect.poll(() => said.some((one) => one.page !== undefined) && running()).toBeTruthy()
  await on.goto(said.find((one) => one.page !== undefined)?.page ?? '')
  const result = on.waitForEvent('console', (message) => message.text().startsWith('RESULT '))
  await frame(on, running() ?? '')
  expect(JSON.parse((await result).text().slice(7))).toEqual({
    api: 'IN_PROCESS_NOT_ALLOWED',
    'never rejects': 'NOT_JSON',
    parent: 'threw SecurityError',
    storage: 'threw SecurityError',
    top: 'threw SecurityError',
    cookie: '',
    file: 'threw TypeError',
    port: 'threw TypeError',
    image: 'refused',
    worker: expect.stringMatching(/^threw /) as string,
    window: 'null',
    '100 MB': '413',
  })
  // The panel loops by now; the page takes clicks, and takes the frame away.
  await on.getByRole('button', { name: 'Alive' }).click()
  await on.locator('iframe').evaluate((element) => element.remove())
  await expect(on.locator('iframe')).toHaveCount(0)
  const listed = (): Set<string | null> =>
    new Set(
      said
        .flatMap(({ notes }) => notes?.notes ?? [])
        .filter(({ kind }) => kind === 'refused')
        .map(({ what }) => what),
    )
  await expect.poll(() => [...listed()]).toEqual(expect.arrayContaining(['file', 'remote', 'service-worker', 'window']))
})
