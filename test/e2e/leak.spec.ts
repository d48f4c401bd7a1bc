import type { Page } from '@playwright/test'
import { pickRunCount } from '../support/data/run-count.ts'
import { expect, test } from './fixtures.ts'
import { waitForConnection, go, openTree } from './support.ts'

// On a fast machine the rounds visit a place more than four times a second.
test.use({ breaks: ['read-burst'] })

/** Megabytes of JavaScript heap, listeners and nodes after a collection. */
async function measureHeap(page: Page): Promise<{ heap: number; nodes: number; listeners: number }> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  const counters = await session.send('Memory.getDOMCounters')
  await session.detach()
  return { heap: usedSize / 1_048_576, nodes: counters.nodes, listeners: counters.jsEventListeners }
}

test('safety 46: repeated visits to all places leak no memory, nodes or listeners @long', async ({ app, page }) => {
  test.skip(app.mode === 'electron', 'the same page; the protocol of the driver is only there in the browser')
  test.setTimeout(180_000)
  await waitForConnection(page)
  await openTree(page, /系统解剖学/)
  const tree = new URL(page.url()).hash
  const runRound = async (): Promise<void> => {
    await go(page, tree)
    await expect(page.getByRole('treeitem').first()).toBeVisible()
    await page.getByRole('treeitem').nth(3).click()
    await go(page, tree.replace('/tree', '/palette').replace(/\?.*/, ''))
    await expect(page.getByRole('row').first()).toBeVisible()
    await go(page, '#/library')
    await expect(page.getByRole('grid', { name: 'Study sets' })).toBeVisible()
    await go(page, '#/settings')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  for (let n = 0; n < 6; n += 1) await runRound()
  const before = await measureHeap(page)
  for (let n = 0; n < pickRunCount(12, 200); n += 1) await runRound()
  const after = await measureHeap(page)
  expect(after.heap - before.heap).toBeLessThan(6)
  expect(after.nodes).toBeLessThan(before.nodes * 1.5 + 500)
  expect(after.listeners).toBeLessThan(before.listeners * 1.5 + 200)
})
