import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { setAllExpanded } from '../../renderer/model/tree/expansion.ts'
import { Forest } from '../../renderer/model/tree/forest.ts'
import { TreeReader } from '../../renderer/model/tree/tree-reader.ts'
import { computeVisibleRows } from '../../renderer/model/tree/tree-rows.ts'
import { waitForIdle, ExpandedRowsCache } from '../../renderer/stores/tree-idle.ts'

/** What waits for the page to rest, and how much time each is given. */
const waiting: IdleRequestCallback[] = []
const rest = (left: number): void => {
  for (const callback of waiting.splice(0)) callback({ didTimeout: false, timeRemaining: () => left })
}
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

let now = 0
beforeEach(() => {
  now = 0
  waiting.length = 0
  vi.stubGlobal('requestIdleCallback', (callback: IdleRequestCallback) => waiting.push(callback))
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const CARDS = 120_000

/** Every tenth card has the nine after it below it. */
function largeForest(): Forest {
  const forest = new Forest()
  const nodes = Array.from({ length: CARDS }, (_, n) => ({
    noteid: String(n),
    parent: n % 10 === 0 ? null : String(n - (n % 10)),
  }))
  forest.appendChunk(new TreeReader().addNodes(nodes))
  forest.finishLoading(true)
  return forest
}

test('the rows of a large expanded tree are computed while the page is idle', async () => {
  const forest = largeForest()
  const cache = new ExpandedRowsCache()
  const prepared = cache.prepare(forest)
  setAllExpanded(forest, true)
  let parts = 0
  for (; cache.get(forest) === null; parts += 1) {
    await turn()
    expect(waiting.length).toBe(1)
    rest(50)
    await turn()
  }
  await prepared
  expect(parts).toBeGreaterThan(1)
  const expected = computeVisibleRows(forest, null)
  const rows = cache.get(forest)
  expect(rows?.length).toBe(expected.length)
  for (const column of ['nodes', 'depths', 'positions'] as const) {
    expect(rows?.[column]).toEqual(expected[column].subarray(0, expected.length))
  }
  // Asked for twice, they are drawn twice.
  expect(cache.get(forest)).not.toBe(rows)
  forest.expanded[CARDS - 10] = 0
  expect(cache.get(forest)).toBeNull()
})

test('cached rows are not returned for a changed forest or another one', async () => {
  const forest = largeForest()
  setAllExpanded(forest, true)
  const cache = new ExpandedRowsCache()
  const first = cache.prepare(forest)
  cache.clear()
  const second = cache.prepare(forest)
  while (waiting.length > 0) {
    rest(50)
    await turn()
  }
  await Promise.all([first, second])
  expect(cache.get(forest)?.length).toBe(CARDS)
  expect(cache.get(new Forest())).toBeNull()
  cache.clear()
  expect(cache.get(forest)).toBeNull()
})

test('a small tree is not prepared', async () => {
  const cache = new ExpandedRowsCache()
  await cache.prepare(new Forest())
  expect(waiting.length).toBe(0)
})

test('idle work continues when no frame is due, or after a while', async () => {
  let rests = 0
  void waitForIdle().then(() => (rests += 1))
  rest(8)
  await turn()
  expect([rests, waiting.length]).toEqual([0, 1])
  rest(49)
  await turn()
  expect([rests, waiting.length]).toEqual([1, 0])
  void waitForIdle().then(() => (rests += 1))
  now = 1_000
  rest(8)
  await turn()
  expect([rests, waiting.length]).toEqual([2, 0])
})

test('a hidden page counts as idle', async () => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  await waitForIdle()
  expect(waiting.length).toBe(0)
})
