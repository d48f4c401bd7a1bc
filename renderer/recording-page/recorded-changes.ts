// Finds what changed in the library between two recorded snapshots, and by which calls.

import { resolveRecordedRow } from '../../electron/services/bridge/client/request-row.ts'
import { canChangeData, findDataChange } from '../../electron/services/operations/outcome/data-effect.ts'
import { readSnapshotLines } from '../../electron/core/snapshots/snapshot-document.ts'
import { ComparedSnapshots } from '../../electron/core/snapshots/snapshot-comparison.ts'
import { capabilitiesSchema, type Capabilities } from '../../shared/bridge/resources/state.ts'
import type { SnapshotComparison } from '../../shared/ipc/snapshots.ts'
import { inspectJson } from '../../shared/json/inspection.ts'
import { hasLeftForHost } from '../../shared/panel/panel.ts'
import type { ExchangeDetail } from '../../shared/traffic/exchange.ts'
import {
  getSpanBetween,
  selectWritesTo,
  selectWritesWithin,
  toRecordedWrite,
  type HostWrite,
} from '../../shared/snapshots/cause.ts'
import { buildForest } from '../../shared/snapshots/forest.ts'
import type { SnapshotInfo } from '../../shared/snapshots/snapshot.ts'
import type { RecordedPage } from './recorded-page.ts'

/** Values are not looked for in longer bodies. */
const MAX_BODY_BYTES = 262_144
/** Further rows are only counted. */
const MAX_ROWS = 20_000
/** Calls to the further routes of a host may change anything. */
const MAX_ROUTES = 2_000

/** Two snapshots of a study set by their numbers in the file. */
export interface SnapshotPair {
  readonly before: number
  readonly after: number
}

/** The oldest with the newest of each study set of a host, and then each with the next one. */
export function listSnapshotPairs(infos: readonly SnapshotInfo[]): SnapshotPair[] {
  const numbers = infos.map((_, index) => index).sort((a, b) => (infos[a]?.endedAt ?? 0) - (infos[b]?.endedAt ?? 0))
  const ofSets = Map.groupBy(numbers, (index) => `${infos[index]?.host} ${infos[index]?.topicid}`)
  return [...ofSets.values()].flatMap((list) => {
    const steps = list.slice(1).map((after, index) => ({ before: list[index] ?? after, after }))
    const ends = { before: list[0] ?? 0, after: list.at(-1) ?? 0 }
    return steps.length > 1 ? [ends, ...steps] : steps
  })
}

export async function compareRecordedSnapshots(
  page: RecordedPage,
  { before, after }: SnapshotPair,
): Promise<SnapshotComparison> {
  const lines = page.reader.readLines('snapshots')
  const documents = await readSnapshotLines(lines, (index) => index === before || index === after)
  const snapshots = documents.map((document) => ({ info: document.info, forest: buildForest(document) }))
  const [older, newer] = before < after ? snapshots : snapshots.toReversed()
  if (!older || !newer) throw new Error('A snapshot that was listed is not in the recording.')
  const allWrites = writesByPage.get(page) ?? listWrites(page)
  writesByPage.set(page, allWrites)
  const writes = selectWritesWithin(await allWrites, ...getSpanBetween(older.info, newer.info))
  const compared = new ComparedSnapshots(older, newer, selectWritesTo([older.info.host, newer.info.host], writes))
  return compared.readRows('tree', 0, MAX_ROWS)
}

/** The same for every pair of snapshots of a recording, which does not change. */
const writesByPage = new WeakMap<RecordedPage, Promise<HostWrite[]>>()

/** The calls that may have changed cards, the oldest first. No watched command changes any. */
async function listWrites(page: RecordedPage): Promise<HostWrite[]> {
  const routes = await readRoutes(page)
  const writes: HostWrite[] = []
  for (const { row, request, response } of page.exchanges.values()) {
    const endpoint = resolveRecordedRow(row, routes.get(row.host) ?? null)
    if (!hasLeftForHost(row) || !canChangeData(endpoint)) continue
    const body = endpoint.isUpload ? null : await readJson(page, request)
    const change = findDataChange({
      ...row,
      endpoint,
      pathOverride: undefined,
      durationMs: row.durationMs ?? 0,
      isComplete: row.state === 'answered',
      isSent: true,
      body,
      response: await readJson(page, response),
    })
    const write = change && toRecordedWrite(change, row.startedAt, body)
    if (write) writes.push({ ...write, host: row.host })
  }
  return writes.sort((first, second) => first.endedAt - second.endedAt)
}

/** The routes that each host listed, by its address: the last ones that can be read. */
async function readRoutes(page: RecordedPage): Promise<Map<string, Capabilities>> {
  const routes = new Map<string, Capabilities>()
  const listings = Array.from(page.exchanges.values()).filter(
    ({ row }) => row.endpoint === 'capabilities.get' && row.status === 200 && row.rule === null,
  )
  for (const { row, response } of listings.toReversed()) {
    if (routes.has(row.host)) continue
    const { data } = capabilitiesSchema.safeParse(await readJson(page, response))
    if (data) routes.set(row.host, { ...data, routes: data.routes.slice(0, MAX_ROUTES) })
  }
  return routes
}

/** Null if not all of a body can be read, undefined if there was none. */
async function readJson({ reader }: RecordedPage, part: ExchangeDetail['request']): Promise<unknown> {
  const { hash, kept, total, missing } = part
  if (total === 0) return undefined
  if (hash === null || missing !== null || kept > MAX_BODY_BYTES || !reader.hasBody(hash)) return null
  return inspectJson(await reader.readBody(hash)).value
}
