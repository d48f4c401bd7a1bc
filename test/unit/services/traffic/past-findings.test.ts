import { expect, onTestFinished, test } from 'vitest'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { addAll, createBody, openDiskStore, createEntry } from '../../../support/services/traffic.ts'

const origin = { kind: 'recorded' as const, label: 'curl' }
const tree = { template: '/study-sets/{topicid}/tree', endpoint: 'studySets.tree', origin }
const page = (startedAt: number, cursor: string | null, nextCursor: string | null, row: Partial<ExchangeRow> = {}) =>
  createEntry({
    row: { ...tree, path: `/study-sets/T-1/tree${cursor === null ? '' : `?cursor=${cursor}`}`, startedAt, ...row },
    response: createBody(JSON.stringify({ nodes: [], nextCursor })),
  })
const beat = (startedAt: number, row: Partial<ExchangeRow> = {}) =>
  createEntry({ row: { origin: { kind: 'heartbeat', label: null }, startedAt, ...row } })
const tooMany = (startedAt: number) =>
  createEntry({ row: { ...tree, path: '/study-sets/T-1/tree?limit=0', startedAt } })

/** What a later run finds in these exchanges, which were kept before anybody judged them. */
async function foundLater(entries: Parameters<typeof addAll>[1]) {
  const dataDir = createTempDir()
  const before = openDiskStore(dataDir)
  addAll(before, entries)
  before.database.exec('DELETE FROM findings')
  before.store.close()
  const now = openDiskStore(dataDir)
  onTestFinished(() => now.store.close())
  const judged = await now.store.judge.judgeEarlierRuns(now.store.reader)
  const last = now.findings.at(-1)
  return { ...now, judged, rules: last?.kind === 'all' ? last.findings.map(({ id }) => id) : [] }
}

test('what earlier runs kept is judged on request, in order of time, and kept', async () => {
  const { judged, rules, store, findings } = await foundLater([tooMany(1_000), page(5_000, null, 'c1'), beat(60_000)])
  expect(judged).toEqual({ judged: 3, left: 0 })
  expect(rules).toEqual(['parameter-out-of-range:1:limit', 'paging-stopped:2'])
  const told = findings.length
  expect(await store.judge.judgeEarlierRuns(store.reader)).toEqual(judged)
  expect(findings).toHaveLength(told)
})

test('nothing is told of what may have followed unrecorded: another run, exchanges that were removed, a long pause', async () => {
  const listing = page(5_000, null, 'c1', { epoch: 7 })
  expect((await foundLater([listing, beat(60_000, { epoch: 1 })])).rules).toEqual([])
  expect((await foundLater([page(5_000, null, 'c1'), beat(900_000)])).rules).toEqual([])
  expect((await foundLater([page(5_000, null, 'c1')])).rules).toEqual([])
})

test('what was still being read counts as under way', async () => {
  const slow = page(6_000, 'c1', null, { durationMs: 70_000 })
  expect((await foundLater([page(5_000, null, 'c1'), beat(60_000), slow, beat(90_000)])).rules).toEqual([])
})

test('a damaged body costs its findings only', async () => {
  const dataDir = createTempDir()
  const before = openDiskStore(dataDir)
  addAll(before, [page(5_000, null, 'c1'), tooMany(6_000), beat(60_000)])
  before.database.exec("DELETE FROM findings; UPDATE parts SET coding = 1, bytes = x'00ff'")
  before.store.close()
  const now = openDiskStore(dataDir)
  onTestFinished(() => now.store.close())
  await now.store.judge.judgeEarlierRuns(now.store.reader)
  expect(now.findings.at(-1)).toMatchObject({ findings: [{ rule: 'parameter-out-of-range' }] })
})
