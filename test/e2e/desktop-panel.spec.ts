import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { Frame } from '@playwright/test'
import { expect, test, type RunningApp } from './fixtures.ts'
import { openFolder, getPanel } from './panel-page.ts'
import { go, openTools, waitForConnection } from './support.ts'

test.beforeEach(async ({ page }) => waitForConnection(page))

async function openHostilePanel(app: RunningApp): Promise<Frame> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-panel-'))
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html><title>Hostile</title><h1>Hostile</h1><input>')
  writeFileSync(
    path.join(folder, 'worker.js'),
    'onmessage = ({ data }) => fetch(data).then(() => postMessage(1), () => postMessage(0))',
  )
  const panel = await openFolder(app, folder)
  await expect(panel.getByRole('heading', { name: 'Hostile' })).toBeVisible()
  return panel
}

const hang = (panel: Frame): Promise<void> =>
  panel.evaluate(
    () =>
      void setTimeout(() => {
        for (;;);
      }),
  )

/** The processes of our page and of the panel. */
const readProcessIds = ({ electron }: RunningApp): Promise<readonly [number, number]> =>
  electron.evaluate(({ BrowserWindow }) => {
    const frame = BrowserWindow.getAllWindows()[0]?.webContents.mainFrame
    return [frame?.osProcessId ?? 0, frame?.frames[0]?.osProcessId ?? 0] as const
  })

