import { defineConfig } from '@playwright/test'
import { chromiumArgs, findChromium } from '../../scripts/lib/chromium.mjs'
import { findElectron, hasDisplay } from '../../scripts/lib/electron.mjs'
import type { AppOptions } from './fixtures.ts'

const chromium = await findChromium()
const electron = hasDisplay() ? findElectron() : null

/** The same specs in a browser against the browser host and, where there is a binary, in a real Electron. */
export default defineConfig<AppOptions>({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  globalSetup: './global-setup.ts',
  outputDir: '../../test-results/e2e',
  // Each spec has an app of its own; more of them at once only makes each slower on a small machine.
  workers: 1,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: Boolean(process.env['CI']),
  reporter: [['list'], ['json', { outputFile: process.env['E2E_JSON'] ?? '../../test-results/e2e.json' }]],
  use: {
    viewport: { width: 1280, height: 800 },
    launchOptions: { ...(chromium ? { executablePath: chromium } : {}), args: chromiumArgs },
  },
  projects: [
    { name: 'browser', testIgnore: '**/desktop*.spec.ts', use: { mode: 'browser' } },
    ...(electron ? [{ name: 'electron', use: { mode: 'electron' as const, electronPath: electron } }] : []),
  ],
})
