// node test/bench/snapshots.mjs: snapshots of a large study set with 1,000 changed cards: how long
// building a forest, comparing two and reading the first rows takes, what one takes on disk, and
// how long the page takes to show them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { chromium } from '@playwright/test'
import '../../scripts/lib/ensure-node.mjs'
import { openSnapshotDatabase } from '../../electron/services/snapshots/snapshot-database.ts'
import { ComparedSnapshots } from '../../electron/core/snapshots/snapshot-comparison.ts'
import { SnapshotStore } from '../../electron/services/snapshots/snapshot-store.ts'
import { createSqliteTable } from '../../electron/services/snapshots/snapshot-table.ts'
import { compareSnapshots } from '../../shared/snapshots/compare.ts'
import { buildForest, getForestHash } from '../../shared/snapshots/forest.ts'
import { chromiumArgs, ensureChromium } from '../../scripts/lib/chromium.mjs'
import { startServe } from '../../scripts/lib/serve-process.mjs'
import { atRest, traced } from './traffic-page.mjs'

const ROUNDS = 5
const CHILDREN = 8
const toId = (index) => `7A3F0C1D-52B1-4E0A-9C7D-${String(index).padStart(12, '0')}`

/** A tree in preorder, of which `changes` cards all over it are renamed, dragged or reparented. */
function listCards(count, changes) {
  const children = Array.from({ length: count }, () => [])
  for (let index = 1; index < count; index += 1) children[Math.floor((index - 1) / CHILDREN)].push(index)
  const renamed = new Set()
  const step = Math.floor(count / Math.max(1, changes))
  for (let change = 0; change < changes; change += 1) {
    const index = change * step + 1
    const siblings = children[Math.floor((index - 1) / CHILDREN)]
    if (change % 4 === 1) siblings.push(...siblings.splice(siblings.indexOf(index), 1))
    else if (change % 4 === 2 && children[index].length === 0) {
      siblings.splice(siblings.indexOf(index), 1)
      children[0].push(index)
    } else renamed.add(index)
  }
  const columns = { ids: [], parentIds: [], contents: [] }
  const stack = [[0, -1]]
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    const [index, parent] = entry
    columns.ids.push(toId(index))
    columns.parentIds.push(parent < 0 ? '' : toId(parent))
    columns.contents.push(
      `{"colorIndex":${index % 13},"title":"细胞膜 Cell membrane ${index}${renamed.has(index) ? ' renamed' : ''}"}`,
    )
    for (const child of children[index].toReversed()) stack.push([child, index])
  }
  return columns
}

const median = (values) => Math.round(values.toSorted((first, second) => first - second)[values.length >> 1])

function measure(work) {
  const times = []
  let result
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now()
    result = work()
    times.push(performance.now() - begun)
  }
  return { result, ms: median(times) }
}

const toSide = (forest) => ({ forest, isWhole: true, isInTreeOrder: true, members: null })
const createInfo = (id, forest) => ({
  ...{
    id,
    topicid: 'topic',
    host: '',
    startedAt: id,
    endedAt: id,
    seenAt: id,
    cards: forest.count,
    detailed: 0,
    excerpts: null,
    palette: null,
    instance: null,
    pages: 1,
    hostCount: forest.count,
    hash: getForestHash(forest),
  },
  ...{ origin: { kind: 'place', label: null }, isRequested: true, gaps: [], isInTreeOrder: true, members: [] },
  ...{ anomalies: forest.anomalies, bytes: null },
})

function measureComparison(count) {
  const columns = [listCards(count, 0), listCards(count, 1_000)]
  const built = measure(() => buildForest(columns[1]))
  const forests = columns.map(buildForest)
  const compared = measure(() => compareSnapshots(toSide(forests[0]), toSide(forests[1])))
  const [before, after] = forests.map((forest, index) => ({ info: createInfo(index + 1, forest), forest }))
  const rows = measure(() => new ComparedSnapshots(before, after, []).readRows('tree', 0, 100))
  process.stdout.write(
    `Snapshots of ${count.toLocaleString('en')} cards, ${compared.result.changes.length} changed: comparison ${compared.ms} ms, with causes and the first rows ${rows.ms} ms; building a forest with its hashes ${built.ms} ms (medians of ${ROUNDS}).\n`,
  )
}

