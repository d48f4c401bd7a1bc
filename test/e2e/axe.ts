import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

type Options = Parameters<AxeBuilder['options']>[0]

/**
 * Prepares axe for a page. Colour samples are excluded, because the host chooses their colours and
 * the page shows their contrast in numbers. Legacy mode is used because Electron cannot open the
 * second page that axe needs for frames.
 */
export async function createAxeBuilder(page: Page, options: Options = {}): Promise<AxeBuilder> {
  // The script has half a megabyte, so it is injected once per document; each frame needs its own.
  const isLoaded = page.frames().length === 1 && (await page.evaluate(() => Reflect.has(window, 'axe')))
  return new AxeBuilder({ page, ...(isLoaded ? { axeSource: 'void 0' } : {}) })
    .setLegacyMode(true)
    .exclude('[data-sample]')
    .options({ ...options, resultTypes: ['violations'] })
}
