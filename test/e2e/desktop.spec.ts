import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { getRootFlags } from '../../scripts/lib/electron.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import type { CallReply } from '../../shared/ipc/method-definition.ts'
import { expect, test, type RunningApp } from './fixtures.ts'
import { buildDisplayEnvironment } from './run-app.ts'
import { waitForConnection } from './support.ts'

interface Api {
  call(request: { id: string; method: string; input: unknown }): Promise<CallReply>
}

/** Calls the service process without the page's own code, as an attacker in the page would. */
const call = ({ page }: RunningApp, method: string, input: unknown): Promise<CallReply> =>
  page.evaluate(
    ([name, value]) =>
      (window as unknown as { bridgeInspector: Api }).bridgeInspector.call({
        id: `spec-${Math.random()}`,
        method: name as string,
        input: value,
      }),
    [method, input],
  )

test.beforeEach(async ({ page }) => waitForConnection(page))

test('safety 8, safety 9, safety 12, safety 13: the app starts online on the demo, in one sandboxed window that nothing leaves @core', async ({
  app,
  page,
}) => {
  expect(page.url()).toMatch(/^app:\/\/bridge-inspector\/#\//)
  expect(await page.evaluate(() => [location.origin, isSecureContext, document.visibilityState])).toEqual([
    'app://bridge-inspector',
    true,
    'visible',
  ])
  const preferences = await app.electron.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map(({ webContents }) => {
      const { sandbox, contextIsolation, nodeIntegration, webSecurity } = (
        webContents as unknown as { getLastWebPreferences(): Electron.WebPreferences }
      ).getLastWebPreferences()
      return { sandbox, contextIsolation, nodeIntegration, webSecurity }
    }),
  )
  expect(preferences).toEqual([{ sandbox: true, contextIsolation: true, nodeIntegration: false, webSecurity: true }])
  await test.step('the page gets three functions and nothing of Node or Electron', async () => {
    const globals = await page.evaluate(() => {
      const api = (window as unknown as Record<string, Record<string, unknown>>)['bridgeInspector'] ?? {}
      const names = ['require', 'process', 'module', 'global', 'Buffer', 'ipcRenderer', 'electron', '__dirname']
      return {
        surface: Object.entries(api).map(([name, value]) => `${name}: ${typeof value}`),
        leaked: names.filter((name) => name in window),
      }
    })
    expect(globals).toEqual({ surface: ['call: function', 'cancel: function', 'listen: function'], leaked: [] })
  })
  await test.step('no page can open a window', async () => {
    const opened = await page.evaluate(() =>
      ['https://example.org/', 'about:blank', 'app://bridge-inspector/', 'javascript:alert(1)', ''].map((url) =>
        String(window.open(url, '_blank')),
      ),
    )
    expect(opened).toEqual(['null', 'null', 'null', 'null', 'null'])
    expect(await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1)
  })
  await test.step('another window with the same preload is refused and logged', async () => {
    const preload = path.join(root, 'out/preload/preload.cjs')
    const replies = await app.electron.evaluate(async ({ BrowserWindow, session }, file) => {
      const webPreferences = { preload: file, sandbox: true, session: session.fromPartition('page') }
      const window = new BrowserWindow({ show: false, webPreferences })
      const responses: unknown[] = []
      for (const url of ['data:text/html,<p>', 'app://bridge-inspector/icon.svg', 'app://bridge-inspector/']) {
        await window.loadURL(url)
        const script = `window.bridgeInspector.call({ id: 'forged', method: 'profiles.list', input: {} })`
        responses.push(await window.webContents.executeJavaScript(script))
      }
      window.destroy()
      return responses as { ok: boolean; error?: { code?: string } }[]
    }, preload)
    expect(replies.map(({ ok, error }) => [ok, error?.code])).toEqual([
      [false, 'SENDER_REFUSED'],
      [false, 'SENDER_REFUSED'],
      [false, 'SENDER_REFUSED'],
    ])
    expect(app.readLog()).toContain('call refused')
    expect((await call(app, 'profiles.list', {})).ok).toBe(true)
  })
  await test.step('links, forms, frames, redirects and drops do not navigate', async () => {
    const hits: string[] = []
    const outside = http.createServer((request, response) => {
      hits.push(request.url ?? '')
      response.end('<p>outside')
    })
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
    const target = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`
    try {
      const places = [`${target}/go`, 'file:///etc/passwd', 'data:text/html,x', 'app://evil/', 'smb://server/share']
      for (const url of places) {
        await page.evaluate((to) => {
          location.href = to
        }, url)
        await page.evaluate((to) => {
          const link = Object.assign(document.createElement('a'), { href: to, textContent: 'x' })
          document.body.append(link)
          link.click()
          link.remove()
          const form = Object.assign(document.createElement('form'), { action: to, method: 'get' })
          document.body.append(form)
          form.submit()
          form.remove()
          const frame = Object.assign(document.createElement('iframe'), { src: to })
          document.body.append(frame)
        }, url)
        await page.evaluate((to) => {
          const meta = Object.assign(document.createElement('meta'), { httpEquiv: 'refresh', content: `0;url=${to}` })
          document.head.append(meta)
        }, url)
      }
      // The last navigation would have started by now: each call to the service process is a round
      // trip.
      for (let round = 0; round < 10; round += 1) await call(app, 'app.info', {})
      // Evaluated in the page itself: Playwright would wait for navigations that never come.
      const now = await page.evaluate(() => [location.href, document.querySelector('[role=status]') !== null] as const)
      expect(now).toEqual([expect.stringMatching(/^app:\/\/bridge-inspector\/#\//), true])
      expect(hits).toEqual([])
      expect(app.readLog()).toContain('navigation refused')
    } finally {
      outside.closeAllConnections()
      outside.close()
    }
  })
})

test('safety 14: only http and https reach the system, after a question', async ({ app }) => {
  await app.electron.evaluate(({ dialog, shell }) => {
    const opening = { asked: [] as string[], opened: [] as string[], agree: true }
    Object.assign(globalThis, { seen: opening })
    dialog.showMessageBox = ((_window: unknown, { detail }: { detail: string }) => {
      opening.asked.push(detail)
      return Promise.resolve({ response: opening.agree ? 0 : 1, checkboxChecked: false })
    }) as unknown as typeof dialog.showMessageBox
    shell.openExternal = (url) => {
      opening.opened.push(url)
      return Promise.resolve()
    }
  })
  const open = async (url: string) => {
    const reply = await call(app, 'app.openExternal', { url })
    return reply.ok && (reply.value as { opened: boolean }).opened
  }
  for (const url of [
    'javascript:alert(1)',
    'file:///etc/passwd',
    'smb://s/x',
    'data:,x',
    'https://a@b/',
    'ms-msdt:/x',
    '',
  ]) {
    expect([url, await open(url)]).toEqual([url, false])
  }
  expect(await open('HTTPS://Example.org/a b')).toBe(true)
  await app.electron.evaluate(() => {
    ;(globalThis as unknown as { seen: { agree: boolean } }).seen.agree = false
  })
  expect(await open('https://example.org/no')).toBe(false)
  const snapshot = await app.electron.evaluate(
    () => (globalThis as unknown as { seen: { asked: string[]; opened: string[] } }).seen,
  )
  expect(snapshot.opened).toEqual(['https://example.org/a%20b'])
  expect(snapshot.asked).toHaveLength(2)
  expect(snapshot.asked[0]).toContain('https://example.org/a%20b')
})

test('safety 12, safety 15, safety 16: the page gets no permission and nothing but its own files, and returns from about:blank', async ({
  app,
  page,
}) => {
  await test.step('every permission is refused', async () => {
    const states = await page.evaluate(async () => {
      const ask = async (name: string): Promise<string> =>
        navigator.permissions.query({ name: name as PermissionName }).then(
          ({ state }) => state,
          () => 'unknown',
        )
      const names = [
        'geolocation',
        'notifications',
        'camera',
        'microphone',
        'clipboard-read',
        'clipboard-write',
        'midi',
      ]
      return Promise.all(names.map(ask))
    })
    expect(states.filter((state) => state !== 'denied' && state !== 'unknown')).toEqual([])
    const refusals = await page.evaluate(async () => {
      const tried: Record<string, () => Promise<unknown>> = {
        camera: () => navigator.mediaDevices.getUserMedia({ video: true }),
        microphone: () => navigator.mediaDevices.getUserMedia({ audio: true }),
        screen: () => navigator.mediaDevices.getDisplayMedia(),
        clipboard: () => navigator.clipboard.readText(),
        midi: () => navigator.requestMIDIAccess({ sysex: true }),
        geolocation: () => new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject)),
        notification: async () => {
          if ((await Notification.requestPermission()) !== 'granted') throw new Error('denied')
        },
        serviceWorker: () => navigator.serviceWorker.register('/first-paint.js'),
      }
      const results: Record<string, string> = {}
      for (const [name, attempt] of Object.entries(tried)) {
        results[name] = await attempt().then(
          () => 'granted',
          () => 'refused',
        )
      }
      return results
    })
    expect(Object.entries(refusals).filter(([, result]) => result !== 'refused')).toEqual([])
    const other = await app.electron.evaluate(async ({ BrowserWindow, session }) => {
      const window = new BrowserWindow({ show: false, webPreferences: { session: session.fromPartition('other') } })
      await window.loadURL('data:text/html,<p>')
      const state: unknown = await window.webContents.executeJavaScript('Notification.permission')
      window.destroy()
      return state
    })
    expect(other).toBe('denied')
  })
  await test.step('every response of the scheme has a type, the policy and nosniff, and nothing else can be read', async () => {
    const assets = readdirSync(path.join(root, 'out/renderer/assets')).map((name) => `/assets/${name}`)
    const inputs = ['/', '/icon.svg', '/missing', '/..%2f..%2fpackage.json', '/%2e%2e/main/main.js', ...assets]
    const responses = await page.evaluate(async (paths) => {
      return Promise.all(
        paths.map(async (path) => {
          const { status, headers } = await fetch(path)
          const [type, csp, sniff] = ['content-type', 'content-security-policy', 'x-content-type-options'].map(
            (name) => headers.get(name) ?? '',
          )
          return { path, status, type, csp, sniff }
        }),
      )
    }, inputs)
    expect(responses.length).toBeGreaterThan(8)
    for (const { path: assetPath, status, type, csp, sniff } of responses) {
      const ending = path.extname(assetPath)
      const expected =
        assetPath.includes('%2') || assetPath === '/missing'
          ? 'text/plain'
          : ({ '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }[ending] ?? 'text/html')
      expect([assetPath, status, type?.split(';')[0]]).toEqual([
        assetPath,
        expected === 'text/plain' ? 404 : 200,
        expected,
      ])
      expect(csp).toContain("default-src 'none'")
      expect(sniff).toBe('nosniff')
    }
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script')
      script.textContent = 'window.inlineRan = true'
      document.head.append(script)
      // A timer runs this outside the debugger's evaluation, which may use eval whatever the CSP
      // says.
      const evaluated = await new Promise((resolve) => {
        setTimeout(() => {
          try {
            resolve(new Function('return "ran"')())
          } catch {
            resolve('blocked')
          }
        })
      })
      const outside = await fetch('https://example.org/').then(
        () => 'fetched',
        () => 'blocked',
      )
      const files = await fetch('file:///etc/passwd').then(
        () => 'fetched',
        () => 'blocked',
      )
      return { inline: 'inlineRan' in window, evaluated, outside, files }
    })
    expect(ran).toEqual({ inline: false, evaluated: 'blocked', outside: 'blocked', files: 'blocked' })
  })
  await test.step('the tree’s worker reads the listing as one stream', async () => {
    const pendingResponse = page.waitForResponse('app://bridge-inspector/ipc/listing')
    await page.getByRole('link', { name: 'Calculus II' }).click()
    await expect(page.getByRole('treeitem').first()).toBeVisible()
    const { status, type } = await pendingResponse.then(async (response) => ({
      status: response.status(),
      type: await response.headerValue('content-type'),
    }))
    expect([status, type]).toEqual([200, 'application/vnd.bridge-inspector.listing'])
  })
  await test.step('a page that goes to about:blank returns to where it was', async () => {
    await page.evaluate(() => {
      location.hash = '#/settings'
    })
    await page.evaluate(() => {
      location.href = 'about:blank'
    })
    await expect(page.getByRole('heading', { name: 'Settings' }).first()).toBeVisible()
    await waitForConnection(page)
    expect(page.url()).toBe('app://bridge-inspector/#/settings')
  })
})

test('safety 5, safety 8: a listing is sent only to its page load, and without a keyring a token is kept only in memory, which the page says', async ({
  app,
  page,
}) => {
  await test.step('a listing is sent only to the page load that got its key', async () => {
    const readListingKey = async (): Promise<string> => {
      const reply = await call(app, 'listing.key', {})
      return reply.ok ? String(reply.value) : ''
    }
    /** Returns the status, and whether the handler checked the request. */
    const ask = (key: string | null): Promise<[number, boolean]> =>
      page.evaluate(async (pageHeaders) => {
        const headers: Record<string, string> = pageHeaders === null ? {} : { 'x-bridge-inspector-page': pageHeaders }
        const response = await fetch('/ipc/listing', { method: 'POST', headers, body: '{}' })
        return [response.status, (await response.text()).includes('REQUEST_MALFORMED')]
      }, key)
    const first = await readListingKey()
    expect(await ask(first)).toEqual([200, true])
    expect(await ask(null)).toEqual([401, false])
    expect(await ask('x'.repeat(43))).toEqual([401, false])
    await page.reload()
    await waitForConnection(page)
    expect(await ask(first)).toEqual([401, false])
    expect(await ask(await readListingKey())).toEqual([200, true])
  })
  await test.step('a token is kept only in memory', async () => {
    const storage = await call(app, 'vault.storage', {})
    expect(storage).toMatchObject({ ok: true, value: { grade: 'none' } })
    const draft = { name: 'Mine', baseUrl: 'http://127.0.0.1:9', auth: { header: 'Authorization', scheme: 'Bearer' } }
    const saved = await call(app, 'profiles.save', { ...draft, readOnly: true })
    const profileId = (saved as unknown as { value: { profile: { id: string } } }).value.profile.id
    const token = 'mnb0.not-to-be-found-anywhere'
    const remembered = await call(app, 'vault.set', { profileId, token, remember: true })
    expect(remembered).toMatchObject({ ok: false, error: { code: 'VAULT_UNAVAILABLE' } })
    const storedState = await call(app, 'vault.set', { profileId, token, remember: false })
    expect(storedState).toMatchObject({ ok: true, value: { state: 'memory' } })
    const files = readdirSync(app.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const holding = files.filter((entry) => readFileSync(path.join(entry.parentPath, entry.name)).includes(token))
    expect(files.map(({ name }) => name)).toContain('profiles.json')
    expect(holding).toEqual([])
    await page.goto('app://bridge-inspector/#/settings')
    await expect(page.getByText('kept only in memory')).toBeVisible()
  })
  await test.step('an id can be copied although every clipboard permission is refused', async () => {
    await page.goto('app://bridge-inspector/#/settings')
    await page.getByRole('button', { name: `Copy: ${app.dataDir}` }).click()
    await expect(page.getByText('Copied')).toBeAttached()
    expect(await app.electron.evaluate(({ clipboard }) => clipboard.readText())).toBe(app.dataDir)
  })
})

test('a second start on the same data exits, opens its recording by a path relative to its own folder, and the first keeps running', async ({
  app,
  electronPath,
}) => {
  await test.step('the window comes back', async () => {
    await app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.minimize())
    const flags = ['--demo', '--data-dir', app.dataDir]
    const env = { ...process.env, ...buildDisplayEnvironment() }
    const second = spawn(electronPath, [...getRootFlags(), root, ...flags], { stdio: 'ignore', env })
    expect(await new Promise((resolve) => second.once('exit', resolve))).toBe(0)
    const listMinimizedFlags = () =>
      app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isMinimized()))
    await expect.poll(listMinimizedFlags).toEqual([false])
    await waitForConnection(app.page)
  })
  await test.step('a recording of the folder of the second start is opened', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge inspector 50% #1 ü '))
    writeFileSync(path.join(folder, 'no recording.birec'), 'not a zip')
    const env = { ...process.env, ...buildDisplayEnvironment() }
    const args = [...getRootFlags(), root, '--data-dir', app.dataDir, 'no recording.birec']
    const second = spawn(electronPath, args, { stdio: 'ignore', env, cwd: folder })
    expect(await new Promise((resolve) => second.once('exit', resolve))).toBe(0)
    // A file that is not found would be one that can’t be read.
    await expect(app.page.getByText(/^no recording\.birec was not opened\. This file is neither/)).toBeVisible()
    rmSync(folder, { recursive: true })
  })
})

test.describe('the window', () => {
  test.use({ viewport: null })

  test('reopens at its last position and size', async ({ app }) => {
    const bounds = { x: 40, y: 60, width: 1011, height: 707 }
    await app.electron.evaluate(({ BrowserWindow }, bounds) => {
      BrowserWindow.getAllWindows()[0]?.setBounds(bounds)
    }, bounds)
    const readWindowBounds = () =>
      app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds())
    await expect.poll(readWindowBounds).toEqual(bounds)
    await app.restart()
    expect(await readWindowBounds()).toEqual(bounds)
  })

  test('cannot be smaller than the page allows, and has the title of the app', async ({ app }) => {
    const readBounds = () =>
      app.electron.evaluate(({ BrowserWindow }) => {
        const window = BrowserWindow.getAllWindows()[0]
        return { min: window?.getMinimumSize(), visible: window?.isVisible(), title: window?.getTitle() }
      })
    const title = expect.stringContaining('Bridge Inspector') as unknown
    await expect.poll(readBounds).toEqual({ min: [800, 560], visible: true, title })
  })

  test('has the theme’s background before the page is painted', async ({ app, page }) => {
    const readBackground = () =>
      app.electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBackgroundColor().toLowerCase())
    expect((await call(app, 'settings.update', { theme: 'dark' })).ok).toBe(true)
    await expect.poll(readBackground).toBe('#15171b')
    await page.emulateMedia({ colorScheme: null })
    expect(await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)).toBe(true)
    await app.restart()
    expect(await readBackground()).toBe('#15171b')
  })
})
