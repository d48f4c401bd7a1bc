import { startDemoHost } from '../../electron/demo-host/server.ts'
import { startServe } from '../../scripts/lib/serve-process.mjs'
import { heapOf } from './heap.mjs'

const PARTS = 500

/**
 * A page of 500 handwriting images in the whole program: the strip scrolled from end to end in 5 s.
 */
export async function measureStrip(browser, probe, tokenFile, token) {
  const host = await startDemoHost({ nodes: 10, token })
  const [book] = host.state.library.books.values()
  book.pages[0].parts = Array.from({ length: PARTS }, (_, n) => ({
    contentId: `strip-${n}`,
    kind: 'ink',
    mimeType: 'image/png',
    width: 700,
    height: 350,
    seed: n + 1,
  }))
  const app = await startServe(['--base-url', host.baseUrl, '--token-file', tokenFile])
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })).newPage()
  await page.addInitScript(probe)
  await page.goto(app.url)
  await page.getByRole('link', { name: 'Calculus II' }).waitFor()
  await page.evaluate((hash) => (location.hash = hash), `#/documents/${book.bookmd5}/pages/1`)
  const strip = page.getByRole('listbox', { name: 'Page images' })
  await strip.getByRole('option').first().waitFor()
  await page.waitForTimeout(2_000)
  const countRequests = () => host.log.filter(({ path }) => path.includes('/content/strip-')).length
  const atRest = countRequests()
  const before = await heapOf(page)
  const { fps, longest } = await page.evaluate(async () => {
    const { bench } = window
    const element = document.querySelector('[role="listbox"]')
    bench.longest()
    const started = performance.now()
    let frames = 0
    for (let part = 0; part < 1; part = (performance.now() - started) / 5_000) {
      element.scrollLeft = part * (element.scrollWidth - element.clientWidth)
      frames += 1
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    return { fps: frames / 5, longest: bench.longest() }
  })
  await page.waitForTimeout(1_500)
  const result = { parts: PARTS, atRest, asked: countRequests(), fps, longest, heap: (await heapOf(page)) - before }
  await page.context().close()
  await app.close()
  await host.close()
  return result
}
