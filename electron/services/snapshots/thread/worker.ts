// Runs the store of snapshots in a thread, because a listing of 200,000 cards takes seconds to
// parse, hash and store. The store is in ../snapshot-store.ts.
import { parentPort, workerData } from 'node:worker_threads'
import { createRefusedError } from '../../../../shared/errors.ts'
import type { IpcInput, IpcPayload, IpcOutput } from '../../../../shared/ipc/index.ts'
import { formatSnapshotDocument } from '../../../core/snapshots/snapshot-document.ts'
import type { SnapshotGap, SnapshotInfo } from '../../../../shared/snapshots/snapshot.ts'
import { HandedOver } from '../../../../shared/workers/worker-methods.ts'
import { readEntrySync, type EntryPlace } from '../../../recording-file/zip-file.ts'
import { trySetPriority } from '../../../system/thread-priority.ts'
import { createTopicSender, serveThread } from '../../../system/worker-thread.ts'
import { TokenMask } from '../../mask/mask.ts'
import type { NewNotice } from '../../notices.ts'
import { ListingCollector, type ObservedPage, type ReadListing } from '../listing-collector.ts'
import { ComparedSnapshots, toSide } from '../../../core/snapshots/snapshot-comparison.ts'
import { openSnapshotDatabase } from '../snapshot-database.ts'
import { TakenListing, type AddedResponse } from '../taken-listing.ts'
import { SnapshotStore, type SnapshotBounds } from '../snapshot-store.ts'
import { createMemoryTable, createSqliteTable } from '../snapshot-table.ts'
import { MAX_FORECAST_ROWS } from '../../../../shared/ipc/snapshots.ts'
import { checkForecast } from '../../../../shared/snapshots/forecast-check.ts'
import { hostWriteSchema, type HostWrite } from '../../../../shared/snapshots/cause.ts'
import { findIndexes } from '../../../../shared/snapshots/forecast-card.ts'
import { forecastWrite, hasForecast, listForecastIds, mayChangeCards } from '../../../../shared/snapshots/forecast.ts'
import type { Forest } from '../../../../shared/snapshots/forest.ts'

/** A write names cards but no study set, so the newest snapshots of this many are searched. */
const MAX_SEARCHED_SETS = 10

