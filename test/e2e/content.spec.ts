import { readFileSync, statSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { createHostileHtml, createHostileSvg } from '../../electron/demo-host/faults.ts'
import { createGeneratedSound } from '../../electron/demo-host/media/melody.ts'
import { CONTENT_CSP } from '../../electron/services/media/content-response.ts'
import type { ContentFacts } from '../../shared/ipc/content.ts'
import type { CallReply } from '../../shared/ipc/method-definition.ts'
import { serveBytes, startContentServer, serveGenerated, type ContentServer, type Served } from './content-host.ts'
import { expect, test, type RunningApp } from './fixtures.ts'
import { waitForConnection } from './support.ts'

let server: ContentServer | null = null
test.afterEach(() => {
  server?.close()
  server = null
})

/** The app connected to a host with these contents. */
async function startAppOn(
  app: RunningApp,
  contents: (port: number) => Readonly<Record<string, Served>>,
): Promise<{ page: Page; host: ContentServer }> {
  server = await startContentServer(contents)
  const page = await app.restart(server.flags)
  await waitForConnection(page)
  return { page, host: server }
}

/** Calls the service process without the page's own code, as an attacker in the page would. */
async function call(page: Page, method: string, input: unknown): Promise<CallReply> {
  return page.evaluate(
    async ([name, value]) => {
      const request = { id: `spec-${Math.random()}`, method: name, input: value }
      const api = (window as unknown as { bridgeInspector?: { call(one: unknown): Promise<CallReply> } })
        .bridgeInspector
      if (api) return api.call(request)
      const secret = sessionStorage.getItem('bridge-inspector.page-secret') ?? ''
      const headers = { 'x-bridge-inspector-page': secret, 'x-bridge-inspector-load': 'spec' }
      return (await (
        await fetch('/ipc/call', { method: 'POST', headers, body: JSON.stringify(request) })
      ).json()) as CallReply
    },
    [method, input] as const,
  )
}

interface Opened {
  readonly facts: ContentFacts
  readonly url: string
}

async function open(app: RunningApp, page: Page, name: string): Promise<Opened> {
  const input = { endpoint: 'notes.content', params: { noteid: 'N', contentId: name }, query: {} }
  const reply = await call(page, 'content.open', input)
  if (!reply.ok) throw new Error(JSON.stringify(reply.error))
  const facts = reply.value as ContentFacts
  const url = app.mode === 'electron' ? `bridge-content://bridge-inspector/${facts.handle}` : `/content/${facts.handle}`
  return { facts, url }
}

/** Width of the picture as the page shows it; 0 if it doesn't. */
const loadPicture = (page: Page, url: string): Promise<number> =>
  page.evaluate(
    (src) =>
      new Promise<number>((resolve) => {
        const image = new Image()
        image.onload = () => resolve(image.naturalWidth)
        image.onerror = () => resolve(0)
        image.src = src
        document.body.append(image)
      }),
    url,
  )

const readHacked = (page: Page): Promise<unknown> => page.evaluate(() => Reflect.get(window, 'hacked') as unknown)

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('safety 18: markup served as content runs nothing and loads nothing in the page @both', async ({ app }) => {
  const { page, host } = await startAppOn(app, (port) => ({
    svg: serveBytes('image/svg+xml', createHostileSvg(`http://127.0.0.1:${port}`)),
    lying: serveBytes('image/png', createHostileSvg(`http://127.0.0.1:${port}`)),
    html: serveBytes('image/png', createHostileHtml(`http://127.0.0.1:${port}`)),
    script: serveBytes('text/javascript', 'window.hacked = "script"'),
  }))
  const svg = await open(app, page, 'svg')
  expect(svg.facts).toMatchObject({ kind: 'image', mediaType: 'image/svg+xml', mismatch: false })
  expect(await loadPicture(page, svg.url)).toBe(320)
  const lying = await open(app, page, 'lying')
  expect(lying.facts).toMatchObject({ kind: 'image', mismatch: true })
  expect(await loadPicture(page, lying.url)).toBe(320)
  const html = await open(app, page, 'html')
  expect(html.facts).toMatchObject({ kind: 'text', mediaType: 'text/plain; charset=utf-8', mismatch: true })
  expect(await loadPicture(page, html.url)).toBe(0)
  const script = await open(app, page, 'script')
  // These are the other ways to make a page load the content.
  await page.evaluate(
    async (urls) => {
      for (const src of urls) {
        const elements = [
          Object.assign(document.createElement('script'), { src }),
          Object.assign(document.createElement('iframe'), { src }),
          Object.assign(document.createElement('embed'), { src }),
          Object.assign(document.createElement('object'), { data: src }),
          Object.assign(document.createElement('link'), { rel: 'stylesheet', href: src }),
        ]
        document.body.append(...elements)
        await import(/* @vite-ignore */ src).catch(() => undefined)
        try {
          new Worker(src)
        } catch {
          // The policy may refuse a load with an exception.
        }
      }
    },
    [svg.url, html.url, script.url],
  )
  await page.waitForTimeout(1_500)
  expect(await readHacked(page)).toBeUndefined()
  expect(host.fetched).toEqual([])
})

test('safety 18: markup opened directly is inert text, and only pictures are shown', async ({ app }) => {
  test.skip(app.mode === 'electron', 'the desktop app opens no address; the next test shows it')
  const { page, host } = await startAppOn(app, (port) => ({
    svg: serveBytes('image/svg+xml', createHostileSvg(`http://127.0.0.1:${port}`)),
    html: serveBytes('text/html', createHostileHtml(`http://127.0.0.1:${port}`)),
    png: serveBytes('image/png', png),
    pdf: serveBytes('application/pdf', '%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer <<>>\n%%EOF\n'),
    page: serveBytes('text/html', Buffer.from([1, 2, 3, 250])),
  }))
  for (const name of ['svg', 'html', 'png']) {
    const { url } = await open(app, page, name)
    const tab = await page.context().newPage()
    const response = await tab.goto(app.baseUrl + url)
    await tab.waitForTimeout(name === 'png' ? 0 : 1_500)
    expect([name, await response?.headerValue('content-type')]).toEqual([
      name,
      name === 'png' ? 'image/png' : 'text/plain; charset=utf-8',
    ])
    expect(await response?.headerValue('content-security-policy')).toBe(
      "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    )
    expect(await response?.headerValue('x-content-type-options')).toBe('nosniff')
    expect(new URL(tab.url()).pathname).toBe(url)
    // A sandboxed document has its own origin: it has neither our cookies nor our storage.
    expect(await tab.evaluate(() => self.origin)).toBe('null')
    expect(await readHacked(tab)).toBeUndefined()
    await tab.close()
  }
  for (const name of ['pdf', 'page']) {
    const { url } = await open(app, page, name)
    const tab = await page.context().newPage()
    const download = tab.waitForEvent('download')
    await tab.goto(app.baseUrl + url).catch(() => undefined)
    expect((await download).suggestedFilename()).toBe(`N-${name}.${name === 'pdf' ? 'pdf' : 'bin'}`)
    await tab.close()
  }
  expect(host.fetched).toEqual([])
})

test('safety 18: the content policy makes markup inert; without the policy it runs and loads', async ({
  app,
  page,
}) => {
  test.skip(app.mode === 'electron', 'the desktop app opens no address')
  const markup: Record<string, [string, (loads: string) => string]> = {
    svg: ['image/svg+xml', createHostileSvg],
    html: ['text/html', createHostileHtml],
  }
  for (const [name, [type, make]] of Object.entries(markup)) {
    for (const policy of [CONTENT_CSP, null]) {
      const loaded: string[] = []
      const host = http.createServer((request, response) => {
        if (request.url !== '/') {
          loaded.push(request.url ?? '')
          return void response.writeHead(404).end()
        }
        const headers = { 'Content-Type': type, ...(policy === null ? {} : { 'Content-Security-Policy': policy }) }
        response.writeHead(200, headers).end(make(`http://127.0.0.1:${(host.address() as AddressInfo).port}`))
      })
      await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
      const tab = await page.context().newPage()
      await tab.goto(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`)
      if (policy === null) await expect.poll(() => loaded.filter((url) => /ran|refresh|frame/.test(url)).length).toBe(3)
      else {
        await tab.waitForTimeout(1_500)
        expect([name, await readHacked(tab), loaded]).toEqual([name, undefined, []])
      }
      await tab.close()
      host.closeAllConnections()
      host.close()
    }
  }
})

test('safety 18, safety 19: only the page’s own elements get a content in the desktop app @both', async ({ app }) => {
  test.skip(app.mode === 'browser', 'there is no other window in a browser')
  const { page, host } = await startAppOn(app, (port) => ({
    svg: serveBytes('image/svg+xml', createHostileSvg(`http://127.0.0.1:${port}`)),
  }))
  const { url } = await open(app, page, 'svg')
  expect(await loadPicture(page, url)).toBe(320)
  const before = host.asked.length
  const outcomes = await app.electron.evaluate(async ({ BrowserWindow, session }, address) => {
    const results: unknown[] = []
    for (const partition of [session.defaultSession, session.fromPartition('page'), session.fromPartition('other')]) {
      const window = new BrowserWindow({ show: false, webPreferences: { sandbox: true, session: partition } })
      results.push(
        await window.loadURL(address).then(
          () => 'loaded',
          () => 'refused',
        ),
      )
      await window.loadURL('data:text/html,<p>')
      const script = `new Promise((r) => { const i = new Image(); i.onload = () => r('shown'); i.onerror = () => r('refused'); i.src = ${JSON.stringify(address)} })`
      results.push(await window.webContents.executeJavaScript(script))
      window.destroy()
    }
    return results
  }, url)
  expect([...new Set(outcomes)]).toEqual(['refused'])
  const fetched = await page.evaluate(
    (src) =>
      fetch(src).then(
        () => 'fetched',
        () => 'refused',
      ),
    url,
  )
  expect(fetched).toBe('refused')
  expect(host.asked).toHaveLength(before)
  expect(app.readLog()).toContain('request refused')
})

test('safety 19: guessed, released and foreign handles are refused without a request to the host @both', async ({
  app,
}) => {
  const { page, host } = await startAppOn(app, () => ({ png: serveBytes('image/png', png) }))
  const { url, facts } = await open(app, page, 'png')
  expect(await loadPicture(page, url)).toBe(1)
  const requestCount = host.asked.length
  const guesses = [
    `${url}x`,
    url.slice(0, -1),
    url.replace(facts.handle, ''),
    url.replace(facts.handle, '..%2f..%2fnotes%2fN'),
    url.replace(facts.handle, 'A'.repeat(32)),
  ]
  for (const guess of guesses) expect([guess, await loadPicture(page, guess)]).toEqual([guess, 0])
  expect(await call(page, 'content.slice', { handle: 'A'.repeat(32), start: 0, end: 9 })).toMatchObject({
    ok: false,
    error: { code: 'CONTENT_UNKNOWN' },
  })
  if (app.mode === 'browser') {
    const address = app.baseUrl + url
    // Another browser on this machine.
    const stranger = await page.context().browser()?.newContext()
    const elsewhere = await stranger?.newPage()
    expect((await elsewhere?.goto(address))?.status()).toBe(401)
    // A page on another port in this browser: cookies ignore ports, so the cookie is sent along if
    // the site is the same.
    const attack = http.createServer((_request, response) => {
      response
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end(`<img src="${address}" onload="document.title='shown'" onerror="document.title='refused'">`)
    })
    await new Promise<void>((resolve) => attack.listen(0, '127.0.0.1', resolve))
    const tab = await page.context().newPage()
    await tab.goto(`http://127.0.0.1:${(attack.address() as AddressInfo).port}/`)
    await expect.poll(() => tab.title()).toBe('refused')
    attack.closeAllConnections()
    attack.close()
    await tab.close()
    await stranger?.close()
  }
  expect((await call(page, 'content.release', { handle: facts.handle })).ok).toBe(true)
  expect(await loadPicture(page, `${url}?again`)).toBe(0)
  expect(host.asked).toHaveLength(requestCount)
})

test('safety 20: a missing or wrong type never reaches the page @both', async ({ app }) => {
  const cases: [string, string | null, Buffer, string, boolean][] = [
    ['none', null, png, 'image/png', false],
    ['lie', 'text/html', png, 'image/png', true],
    ['unknown', 'text/html', Buffer.from([1, 2, 3, 250]), 'application/octet-stream', true],
    ['odd', 'image/png; x="\\r\\nSet-Cookie: a=b"', png, 'image/png', false],
    ['multipart', 'multipart/x-mixed-replace; boundary=x', png, 'image/png', true],
  ]
  const { page } = await startAppOn(app, () =>
    Object.fromEntries(cases.map(([name, type, body]) => [name, serveBytes(type, body)])),
  )
  for (const [name, , body, mediaType, mismatch] of cases) {
    const { facts, url } = await open(app, page, name)
    expect([name, facts.mediaType, facts.mismatch]).toEqual([name, mediaType, mismatch])
    expect(await loadPicture(page, url)).toBe(body === png ? 1 : 0)
    if (app.mode === 'electron') continue
    const headers = await page.evaluate(async (src) => Object.fromEntries((await fetch(src)).headers), url)
    expect([name, headers['content-type'], headers['x-content-type-options']]).toEqual([name, mediaType, 'nosniff'])
    expect(headers['set-cookie']).toBeUndefined()
  }
})

/** Creates a player in the page, and waits until it knows the content's duration. */
const play = (page: Page, url: string): Promise<number> =>
  page.evaluate(
    (src) =>
      new Promise<number>((resolve, reject) => {
        const video = Object.assign(document.createElement('video'), {
          src,
          muted: true,
          preload: 'auto',
          id: 'spec-player',
        })
        video.onloadedmetadata = () => resolve(video.duration)
        video.onerror = () => reject(new Error(video.error?.message))
        document.body.append(video)
      }),
    url,
  )

const seek = (page: Page, part: number): Promise<number> =>
  page.evaluate(
    (to) =>
      new Promise<number>((resolve, reject) => {
        const video = document.querySelector<HTMLVideoElement>('#spec-player')
        if (!video) return reject(new Error('no player'))
        video.onseeked = () => resolve(video.currentTime / video.duration)
        video.onerror = () => reject(new Error(video.error?.message))
        video.currentTime = video.duration * to
      }),
    part,
  )

// Of a host that ignores ranges, each seek reads the content from its beginning; that 500 MB of it
// are never held is a test of the service.
for (const [ranges, megabytes] of [
  [true, 500],
  [false, 64],
] as const) {
  test(`safety 21: a content of ${megabytes} MB plays where the user seeks, and ends with its tab; the host ${ranges ? 'answers ranges @both' : 'ignores ranges'}`, async ({
    app,
  }) => {
    const film = createGeneratedSound(megabytes * 1024 * 1024)
    const { page, host } = await startAppOn(app, () => ({
      film: serveGenerated('audio/wav', film.size, film.make, ranges),
    }))
    const { url, facts } = await open(app, page, 'film')
    expect(facts).toMatchObject({ kind: 'audio', byteLength: film.size, hostRanges: ranges })
    expect(await play(page, url)).toBeCloseTo((film.size - 44) / 32_000, 0)
    for (const part of [0.8, 0.1, 0.99, 0.5]) expect(await seek(page, part)).toBeCloseTo(part, 2)
    if (ranges) expect(host.asked.some((range) => /bytes=\d{9}-/.test(range))).toBe(true)
    else expect(host.asked.length).toBeGreaterThan(1)
    await page.evaluate(() => {
      const video = document.querySelector<HTMLVideoElement>('#spec-player')
      if (!video) throw new Error('no player')
      video.playbackRate = 16
      // The promise of `play` settles only where media can be played, and this test does not need
      // it.
      void video.play().catch(() => undefined)
    })
    await page.waitForTimeout(300)
    // Like closing the tab: the page is gone with everything in it.
    if (app.mode === 'electron')
      await app.electron.evaluate(
        ({ BrowserWindow }) => void BrowserWindow.getAllWindows()[0]?.webContents.loadURL('about:blank'),
      )
    else await page.close()
    await expect.poll(() => host.countOpen()).toBe(0)
  })
}

test('a video from the host plays and seeks', async ({ app }) => {
  const webm = readFileSync(new URL('../../resources/demo/motion.webm', import.meta.url))
  const { page } = await startAppOn(app, () => ({
    film: serveGenerated('video/webm', webm.length, (from, to) => webm.subarray(from, to)),
  }))
  const { url, facts } = await open(app, page, 'film')
  expect(facts).toMatchObject({ kind: 'video', mediaType: 'video/webm', byteLength: webm.length })
  expect(await play(page, url)).toBeCloseTo(8, 0)
  for (const part of [0.9, 0.2]) expect(await seek(page, part)).toBeCloseTo(part, 1)
  expect(await page.evaluate(() => document.querySelector<HTMLVideoElement>('#spec-player')?.videoWidth)).toBe(480)
})

test('a content is saved under a safe name, byte for byte @both @core', async ({ app }) => {
  const body = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 31) & 255))
  const { page } = await startAppOn(app, () => ({ 'setup.exe': serveBytes('application/octet-stream', body) }))
  const { url, facts } = await open(app, page, 'setup.exe')
  expect(facts.fileName).toBe('N-setup.exe.bin')
  if (app.mode === 'browser') {
    const download = page.waitForEvent('download')
    await page.evaluate((href) => {
      const link = Object.assign(document.createElement('a'), { href: `${href}?download=1`, download: '' })
      document.body.append(link)
      link.click()
    }, url)
    const saved = await download
    expect(saved.suggestedFilename()).toBe('N-setup.exe.bin')
    expect(readFileSync(await saved.path()).equals(body)).toBe(true)
    return
  }
  const file = path.join(app.dataDir, 'saved.bin')
  const suggested = await app.electron.evaluate(({ dialog }, to) => {
    const observations: string[] = []
    Object.assign(globalThis, { seen: observations })
    dialog.showSaveDialog = ((_window: unknown, { defaultPath }: { defaultPath: string }) => {
      observations.push(defaultPath)
      return Promise.resolve(
        observations.length === 1 ? { canceled: true, filePath: '' } : { canceled: false, filePath: to },
      )
    }) as unknown as typeof dialog.showSaveDialog
    return observations
  }, file)
  expect(suggested).toEqual([])
  expect(await call(page, 'content.save', { handle: facts.handle })).toEqual({ ok: true, value: { saved: false } })
  expect(await call(page, 'content.save', { handle: facts.handle })).toEqual({ ok: true, value: { saved: true } })
  expect(readFileSync(file).equals(body)).toBe(true)
  expect(statSync(file).size).toBe(body.length)
  const paths = await app.electron.evaluate(() => (globalThis as unknown as { seen: string[] }).seen)
  expect(paths.map((file) => path.basename(file))).toEqual(['N-setup.exe.bin', 'N-setup.exe.bin'])
  // Nothing is downloaded in any other way.
  await page.evaluate((href) => {
    const link = Object.assign(document.createElement('a'), { href, download: 'x' })
    document.body.append(link)
    link.click()
  }, url)
  await expect.poll(() => app.readLog()).toContain('navigation refused')
  expect(page.url()).toMatch(/^app:/)
})
