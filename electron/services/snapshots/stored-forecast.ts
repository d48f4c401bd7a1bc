import type { IpcInput, IpcOutput } from '../../../shared/ipc/index.ts'
import { MAX_FORECAST_ROWS } from '../../../shared/ipc/snapshots.ts'
import { checkForecast } from '../../../shared/snapshots/forecast-check.ts'
import { findIndexes } from '../../../shared/snapshots/forecast-card.ts'
import { forecastWrite, hasForecast, listForecastIds, mayChangeCards } from '../../../shared/snapshots/forecast.ts'
import type { Forest } from '../../../shared/snapshots/forest.ts'
import type { SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import { toSide } from './snapshot-comparison.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** A write names cards but no study set, so the newest snapshots of this many are searched. */
const MAX_SEARCHED_SETS = 10

/** Tries a write on the newest snapshot that has its cards, and compares the next one with it. */
export function forecastFromStore(
  store: SnapshotStore,
  { host, span, ...request }: IpcInput<'snapshots.forecast'>,
): IpcOutput<'snapshots.forecast'> {
  const ids = listForecastIds(request)
  if (!mayChangeCards(request.endpoint)) return { outcome: 'none' }
  if (ids === null || !hasForecast(request.endpoint)) return { outcome: 'silent' }
  if (ids.length === 0) return { outcome: 'none' }
  const snapshots = store.list().filter((info) => withoutSlash(info.host) === withoutSlash(host))
  const basis = findBasis(store, snapshots, ids, span?.startedAt ?? Infinity)
  if (!basis) return { outcome: 'noSnapshot' }
  const { info, forest } = basis
  const forecast = forecastWrite(request, forest)
  if (!forecast) return { outcome: 'silent' }
  const later = span ? findLater(snapshots, info, span.endedAt) : null
  const check = later && checkForecast(forecast, forest, toSide({ info: later, forest: store.readForest(later.id) }))
  return {
    outcome: 'forecast',
    basis: info,
    unchanged: forecast.unchanged,
    missing: forecast.missing,
    cards: forecast.cards.slice(0, MAX_FORECAST_ROWS),
    cardCount: forecast.cards.length,
    check: check && {
      snapshot: later,
      confirmed: check.confirmed,
      unchecked: check.unchecked,
      differences: check.differences.slice(0, MAX_FORECAST_ROWS),
      differenceCount: check.differences.length,
    },
  }
}

const withoutSlash = (address: string): string => address.replace(/\/$/, '')

/** @param snapshots the newest first */
function findBasis(
  store: SnapshotStore,
  snapshots: readonly SnapshotInfo[],
  ids: readonly string[],
  before: number,
): { info: SnapshotInfo; forest: Forest } | null {
  const newestByTopic = new Map<string, SnapshotInfo>()
  for (const info of snapshots) {
    if (info.endedAt <= before && !newestByTopic.has(info.topicid)) newestByTopic.set(info.topicid, info)
  }
  for (const info of [...newestByTopic.values()].slice(0, MAX_SEARCHED_SETS)) {
    const forest = store.readForest(info.id)
    if (findIndexes(forest, ids).size > 0) return { info, forest }
  }
  return null
}

/** The first snapshot of the same study set that was read wholly after the write. */
function findLater(snapshots: readonly SnapshotInfo[], basis: SnapshotInfo, endedAt: number): SnapshotInfo | null {
  const later = snapshots.findLast(({ topicid, startedAt }) => topicid === basis.topicid && startedAt >= endedAt)
  if (later) return later
  // A listing that equals the newest snapshot makes no new one: that was seen again.
  const isSeenAfter = basis.seenAt - (basis.endedAt - basis.startedAt) > endedAt
  return isSeenAfter ? basis : null
}
