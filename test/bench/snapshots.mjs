// node test/bench/snapshots.mjs: snapshots of a large study set with 1,000 changed cards: how long
// building a forest, comparing two and reading the first rows takes, and what one takes on disk.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import '../../scripts/lib/ensure-node.mjs'
import { openSnapshotDatabase } from '../../electron/services/snapshots/snapshot-database.ts'
import { ComparedSnapshots } from '../../electron/services/snapshots/snapshot-comparison.ts'
import { SnapshotStore } from '../../electron/services/snapshots/snapshot-store.ts'
import { createSqliteTable } from '../../electron/services/snapshots/snapshot-table.ts'
import { compareSnapshots } from '../../shared/snapshots/compare.ts'
import { buildForest } from '../../shared/snapshots/forest.ts'

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

function measure(work) {
  const times = []
  let result
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now()
    result = work()
    times.push(performance.now() - begun)
  }
  return { result, ms: Math.round(times.toSorted((first, second) => first - second)[Math.floor(ROUNDS / 2)]) }
}

const toSide = (forest) => ({ forest, isWhole: true, isInTreeOrder: true, members: null })
const createInfo = (id, { count, anomalies }) => ({
  ...{
    id,
    topicid: 'topic',
    host: '',
    startedAt: id,
    endedAt: id,
    seenAt: id,
    cards: count,
    detailed: 0,
    excerpts: null,
    palette: null,
    instance: null,
    pages: 1,
    hostCount: count,
  },
  ...{ origin: { kind: 'place', label: null }, isRequested: true, gaps: [], isInTreeOrder: true, members: [] },
  ...{ anomalies, bytes: null },
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
  const begun = performance.now()
  store.forgetForests()
  store.readForest(store.find('topic', 'now').id)
  const readMs = Math.round(performance.now() - begun)
  store.close()
  rmSync(dataDir, { recursive: true })
  process.stdout.write(
    `Stored: the first ${first.kb} KB in ${first.ms} ms; after 100 edits ${second.kb} KB in ${second.ms} ms (bar 100 KB); read again ${readMs} ms.\n`,
  )
}

measureComparison(200_000)
measureComparison(1_000_000)
measureStore(200_000)
