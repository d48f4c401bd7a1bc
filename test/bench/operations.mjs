import { mkdtempSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startServe } from '../../scripts/lib/serve-process.mjs'
import { writeOperations } from './many-operations.ts'

const RECORDS = 10_000

/** The operations list in the whole program, with ten thousand records of an earlier run. */
export async function measureOperations(browser, probe) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
  writeOperations(dataDir, 'http://127.0.0.1:1', RECORDS)
  const app = await startServe(['--demo'], dataDir)
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })).newPage()
  await page.addInitScript(probe)
  await page.goto(app.url)
  await page.getByRole('link', { name: 'Calculus II' }).waitFor()
  const opened = await page.evaluate(async (total) => {
    const { bench } = window
    bench.longest()
    const text = `${total.toLocaleString('en-US')} records`
    const act = () => (location.hash = '#/operations')
    const first = await bench.until(
      act,
      () => document.querySelector('[aria-label="Operations"] [role="gridcell"]') !== null,
    )
    const all = await bench.until(
      () => undefined,
      () => document.body.textContent.includes(text) && !document.body.textContent.includes(` of ${text}`),
    )
    return { first, all: first + all, longestOpening: bench.longest() }
  }, RECORDS)
  const scrolled = await page.evaluate(async () => {
    const { bench } = window
    const fps = await bench.scroll(document.querySelector('[role="grid"]'), 3_000)
    return { fps, longestScroll: bench.longest() }
  })
  await page.getByRole('grid').focus()
  await page.keyboard.press('Home')
  for (let n = 0; n < 30; n += 1) {
    await page.keyboard.press('ArrowDown')
    await page.waitForTimeout(100)
  }
  const longestMoving = await page.evaluate(() => window.bench.longest())
  await page.getByRole('searchbox').fill('CARD-33')
  await page.waitForTimeout(1_500)
  const longestFilter = await page.evaluate(() => window.bench.longest())
  await page.context().close()
  await app.close()
  return { records: RECORDS, ...opened, ...scrolled, longestMoving, longestFilter }
}
