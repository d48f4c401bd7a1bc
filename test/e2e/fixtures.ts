import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {
  test as base,
  chromium,
  type Browser,
  type ElectronApplication,
  type Page,
  type TestInfo,
} from '@playwright/test'
import type { FindingRuleId } from '../../shared/protocol/finding.ts'
import { readOwnFindings } from './own-findings.ts'
import { readLogFile, runBrowser, runElectron, type Run, type RunOptions } from './run-app.ts'

export { expect } from '@playwright/test'

/** What a spec can set with `test.use`. */
export interface AppOptions {
  /** Cards in the demo's generated study set. */
  nodes: number
  /** Flags of the app; `--data-dir` and those of the demo host are added automatically. */
  flags: string[]
  /** Environment of the app, added to this process's. */
  env: Record<string, string>
  /** False if the demo library is read-only, as at a user's first start. */
  isDemoUnlocked: boolean
  mode: 'browser' | 'electron'
  electronPath: string
  /** How the demo host speaks where the documents leave room. */
  dialect: string
  /** Rules over exchanges that the spec breaks on purpose, with what it types into the console. */
  breaks: readonly FindingRuleId[]
}

/**
 * The app as a spec sees it, the same for both ways to run. Started by the fixture `page`, or by
 * `restart`.
 */
export interface RunningApp {
  /** The page of the current run; a new one after `restart`. Throws before the app is started. */
  readonly page: Page
  readonly mode: 'browser' | 'electron'
  /** Origin of the browser host; undefined in the desktop app. */
  readonly baseUrl: string | undefined
  /** The desktop app's main process; throws in the browser. */
  readonly electron: ElectronApplication
  readonly dataDir: string
  /**
   * Ends the app if it is running, and starts it on the same data. `flags` replace those of the
   * spec.
   */
  restart(flags?: string[]): Promise<Page>
  /** Everything logged and printed so far, earlier runs included. */
  readLog(): string
}

export interface OfWorker {
  /**
   * This worker's Chromium, launched by the first test that needs it; each run has its own context
   * in it.
   */
  chromiumHere: () => Promise<Browser>
}

type AppFixtureOptions = AppOptions & Pick<OfWorker, 'chromiumHere'> & { viewport: RunOptions['viewport'] }

/** Lends the app on a data directory of its own, and checks after the test what it has sent. */
async function provideApp(
  { nodes, flags, env, isDemoUnlocked, mode, electronPath, dialect, breaks, viewport, chromiumHere }: AppFixtureOptions,
  use: (app: RunningApp) => Promise<void>,
  info: TestInfo,
): Promise<void> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-e2e-'))
  if (isDemoUnlocked)
    writeFileSync(
      path.join(dataDir, 'profiles.json'),
      JSON.stringify({ profiles: [], lastUsed: null, demoUnlocked: true }),
    )
  const start = async (ownFlags: string[]): Promise<Run> => {
    const options = {
      flags: [...ownFlags, '--demo-nodes', String(nodes), '--demo-dialect', dialect, '--data-dir', dataDir],
      viewport,
      env,
    }
    return mode === 'electron' ? runElectron(options, electronPath) : runBrowser(options, await chromiumHere())
  }
  let earlier = ''
  let run: Run | null = null
  const getRun = (): Run => {
    if (!run) throw new Error('The app was not started: take the fixture `page`, or call `restart`.')
    return run
  }
  const readLog = (): string => earlier + (run?.output() ?? '') + readLogFile(dataDir)
  await use({
    mode,
    dataDir,
    get page() {
      return getRun().page
    },
    get baseUrl() {
      return getRun().baseUrl
    },
    get electron() {
      const { electron } = getRun()
      if (!electron) throw new Error('Only the desktop app has a main process.')
      return electron
    },
    async restart(ownFlags = flags) {
      await run?.close()
      earlier += run?.output() ?? ''
      run = await start(ownFlags)
      return run.page
    },
    readLog,
  })
  const last = run as Run | null
  if (info.status !== info.expectedStatus) {
    const body = await last?.page.screenshot().catch(() => undefined)
    if (body) await info.attach('page', { body, contentType: 'image/png' })
    await info.attach('log', { body: readLog(), contentType: 'text/plain' })
  }
  await last?.close()
  const wrong = info.status === info.expectedStatus ? readOwnFindings(dataDir, breaks) : []
  rmSync(dataDir, { recursive: true, force: true })
  // The program is a caller as well, and must follow the contract.
  base.expect(wrong, 'findings about this program').toEqual([])
}

export const test = base.extend<AppOptions & { app: RunningApp; otherApp: RunningApp }, OfWorker>({
  chromiumHere: [
    async ({ launchOptions }, use) => {
      let launched: Promise<Browser> | undefined
      await use(() => (launched ??= chromium.launch(launchOptions)))
      await (await launched)?.close()
    },
    { scope: 'worker' },
  ],

  nodes: [2_000, { option: true }],
  flags: [['--demo'], { option: true }],
  env: [{}, { option: true }],
  isDemoUnlocked: [true, { option: true }],
  mode: ['browser', { option: true }],
  electronPath: ['', { option: true }],
  dialect: ['0.91', { option: true }],
  breaks: [[], { option: true }],

  app: provideApp,
  // The app of somebody else, who has another data directory. Started by `restart`.
  otherApp: provideApp,

  // The app's own page, so that a spec reads like any other.
  page: async ({ app }, use) => {
    await use(await app.restart())
  },
})
