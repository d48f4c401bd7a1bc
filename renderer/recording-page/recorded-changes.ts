// What changed in the library from one recorded snapshot to another, and which calls did it.

import {
  findDataChange,
  canChangeData,
  findCommandChange,
} from '../../electron/services/operations/outcome/data-effect.ts'
import { readSnapshotLines } from '../../electron/core/snapshots/snapshot-document.ts'
import { ComparedSnapshots } from '../../electron/core/snapshots/snapshot-comparison.ts'
import { findEndpointById } from '../../shared/bridge/endpoints/index.ts'
import { findCommandRow } from '../../shared/bridge/listed-row.ts'
import { isUnfinished } from '../../shared/ipc/operations.ts'
import type { SnapshotComparison } from '../../shared/ipc/snapshots.ts'
import { inspectJson } from '../../shared/json/inspection.ts'
import { parseBodyText } from '../../shared/operations/prepared-write.ts'
import type { ExchangeDetail } from '../../shared/traffic/exchange.ts'
import { toRecordedWrite, type RecordedWrite } from '../../shared/snapshots/cause.ts'
import { buildForest } from '../../shared/snapshots/forest.ts'
import type { SnapshotInfo } from '../../shared/snapshots/snapshot.ts'
import type { RecordedPage } from './recorded-page.ts'

/** Values are not looked for in longer bodies. */
const MAX_BODY_BYTES = 262_144
/** Further rows are only counted. */
const MAX_ROWS = 20_000

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
  const writes = (await listWrites(page)).filter(
    ({ startedAt, endedAt }) => endedAt >= older.info.startedAt && startedAt <= newer.info.endedAt,
  )
  return new ComparedSnapshots(older, newer, writes).readRows('tree', 0, MAX_ROWS)
}

/** The calls that may have changed cards, the oldest first. */
async function listWrites(page: RecordedPage): Promise<RecordedWrite[]> {
  const writes: (RecordedWrite | null)[] = []
  for (const detail of page.exchanges.values()) writes.push(await toWrite(page, detail))
  for (const { summary, method, path, body } of page.operations) {
    const row = findCommandRow(summary.endpoint)
    if (!row || isUnfinished(summary)) continue
    const kind = summary.origin === 'recorded' ? 'recorded' : summary.caller === 'console' ? 'console' : 'write'
    const origin = { kind, label: kind === 'recorded' ? summary.caller : summary.id } as const
    const cause = { exchangeId: null, origin, endpoint: summary.endpoint, method, path }
    const sentBody = parseBodyText(body)
    const change = findCommandChange(row, { at: summary.updatedAt, cause, body: sentBody })
    writes.push(change && toRecordedWrite(change, change.at, sentBody))
  }
  return writes.filter((write) => write !== null).sort((first, second) => first.endedAt - second.endedAt)
}

async function toWrite(page: RecordedPage, detail: ExchangeDetail): Promise<RecordedWrite | null> {
  const { row, request, response, requestHeaders } = detail
  const endpoint = findEndpointById(row.endpoint ?? '')
  if (!endpoint || !canChangeData(endpoint)) return null
  const body = await readJson(page, request)
  const change = findDataChange({
    id: row.id,
    endpoint,
    origin: row.origin,
    method: row.method,
    path: row.path,
    pathOverride: undefined,
    startedAt: row.startedAt,
    durationMs: row.durationMs ?? 0,
    status: row.status,
    isComplete: row.state === 'answered',
    isSent: requestHeaders.length > 0,
    body,
    response: await readJson(page, response),
  })
  return change && toRecordedWrite(change, row.startedAt, body)
}

async function readJson({ reader }: RecordedPage, { hash, kept }: ExchangeDetail['request']): Promise<unknown> {
  if (hash === null || !reader.hasBody(hash)) return undefined
  return kept > MAX_BODY_BYTES ? null : inspectJson(await reader.readBody(hash)).value
}
