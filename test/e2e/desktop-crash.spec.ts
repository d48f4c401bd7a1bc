import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { chromium, test as base, type Browser, type Page } from '@playwright/test'
import { getRootFlags } from '../../scripts/lib/electron.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { expect, type AppOptions } from './fixtures.ts'
import { readLogFile, buildDisplayEnvironment } from './run-app.ts'

// A page's debugger holds its next process back, so these specs attach to a page only to inspect
// it, and detach before it crashes.
interface Crashing {
  crash(): Promise<void>
  look<T>(at: (page: Page) => Promise<T>): Promise<T>
  log(): string
}

const test = base.extend<AppOptions & { app: Crashing }>({
  electronPath: ['', { option: true }],
  app: async ({ electronPath }, use) => {
    const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-e2e-'))
    const flags = ['--demo', '--demo-nodes', '1000', '--data-dir', dataDir]
    const child = spawn(electronPath, [...getRootFlags(), '--remote-debugging-port=0', root, ...flags], {
      env: { ...process.env, ...buildDisplayEnvironment() },
    })
    const debuggerUrl = await waitForDebuggerUrl(child)
    const withDebugger = async <T>(use: (browser: Browser) => Promise<T>): Promise<T> => {
      const browser = await chromium.connectOverCDP(debuggerUrl)
      return use(browser).finally(() => browser.close())
    }
    await use({
      async crash() {
        const pids = await withDebugger(async (browser) => {
          const session = await browser.newBrowserCDPSession()
          const { processInfo } = await session.send('SystemInfo.getProcessInfo')
          return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
        })
        for (const pid of pids) process.kill(pid, 'SIGKILL')
      },
      look: (inspect) =>
        withDebugger(async (browser) => {
          const context = browser.contexts()[0]
          const page = context?.pages()[0] ?? (await context?.waitForEvent('page'))
          if (!page) throw new Error('There is no page.')
          return inspect(page)
        }),
      log: () => readLogFile(dataDir),
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
    rmSync(dataDir, { recursive: true, force: true })
  },
})

function waitForDebuggerUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stderr?.on('data', (piece: Buffer) => {
      text += piece.toString()
      const url = /^DevTools listening on (ws:\S+)$/m.exec(text)?.[1]
      if (url) resolve(url)
    })
    child.once('exit', (code) => reject(new Error(`The app ended with ${code}:\n${text}`)))
  })
}

const waitUntilOnline = (page: Page): Promise<void> =>
  expect(page.getByRole('status', { name: 'Connection' })).toContainText('Online')
const countCrashes = (app: Crashing): number => app.log().split('"page gone"').length - 1

test('safety 46: a crashed page comes back at its place, and the connection stays', async ({ app }) => {
  await app.look(async (page) => {
    await waitUntilOnline(page)
    await page.evaluate(() => {
      location.hash = '#/settings'
    })
    await expect(page.getByRole('heading', { name: 'Settings' }).first()).toBeVisible()
  })
  await app.crash()
  await expect.poll(() => countCrashes(app)).toBe(1)
  await app.look(async (page) => {
    await waitUntilOnline(page)
    expect(new URL(page.url()).hash).toBe('#/settings')
  })
  expect(app.log().split('"phase":"online"')).toHaveLength(2)
})

test('safety 46: three crashes in a minute show a page that says so and leads back', async ({ app }) => {
  for (const crashes of [1, 2, 3]) {
    await app.look(waitUntilOnline)
    await app.crash()
    await expect.poll(() => countCrashes(app)).toBe(crashes)
  }
  await app.look(async (page) => {
    await expect(page.getByRole('alert')).toContainText('failed three times within a minute')
    await page.getByRole('link').click()
    await waitUntilOnline(page)
  })
})
