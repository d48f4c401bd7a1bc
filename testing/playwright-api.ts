// Declarations of `bridge-inspector/playwright` for tests of a plugin. The package contains this
// file as its declarations.
import type { Expect } from '@playwright/test'
import type { toKeepContract } from 'bridge-inspector/testing'

/** Playwright's `expect` with the matcher of the kit: `await expect(panel).toKeepContract()`. */
export declare const expect: Expect<{ toKeepContract: typeof toKeepContract }>
