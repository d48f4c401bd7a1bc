import { expect as playwrightExpect } from '@playwright/test'
import { toKeepContract } from './contract-matcher.ts'

/** The types are those of `playwright-api.ts`. */
export const expect = playwrightExpect.extend({ toKeepContract })
