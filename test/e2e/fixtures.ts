import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test as base, type ElectronApplication, type Page } from '@playwright/test'
import { logOf, runBrowser, runElectron, type Run } from './run-app.ts'

export { expect } from '@playwright/test'

/** What a spec can set with `test.use`. */
export interface AppOptions {
  /** Cards of the demo's generated study set. */
  nodes: number
  /** Flags of the app; `--data-dir` and the number of cards come by themselves. */
  flags: string[]
  /** Environment of the app, on top of this process's. */
  env: Record<string, string>
  mode: 'browser' | 'electron'
  electronPath: string
}

/** The app as a spec sees it, the same in both ways to run. */
export interface RunningApp {
  /** The page of the run of now; another one after `restart`. */
  readonly page: Page
  readonly mode: 'browser' | 'electron'
  /** Origin of the browser host; undefined in the desktop app. */
  readonly baseUrl: string | undefined
  /** The desktop app's main process; throws in the browser. */
  readonly electron: ElectronApplication
  readonly dataDir: string
  /** Ends the app and starts it again over the same data. `flags` replace those of the spec. */
  restart(flags?: string[]): Promise<Page>
  /** Everything logged and printed so far, earlier runs included. */
  log(): string
}

export const test = base.extend<AppOptions & { app: RunningApp }>({
  nodes: [2_000, { option: true }],
  flags: [['--demo'], { option: true }],
  env: [{}, { option: true }],
  mode: ['browser', { option: true }],
  electronPath: ['', { option: true }],

  app: async ({ nodes, flags, env, mode, electronPath, viewport, launchOptions }, use, info) => {
    const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-e2e-'))
    const start = (own: string[]): Promise<Run> => {
      const options = {
        flags: [...own, '--demo-nodes', String(nodes), '--data-dir', dataDir],
        viewport,
        env,
      }
      return mode === 'electron' ? runElectron(options, electronPath) : runBrowser(options, launchOptions)
    }
    let earlier = ''
    let run = await start(flags)
    await use({
      mode,
      dataDir,
      get page() {
        return run.page
      },
      get baseUrl() {
        return run.baseUrl
      },
      get electron() {
        if (!run.electron) throw new Error('Only the desktop app has a main process.')
        return run.electron
      },
      async restart(own = flags) {
        await run.close()
        earlier += run.output()
        run = await start(own)
        return run.page
      },
      log: () => earlier + run.output() + logOf(dataDir),
    })
    if (info.status !== info.expectedStatus) {
      await info.attach('page', {
        body: await run.page.screenshot().catch(() => Buffer.alloc(0)),
        contentType: 'image/png',
      })
      await info.attach('log', { body: earlier + run.output() + logOf(dataDir), contentType: 'text/plain' })
    }
    await run.close()
    rmSync(dataDir, { recursive: true, force: true })
  },

  // The app's own page, so that a spec reads the same as any other.
  page: async ({ app }, use) => {
    await use(app.page)
  },
})
