import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

type Options = Parameters<AxeBuilder['options']>[0]

/**
 * axe over a page, by these options. Samples show text on the host's colours: their contrast is the
 * host's, and given in numbers next to them. Electron has no second page for axe to put its frames
 * into.
 */
export async function axeOn(page: Page, options: Options = {}): Promise<AxeBuilder> {
  // Half a megabyte of script, twice for each analysis: a document has it once. A frame has one of
  // its own.
  const isLoaded = page.frames().length === 1 && (await page.evaluate(() => Reflect.has(window, 'axe')))
  return (
    new AxeBuilder({ page, ...(isLoaded ? { axeSource: 'void 0' } : {}) })
      .setLegacyMode(true)
      .exclude('[data-sample]')
      // Where nothing is wrong, nothing is reported.
      .options({ ...options, resultTypes: ['violations'] })
  )
}
