import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { compareGrids } from './grids.mjs'

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

/**
 * Our tree and naive-ui's NTree (virtual scroll) on the same cards, all expanded, in the same
 * browser: first paint, scrolling, longest task; and the grids.
 */
export async function compareTrees(browser, probe, folder, count) {
  const server = createServer(async (request, response) => {
    const name = request.url === '/' ? '/index.html' : request.url
    const body = await readFile(path.join(folder, name)).catch(() => null)
    response.writeHead(body ? 200 : 404, { 'Content-Type': types[path.extname(name)] ?? 'text/plain' }).end(body ?? '')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const results = {}
  for (const [name, prepare] of [
    ['ours', 'prepareOurs'],
    ['naive', 'prepareNaive'],
  ]) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.addInitScript(probe)
    await page.goto(`http://127.0.0.1:${server.address().port}/`)
    results[name] = await page.evaluate(measure, [prepare, count])
    await page.close()
  }
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await page.addInitScript(probe)
  await page.goto(`http://127.0.0.1:${server.address().port}/`)
  const grids = await compareGrids(page, 50_000)
  await page.close()
  server.close()
  return { ...results, grids }
}

/** Runs in the page. */
async function measure([prepare, count]) {
  const { bench } = window
  const nodes = []
  const path = []
  for (let n = 0; n < count; n += 1) {
    path.length = Math.min(path.length, (n * 7) % 9)
    nodes.push({ noteid: `N${n}`, parent: path.at(-1) ?? null, title: `细胞膜 Cell membrane ${n}` })
    path.push(`N${n}`)
  }
  const mount = window[prepare](nodes)
  await new Promise((resolve) => setTimeout(resolve, 500))
  bench.longest()
  const rows = () => document.querySelectorAll('[role="treeitem"], .n-tree-node').length > 10
  const firstPaint = await bench.until(mount, rows)
  await new Promise((resolve) => setTimeout(resolve, 300))
  const longestMount = bench.longest()
  const scroller = document.querySelector('[role="tree"] .v-vl, .v-vl') ?? document.querySelector('[role="tree"]')
  const fps = await bench.scroll(scroller, 5_000)
  return { firstPaint, longestMount, fps, longestScroll: bench.longest() }
}
