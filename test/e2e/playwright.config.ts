import { defineConfig } from '@playwright/test'
import { chromiumArgs, findTestChromium } from '../../scripts/lib/chromium.mjs'
import { findElectron, hasDisplay } from '../../scripts/lib/electron.mjs'
import type { AppOptions } from './fixtures.ts'

const chromium = await findTestChromium()
const electron = hasDisplay() ? findElectron() : null

/**
 * What Electron does in its own way (`@both`): transport, content scheme, navigation, policies,
 * walls around a panel, secrecy, a tour of all places, a write. What would be the same proof in
 * either (`@either`) is left out in the browser if both are run at once (`E2E_ONCE`). The rest, the
 * lab around a panel too, is the same page in the same engine, tested once in the browser;
 * `npm run test:electron` runs everything.
 */
const ofElectron = /desktop[\w-]*\.spec\.ts|@both|@either/

/**
 * Each main job once in the browser, and the first steps of the desktop app: what `npm test` runs
 * (`TEST_PART=core`), and `npm run test:all -- --rest` leaves out (`TEST_PART=rest`). A spec is
 * tagged `@core` by what it would catch.
 */
const part = process.env['TEST_PART']
const coreOfElectron = /desktop[\w-]*\.spec\.ts.*@core/
/** The same proof in either, which `npm test` has in the browser. */
const provenInBrowser = /@either.*@core/

/**
 * `npm run test:dialects`: every spec against a demo host that uses other shapes where the
 * documents leave room. `E2E_DIALECTS=sample` runs only the specs tagged `@dialects`; without the
 * variable these projects do not exist.
 */
const dialects = process.env['E2E_DIALECTS']
const spoken = dialects === undefined ? [] : (['0.49', 'strict', 'loose', 'open'] as const)

/** The same specs in a browser against the browser host and, given a binary, in a real Electron. */
export default defineConfig<AppOptions>({
  testDir: '../..',
  testMatch: ['test/e2e/**/*.spec.ts', 'test/foreign/**/*.spec.ts', 'resources/demo/panels/*/test/*.spec.ts'],
  globalSetup: './global-setup.ts',
  outputDir: '../../test-results/e2e',
  // Each test has its own app and data directory. One of them is usually waiting; three on two
  // cores only get slower.
  fullyParallel: true,
  workers: 2,
  // Only a failing test takes this long.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  forbidOnly: Boolean(process.env['CI']),
  // A second attempt would hide what happens only sometimes.
  retries: 0,
  reporter: [['list'], ['json', { outputFile: process.env['E2E_JSON'] ?? '../../test-results/e2e.json' }]],
  use: {
    viewport: { width: 1280, height: 800 },
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: chromiumArgs,
      // Without a locale of UTF-8, Chromium names downloads that have other letters "download".
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    },
  },
  projects: [
    {
      name: 'browser',
      testIgnore: '**/desktop*.spec.ts',
      ...(part === 'core' ? { grep: /@core/ } : {}),
      grepInvert: [...(electron && process.env['E2E_ONCE'] ? [/@either/] : []), ...(part === 'rest' ? [/@core/] : [])],
      use: { mode: 'browser' },
    },
    ...spoken.map((dialect) => ({
      name: dialect,
      testIgnore: '**/desktop*.spec.ts',
      ...(dialects === 'sample' ? { grep: /@dialects/ } : {}),
      use: { mode: 'browser' as const, dialect },
    })),
    ...(electron
      ? [
          {
            name: 'electron',
            ...(process.env['E2E_FULL'] ? {} : { grep: part === 'core' ? coreOfElectron : ofElectron }),
            grepInvert: part === 'rest' ? [coreOfElectron, provenInBrowser] : [],
            use: { mode: 'electron' as const, electronPath: electron },
          },
        ]
      : []),
  ],
})