function measureStore(count) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
  const { database } = openSnapshotDatabase(dataDir)
  const store = new SnapshotStore(createSqliteTable(database))
  const save = (changes, time) => {
    const forest = buildForest(listCards(count, changes))
    const begun = performance.now()
    const { bytes } = store.save({ ...createInfo(time, forest), forest }, false)
    return { ms: Math.round(performance.now() - begun), kb: Math.ceil(bytes / 1024) }
  }
  const first = save(0, 1)
  const second = save(100, 2)
  const [before, after] = store.list('topic').toReversed()
  const read = measure(() => {
    store.forgetForests()
    return store.readForest(before.id)
  })
  const derived = measure(() => {
    store.forgetForests()
    store.readForest(before.id)
    return store.readForest(after.id)
  })
  store.close()
  rmSync(dataDir, { recursive: true })
  process.stdout.write(
    `Stored: the first ${first.kb} KB in ${first.ms} ms; after 100 edits ${second.kb} KB in ${second.ms} ms (bar 100 KB); the first read again ${read.ms} ms, both ${derived.ms} ms.\n`,
  )
}

/** Runs before the page: when the first part of the comparison had arrived. */
function watchComparison() {
  const { fetch: send } = window
  window.fetch = async (input, init) => {
    const body = init?.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : ''
    const response = await send(input, init)
    if (body.includes('"snapshots.compare"') && body.includes('"offset":0')) window.comparedAt = performance.now()
    return response
  }
}

/** Runs in the page. */
async function openChanges(view) {
  const { bench } = window
  const findRow = () => document.querySelector('[aria-label="Changes"] :is([role="treeitem"], [role="gridcell"])')
  const open = await bench.until(
    () => (location.hash = `#/study-sets/topic/changes?view=${view}`),
    () => findRow() !== null,
  )
  const row = performance.now() - window.comparedAt
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  return { open, row }
}

/** Stores two snapshots of each study set, the second with 1,000 changes, of an earlier run. */
export function seedSnapshots(dataDir, count, topicids) {
  const store = new SnapshotStore(createSqliteTable(openSnapshotDatabase(dataDir).database))
  const forests = [0, 1_000].map((changes) => buildForest(listCards(count, changes)))
  for (const topicid of topicids) {
    for (const forest of forests) {
      // The program removes snapshots that are too old.
      const [startedAt, endedAt] = [Date.now(), Date.now()]
      store.save({ ...createInfo(startedAt, forest), topicid, startedAt, endedAt, forest }, false)
    }
  }
  store.close()
}

async function measurePage(count) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
  seedSnapshots(dataDir, count, ['topic'])
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs })
  const app = await startServe(['--demo'], dataDir)
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })
    await context.addInitScript(readFileSync(new URL('./page-probe.js', import.meta.url), 'utf8'))
    await context.addInitScript(watchComparison)
    const page = await atRest(await context.newPage(), app.url)
    const openOnce = async (view) => {
      const times = await page.evaluate(openChanges, view)
      await page.evaluate(() => (location.hash = '#/library'))
      await page.waitForTimeout(500)
      return times
    }
    const cold = await openOnce('tree')
    for (const view of ['tree', 'list']) {
      const rows = []
      for (let round = 0; round < ROUNDS; round += 1) rows.push((await openOnce(view)).row)
      const { longest } = await traced(browser, page, () => openOnce(view))
      process.stdout.write(
        `On the page, as a ${view}: first row ${median(rows)} ms after the comparison (bar 100 ms), longest task ${Math.round(longest)} ms of processor (bar 50 ms).\n`,
      )
    }
    process.stdout.write(`Opened for the first time, with reading both snapshots: ${Math.round(cold.open)} ms.\n`)
  } finally {
    await app.close()
    await browser.close()
  }
}

if (process.argv[1] === import.meta.filename) {
  measureComparison(200_000)
  measureComparison(1_000_000)
  measureStore(200_000)
  await measurePage(200_000)
}
