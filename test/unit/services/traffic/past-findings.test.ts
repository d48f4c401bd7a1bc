import { expect, onTestFinished, test } from 'vitest'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { addAll, createBody, openDiskStore, createEntry } from '../../../support/services/traffic.ts'

const origin = { kind: 'recorded' as const, label: 'curl' }
const tree = { template: '/study-sets/{topicid}/tree', endpoint: 'studySets.tree', origin }
const createPage = (
  startedAt: number,
  cursor: string | null,
  nextCursor: string | null,
  row: Partial<ExchangeRow> = {},
) =>
  createEntry({
    row: { ...tree, path: `/study-sets/T-1/tree${cursor === null ? '' : `?cursor=${cursor}`}`, startedAt, ...row },
    response: createBody(JSON.stringify({ nodes: [], nextCursor })),
  })
const createHeartbeat = (startedAt: number, row: Partial<ExchangeRow> = {}) =>
  createEntry({ row: { origin: { kind: 'heartbeat', label: null }, startedAt, ...row } })
const createBadLimitEntry = (startedAt: number) =>
  createEntry({ row: { ...tree, path: '/study-sets/T-1/tree?limit=0', startedAt } })

/** Returns the findings of a later run in these exchanges, which no earlier run has judged. */
async function judgeInLaterRun(entries: Parameters<typeof addAll>[1]) {
  const dataDir = createTempDir()
  const before = openDiskStore(dataDir)
  addAll(before, entries)
  before.database.exec('DELETE FROM findings')
  before.store.close()
  const laterStore = openDiskStore(dataDir)
  onTestFinished(() => laterStore.store.close())
  const judged = await laterStore.store.judge.judgeEarlierRuns(laterStore.store.reader)
  const last = laterStore.findings.at(-1)
  return { ...laterStore, judged, rules: last?.kind === 'all' ? last.findings.map(({ id }) => id) : [] }
}

test('exchanges of earlier runs are judged on request in order of time, and the findings are stored', async () => {
  const { judged, rules, store, findings } = await judgeInLaterRun([
    createBadLimitEntry(1_000),
    createPage(5_000, null, 'c1'),
    createHeartbeat(60_000),
  ])
  expect(judged).toEqual({ judged: 3, left: 0 })
  expect(rules).toEqual(['parameter-out-of-range:1:limit', 'paging-stopped:2'])
  const findingCount = findings.length
  expect(await store.judge.judgeEarlierRuns(store.reader)).toEqual(judged)
  expect(findings).toHaveLength(findingCount)
})

test('nothing is found if a missing request may be unrecorded: another run, removed exchanges, a long pause', async () => {
  const listing = createPage(5_000, null, 'c1', { epoch: 7 })
  expect((await judgeInLaterRun([listing, createHeartbeat(60_000, { epoch: 1 })])).rules).toEqual([])
  expect((await judgeInLaterRun([createPage(5_000, null, 'c1'), createHeartbeat(900_000)])).rules).toEqual([])
  expect((await judgeInLaterRun([createPage(5_000, null, 'c1')])).rules).toEqual([])
})

test('a request that is still under way counts as sent', async () => {
  const slow = createPage(6_000, 'c1', null, { durationMs: 70_000 })
  expect(
    (await judgeInLaterRun([createPage(5_000, null, 'c1'), createHeartbeat(60_000), slow, createHeartbeat(90_000)]))
      .rules,
  ).toEqual([])
})

test('a damaged body affects only its own findings', async () => {
  const dataDir = createTempDir()
  const before = openDiskStore(dataDir)
  addAll(before, [createPage(5_000, null, 'c1'), createBadLimitEntry(6_000), createHeartbeat(60_000)])
  before.database.exec("DELETE FROM findings; UPDATE parts SET coding = 1, bytes = x'00ff'")
  before.store.close()
  const laterStore = openDiskStore(dataDir)
  onTestFinished(() => laterStore.store.close())
  await laterStore.store.judge.judgeEarlierRuns(laterStore.store.reader)
  expect(laterStore.findings.at(-1)).toMatchObject({ findings: [{ rule: 'parameter-out-of-range' }] })
})
