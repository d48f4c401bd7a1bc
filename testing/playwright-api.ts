// Declarations of `bridge-inspector/playwright` for tests of a plugin. The package contains this
// file as its declarations.
import type {
  Expect,
  PlaywrightTestArgs,
  PlaywrightTestOptions,
  PlaywrightWorkerArgs,
  PlaywrightWorkerOptions,
  TestType,
} from '@playwright/test'
import type { DemoHost, DemoHostOptions, Panel, PanelOptions, toKeepContract } from 'bridge-inspector/testing'

/** One for each test. */
export interface PanelFixtures {
  /** Set by `test.use({ panelOptions: { panel: './panel', writes: 'allow' } })`. */
  panelOptions: PanelOptions
  /** A panel at the host; when a test fails, what it did is attached. */
  panel: Panel
}

/** One for each worker, for all its tests. */
export interface HostFixtures {
  /** Set by `test.use({ hostOptions: { nodes: 50 } })` at the top of a file. */
  hostOptions: DemoHostOptions
  host: DemoHost
}

/** Playwright's `test` with the fixtures `panel` and `host`. */
export declare const test: TestType<
  PlaywrightTestArgs & PlaywrightTestOptions & PanelFixtures,
  PlaywrightWorkerArgs & PlaywrightWorkerOptions & HostFixtures
>

/** Playwright's `expect` with the matcher of the kit: `await expect(panel).toKeepContract()`. */
export declare const expect: Expect<{ toKeepContract: typeof toKeepContract }>