const isAlive = (processId: number): boolean => {
  try {
    process.kill(processId, 0)
    return !readFileSync(`/proc/${processId}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

test('safety 32: a panel has a process of its own: its loop blocks no task of our page, and Stop ends it', async ({
  app,
  page,
}) => {
  const panel = await openHostilePanel(app)
  const [pageProcess, panelProcess] = await readProcessIds(app)
  expect(panelProcess).toBeGreaterThan(0)
  expect(panelProcess).not.toBe(pageProcess)
  await expect(page.getByRole('region', { name: 'Panel', exact: true })).toContainText(/[\d.]+ MB of memory/)
  await hang(panel)
  await go(page, '#/host')
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible()
  // Chromium reports the hang of the panel as one of the window.
  await page.evaluate(() => Object.assign(window, { isSamePage: true }))
  await app.electron.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.webContents.emit('unresponsive')
  })
  await go(page, '#/panel')
  await page.getByRole('alert').getByRole('button', { name: 'Stop', exact: true }).click()
  await expect.poll(() => isAlive(panelProcess)).toBe(false)
  expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true)
  expect((await readProcessIds(app))[0]).toBe(pageProcess)
  expect(app.readLog()).not.toContain('page unresponsive')
  await page.getByRole('button', { name: 'Open again' }).click()
  await expect((await getPanel(app)).getByRole('heading', { name: 'Hostile' })).toBeVisible()
})

for (const key of ['q', 'w']) {
  test(`safety 32: Ctrl+${key.toUpperCase()} ends the program while a panel that hangs has the focus`, async ({
    app,
  }) => {
    const panel = await openHostilePanel(app)
    await panel.getByRole('textbox').click()
    await hang(panel)
    const ended = new Promise((resolve) => app.electron.process().once('exit', resolve))
    // The driver's keys come from the page's side; those of a person pass this event.
    const press = app.electron.evaluate(({ BrowserWindow }, pressed) => {
      const input = { type: 'keyDown', key: pressed, control: true, alt: false, shift: false, meta: false }
      BrowserWindow.getAllWindows()[0]?.webContents.emit('before-input-event', { preventDefault() {} }, input)
    }, key)
    await Promise.race([press.catch(() => undefined), ended])
    await ended
  })
}

test('safety 30: what a panel stores is in memory, and gone when the panel is opened anew', async ({ app }) => {
  const panel = await openHostilePanel(app)
  const store = (frame: Frame): Promise<string> =>
    frame.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const mark = ['stored', 'by', 'the', 'panel'].join('-')
          const before = `${localStorage.length}${document.cookie}`
          localStorage.setItem('mark', mark)
          sessionStorage.setItem('mark', mark)
          document.cookie = `mark=${mark}; max-age=100000`
          const opening = indexedDB.open('marks')
          opening.onupgradeneeded = () => opening.result.createObjectStore('marks').put(mark, 1)
          opening.onsuccess = () =>
            void caches
              .open('marks')
              .then((cache) => cache.put('/mark', new Response(mark)))
              .then(() => resolve(before))
        }),
    )
  expect(await store(panel)).toBe('0')
  await app.page.getByRole('button', { name: 'Stop', exact: true }).click()
  await app.page.getByRole('button', { name: 'Open again' }).click()
  expect(await store(await getPanel(app))).toBe('0')
  await app.restart()
  const files = readdirSync(app.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const holding = files.filter((entry) =>
    readFileSync(path.join(entry.parentPath, entry.name)).includes('stored-by-the-panel'),
  )
  expect(holding.map(({ name }) => name)).toEqual([])
})

test('safety 30: a panel opens no dialog of the system, closes no window and keeps none open', async ({ app }) => {
  const panel = await openHostilePanel(app)
  await app.electron.evaluate(({ dialog }) => {
    const opened: string[] = []
    Object.assign(globalThis, { opened })
    for (const name of ['showOpenDialog', 'showSaveDialog', 'showMessageBox', 'showMessageBoxSync'] as const)
      Object.assign(dialog, { [name]: () => void opened.push(name) })
  })
  await panel.getByRole('textbox').click()
  const ends = await panel.evaluate(async () => {
    addEventListener('beforeunload', (event) => event.preventDefault())
    const settle = (open: () => Promise<unknown>): Promise<string> =>
      open().then(
        () => 'opened',
        (error: unknown) => (error instanceof Error ? error.name : String(error)),
      )
    const { showOpenFilePicker, showSaveFilePicker, showDirectoryPicker } = window as unknown as Record<
      string,
      () => Promise<unknown>
    >
    const pickers = [showOpenFilePicker, showSaveFilePicker, showDirectoryPicker].map((open) => settle(open as never))
    // A frame of the page has the dialogs that the helper script replaced.
    const blank = document.body.appendChild(document.createElement('iframe'))
    const inner = blank.contentWindow as Window
    inner.alert('x')
    inner.print()
    const windows = [
      inner.open('https://example.org/'),
      window.open('/', '_top'),
      inner.open('app://bridge-inspector/'),
    ]
    parent.close()
    top?.close()
    inner.close()
    return {
      pickers: await Promise.all(pickers),
      answers: [inner.confirm('x'), inner.prompt('x')],
      windows: windows.map(String),
    }
  })
  expect(ends).toEqual({
    pickers: ['SecurityError', 'SecurityError', 'SecurityError'],
    answers: [false, null],
    windows: ['null', 'null', 'null'],
  })
  const countWindows = () => app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)
  expect(await countWindows()).toBe(1)
  expect(await app.electron.evaluate(() => (globalThis as unknown as { opened: string[] }).opened)).toEqual([])
  const ended = new Promise((resolve) => app.electron.process().once('exit', resolve))
  await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close()).catch(() => undefined)
  await ended
})

test('safety 30: neither a panel nor our page reaches another port, and a panel reaches no scheme of ours', async ({
  app,
  page,
}) => {
  let connectionCount = 0
  const trap = net.createServer((socket) => {
    connectionCount += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve))
  const target = `127.0.0.1:${(trap.address() as AddressInfo).port}`
  const panel = await openHostilePanel(app)
  const attempt = (frame: Frame, addresses: string[]): Promise<string[]> =>
    frame.evaluate(
      async (urls) =>
        Promise.all(
          urls.flatMap((url) => {
            const link = Object.assign(document.createElement('link'), { rel: 'preconnect', href: url })
            document.head.append(link)
            const load = (tag: 'img' | 'script' | 'iframe'): Promise<string> =>
              new Promise((resolve) => {
                const element = document.createElement(tag)
                element.onload = () => resolve(tag === 'iframe' && !element.isConnected ? '' : `${tag} loaded`)
                element.onerror = () => resolve('refused')
                element.src = url
                document.body.append(element)
                // A refused frame of another origin fires `load`, too; the trap counts connections.
                if (tag === 'iframe') resolve('refused')
              })
            const fetched = fetch(url, { mode: 'no-cors' }).then(
              () => 'fetched',
              () => 'refused',
            )
            return [fetched, load('img'), load('script'), load('iframe')]
          }),
        ),
      addresses,
    )
  const addresses = [
    `http://${target}/`,
    `http://localhost:${target.split(':')[1]}/`,
    `http://${'ab'.repeat(16)}.localhost:${target.split(':')[1]}/`,
  ]
  const ownSchemes = [
    'app://bridge-inspector/',
    'app://bridge-inspector/icon.svg',
    'bridge-content://bridge-inspector/x',
  ]
  expect([...new Set(await attempt(panel, [...addresses, ...ownSchemes, 'file:///etc/hosts']))]).toEqual(['refused'])
  expect([...new Set(await attempt(page.mainFrame(), addresses))]).toEqual(['refused'])
  const worker = await panel.evaluate(
    (urls) =>
      Promise.all(
        urls.map(
          (url) =>
            new Promise((resolve) => {
              const started = new Worker('worker.js')
              started.onmessage = ({ data }) => resolve(data)
              started.postMessage(url)
            }),
        ),
      ),
    [...addresses, ...ownSchemes],
  )
  expect([...new Set(worker)]).toEqual([0])
  expect(connectionCount).toBe(0)
  trap.close()
})

