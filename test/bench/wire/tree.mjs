import { heapOf } from '../heap.mjs'
import { loadOnce, startBuild, summary } from './load.mjs'
import { measureFloor } from '../floor.mjs'
import { startHost } from './start-host.mjs'

/** How long the slow host takes for a page. */
const SLOW_MS = 40

/**
 * Measures one generated study set in the whole program: page, worker, browser host and its client.
 */
export async function measureTree({ nodes, rounds, token, ...rest }) {
  const host = await startHost(nodes, token)
  const build = await startBuild({ ...rest, host })
  const { page } = build
  const empty = await heapOf(page)
  const runs = []
  // The floor is measured next to each opening, so that both run under the same conditions. The
  // first is to warm up.
  for (let round = 0; round <= rounds; round += 1) {
    const floor = await measureFloor(host.baseUrl, token, host.topicid)
    const load = await loadOnce(build, host.topicid, nodes)
    if (round > 0) runs.push({ floor, ...load })
  }
  const heap = await heapOf(page)
  const used = await use(page, nodes)
  const slow = nodes > 500_000 ? null : await measureSlow(build, host, token, nodes)
  await build.close()
  host.stop()
  return { nodes, ...summary(runs), heapPerCard: (heap - empty) / nodes, ...used, slow }
}

/**
 * A host that takes its time for each page: what the program adds to that, and when the host may
 * stop after a cancel.
 */
async function measureSlow(build, host, token, nodes) {
  await host.delay(SLOW_MS)
  const floor = await measureFloor(host.baseUrl, token, host.topicid)
  const { all } = await loadOnce(build, host.topicid, nodes)
  // Long enough for the cancel to come in the middle of it.
  await host.delay(60_000)
  const { page } = build
  await page.evaluate(() => document.querySelector('[aria-label="Reload"]').click())
  const cancel = page.getByRole('button', { name: 'Cancel' })
  await cancel.waitFor()
  while ((await host.counts()).open === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  const clickedAt = await page.evaluate(() => {
    const timestamp = Date.now()
    const buttons = [...document.querySelectorAll('button')]
    buttons.find((button) => button.textContent.trim() === 'Cancel').click()
    return timestamp
  })
  let counts = await host.counts()
  while (counts.open > 0) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    counts = await host.counts()
  }
  await host.delay(0)
  return { delayMs: SLOW_MS, ratio: all / floor.all, cancelMs: Math.max(0, counts.endedAt - clickedAt) }
}

/** Expands all, scrolls from top to bottom in 5 s, and filters. */
async function use(page, nodes) {
  return page.evaluate(async (total) => {
    const { bench } = window
    const scroller = document.querySelector('[role="tree"]')
    const findExpandAll = () =>
      [...document.querySelectorAll('[role="menuitem"]')].find(({ textContent }) => textContent.trim() === 'Expand all')
    document.querySelector('[aria-label="Expand to level"]').click()
    await bench.until(
      () => undefined,
      () => findExpandAll() !== undefined,
    )
    bench.longest()
    const height = () => scroller.scrollHeight
    const before = height()
    const expandAll = await bench.until(
      () => findExpandAll().click(),
      () => height() > before,
    )
    const longestExpand = bench.longest()
    const fps = await bench.scroll(scroller, 5_000)
    const longestScroll = bench.longest()
    const names = [...document.querySelectorAll('[role="treeitem"]')].map((row) => row.getAttribute('aria-label') ?? '')
    const field = document.querySelector('input[type="search"]')
    const filter = await bench.until(
      () => {
        field.value = '细胞膜'
        field.dispatchEvent(new Event('input', { bubbles: true }))
      },
      () => document.querySelector('[role="treeitem"] mark') !== null,
    )
    return {
      expandAll,
      longestExpand,
      fps,
      longestScroll,
      filter,
      longestFilter: bench.longest(),
      reachedEnd: names.some((name) => name.endsWith(String(total))),
    }
  }, nodes)
}