/** Tries a write on the newest snapshot that has its cards, and compares the next one with it. */
function forecastFromStore(
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

export interface SnapshotThreadData {
  /** Null if nothing is stored on disk. */
  readonly dataDir: string | null
}

export interface SnapshotTopics {
  noticed: readonly NewNotice[]
  /** The study set whose snapshots changed; null for all. */
  changed: string | null
  progress: IpcPayload<'snapshots.progress'>
  /** The number of bytes of a page whose memory is free again. */
  freed: number
}

/** The bytes may hold the token, and are masked before anything else. */
interface PageOrder {
  readonly page: ObservedPage & { readonly bytes: Uint8Array<ArrayBuffer> }
  /** Place of the bytes in an open recording, if they are not in the page. */
  readonly place?: EntryPlace | undefined
  readonly token: string | null
  readonly isRequested: boolean
}

/** More about the cards of a listing that the user asked for. */
interface AdditionOrder {
  readonly caller: string
  readonly response: AddedResponse
  readonly token: string | null
}

/** Delay after the last order until old snapshots are removed, and until memory is freed. */
const TRIM_AFTER_MS = 1_000
const FORGET_AFTER_MS = 60_000
/** Maximum text of the cards in one part of a comparison, which is one message. */
const MAX_PART_CHARS = 4 * 1024 * 1024
/** Lower than that of the thread that sends requests to hosts. */
const LOW_PRIORITY = 10

const { dataDir } = workerData as SnapshotThreadData
const sendTopic = createTopicSender<SnapshotTopics>()

trySetPriority(LOW_PRIORITY)
const opened = dataDir === null ? { database: null, notices: [] } : openSnapshotDatabase(dataDir)
sendTopic('noticed', opened.notices)
const store = new SnapshotStore(opened.database ? createSqliteTable(opened.database) : createMemoryTable())
const collector = new ListingCollector()
/** Listings that the user asked for, by caller, with what was read about their cards. */
const takes = new Map<string, TakenListing>()
let tokens: readonly string[] = []
let bounds: SnapshotBounds | null = null
let comparison: { readonly key: string; readonly result: ComparedSnapshots } | null = null
let trimTimer: NodeJS.Timeout | null = null
let forgetTimer: NodeJS.Timeout | null = null

function saveListing(listing: ReadListing, isRequested: boolean): SnapshotInfo | null {
  try {
    const info = store.save(listing, isRequested)
    sendTopic('changed', listing.topicid)
    return info
  } catch {
    reportUnwritten()
    return null
  }
}

/** @returns null if the recording is damaged there, which the store of its traffic reports */
function readPlaced(place: EntryPlace): Uint8Array | null {
  try {
    return readEntrySync(place)
  } catch {
    return null
  }
}

function readPage({ page, place, token, isRequested }: PageOrder): void {
  sendTopic('freed', page.bytes.byteLength)
  const bytes = place ? readPlaced(place) : page.bytes
  if (!bytes) return
  const mask = createMask(token)
  mask.maskInPlace(bytes, true)
  const { caller = '' } = page.origin
  const listing = collector.observePage({ ...page, bytes, topicid: mask.conceal(page.topicid) }, isRequested)
  if (!isRequested) {
    if (listing) saveListing(listing, false)
    return
  }
  if (listing) takes.set(caller, new TakenListing(listing))
  const progress = collector.getProgress(page)
  if (progress) sendTopic('progress', { topicid: page.topicid, phase: 'listing', ...progress })
}

function addResponse({ caller, response, token }: AdditionOrder): void {
  createMask(token).maskInPlace(response.bytes, true)
  const listing = takes.get(caller)
  const progress = listing?.add(response)
  if (!listing || !progress) return
  const phase = response.addition.kind === 'details' ? 'details' : 'excerpts'
  sendTopic('progress', { topicid: listing.topicid, phase, ...progress })
}

let lastMask: { readonly tokens: string; readonly mask: TokenMask } | null = null

/** The last mask is kept, because all pages of a listing have the same tokens. */
function createMask(token: string | null): TokenMask {
  const allTokens = [...new Set([...tokens, ...(token === null ? [] : [token])])]
  const key = allTokens.join('\n')
  if (lastMask?.tokens !== key) lastMask = { tokens: key, mask: TokenMask.forTokens(allTokens) }
  return lastMask.mask
}

let hasReportedUnwritten = false
function reportUnwritten(): void {
  if (hasReportedUnwritten) return
  hasReportedUnwritten = true
  const message = 'The disk takes no more snapshots of study sets: some are missing.'
  sendTopic('noticed', [{ level: 'error', code: 'SNAPSHOTS_UNWRITTEN', message }])
}

function trimOnce(): void {
  trimTimer = null
  if (!bounds) return
  try {
    const topicid = store.trim(bounds, Date.now())
    if (topicid === null) return
    sendTopic('changed', topicid)
    trimTimer = setTimeout(trimOnce, 0)
  } catch {
    reportUnwritten()
  }
}

function scheduleTidy(): void {
  trimTimer ??= setTimeout(trimOnce, TRIM_AFTER_MS)
  if (forgetTimer) clearTimeout(forgetTimer)
  forgetTimer = setTimeout(() => {
    store.forgetForests()
    comparison = null
  }, FORGET_AFTER_MS)
  forgetTimer.unref()
}

function compare({ topicid, before, after }: IpcInput<'snapshots.marks'>): ComparedSnapshots {
  const [beforeInfo, afterInfo] = [store.find(topicid, before), store.find(topicid, after)]
  const key = JSON.stringify([beforeInfo, afterInfo, store.countWritesBetween(beforeInfo, afterInfo)])
  if (comparison?.key !== key) {
    const [beforeForest, afterForest] = [store.readForest(beforeInfo.id), store.readForest(afterInfo.id)]
    const result = new ComparedSnapshots(
      { info: beforeInfo, forest: beforeForest },
      { info: afterInfo, forest: afterForest },
      store.listWritesBetween(beforeInfo, afterInfo),
    )
    comparison = { key, result }
  }
  return comparison.result
}

const methods = {
  addPage: readPage,
  addResponse,
  addWrite(write: HostWrite) {
    try {
      store.addWrite(hostWriteSchema.parse(JSON.parse(createMask(null).conceal(JSON.stringify(write)))))
    } catch {
      reportUnwritten()
    }
  },
  setTokens(list: readonly string[]) {
    tokens = list
  },
  setBounds(newBounds: SnapshotBounds) {
    bounds = newBounds
  },
  list: (topicid: string | undefined) => ({ snapshots: store.list(topicid), isOnDisk: store.isOnDisk }),
  compare: (input: IpcInput<'snapshots.compare'>) =>
    compare(input).readRows(input.layout, input.offset, input.limit, MAX_PART_CHARS),
  marks: (input: IpcInput<'snapshots.marks'>) => compare(input).readMarks(input.offset, input.limit),
  ghosts: (input: IpcInput<'snapshots.ghosts'>) => compare(input).readGhosts(input.offset, input.limit),
  forecast: (input: IpcInput<'snapshots.forecast'>) => forecastFromStore(store, input),
  /** The ids of the cards from `offset`, of a listing that the user asked for and that was read. */
  listTaken: ({ caller, offset, limit }: { caller: string; offset: number; limit: number }) =>
    takes.get(caller)?.listIds(offset, limit) ?? [],
  listTakenDocuments: (caller: string) => takes.get(caller)?.listDocuments() ?? [],
  /** Stores what was read, or returns null if nothing; `gap` is why the listing ends early. */
  endTake({ caller, gap }: { caller: string; gap: SnapshotGap }) {
    const listing = takes.get(caller)?.end() ?? collector.end(caller, gap)
    takes.delete(caller)
    if (listing === null) return null
    const info = saveListing(listing, true)
    if (info === null) throw createRefusedError('SNAPSHOT_UNWRITTEN', 'The snapshot could not be stored on the disk.')
    return info
  },
  read({ topicid, snapshot }: IpcInput<'snapshots.read'>) {
    const info = store.find(topicid, snapshot)
    const pieces = formatSnapshotDocument({ info, ...store.readForest(info.id) })
    const bytes = new TextEncoder().encode([...pieces].join(''))
    return new HandedOver({ meta: info, bytes: bytes.buffer }, [bytes.buffer])
  },
  clear(topicid: string | undefined) {
    comparison = null
    const removed = store.clear(topicid)
    sendTopic('changed', topicid ?? null)
    return removed
  },
  close() {
    if (trimTimer) clearTimeout(trimTimer)
    store.close()
    parentPort?.close()
  },
}

export type SnapshotMethods = typeof methods

serveThread(methods, scheduleTidy)