test('safety 68: a panel is served only to its frame in our page', async ({ app, page }) => {
  await openHostilePanel(app)
  const address = new URL((await page.locator('iframe').getAttribute('src')) ?? '')
  const request = (host: string, headers: Record<string, string>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      http
        .get({ host: '127.0.0.1', port: address.port, path: '/', headers: { host, ...headers } }, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        .once('error', reject)
    })
  const framed = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' }
  expect(await request(address.host, framed)).toBe(200)
  expect(await request(address.host, {})).toBe(403)
  expect(await request(address.host, { ...framed, 'sec-fetch-dest': 'document' })).toBe(403)
  expect(await request(`127.0.0.1:${address.port}`, framed)).toBe(404)
  expect(await request(`${'0'.repeat(32)}.localhost:${address.port}`, framed)).toBe(404)
  const policies = await new Promise<string>((resolve) => {
    http.get({ host: '127.0.0.1', port: address.port, headers: { host: address.host, ...framed } }, ({ headers }) =>
      resolve(String(headers['content-security-policy'])),
    )
  })
  expect(policies).toContain('frame-ancestors app://bridge-inspector;')
  expect(policies).toContain('sandbox allow-scripts allow-same-origin allow-forms')
})

test('pictures of a panel are taken by themselves, and the dialog says what becomes of them', async ({ app, page }) => {
  // The real camera, and what it delivered: the middle of each picture, as blue, green, red, alpha.
  await app.electron.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    const middles: number[][] = []
    Object.assign(globalThis, { middles })
    const capture = contents?.capturePage.bind(contents)
    Object.assign(contents ?? {}, {
      async capturePage(area: Electron.Rectangle) {
        const image = await capture?.(area)
        const { width = 2, height = 2 } = image?.getSize() ?? {}
        const middle = image?.crop({ x: width >> 1, y: height >> 1, width: 1, height: 1 })
        middles.push([...(middle?.toBitmap().subarray(0, 4) ?? [])])
        return image
      },
    })
  })
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-panel-'))
  writeFileSync(
    path.join(folder, 'index.html'),
    '<!doctype html><title>Red</title><style>html { background: #f00 }</style><h1>Red</h1>',
  )
  const panel = await openFolder(app, folder)
  await expect(panel.getByRole('heading', { name: 'Red' })).toBeVisible()
  const readMiddles = (): Promise<number[][]> =>
    app.electron.evaluate(() => (globalThis as unknown as { middles: number[][] }).middles)
  await expect.poll(readMiddles).toEqual([[0, 0, 255, 255]])
  await panel.evaluate(async () => void (await fetch('/bridge/v1/token')))
  await expect.poll(readMiddles).toHaveLength(2)
  await openTools(page)
  await page.getByRole('button', { name: 'Save recording…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save recording' })
  const status = dialog.getByRole('status').filter({ hasText: 'of the panel that the program took' })
  await expect(status).toContainText('2 pictures of the panel that the program took become grey.')
})
