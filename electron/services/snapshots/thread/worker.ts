// Runs the store of snapshots in a thread, because a listing of 200,000 cards takes seconds to
// parse, hash and store. Read messages.ts first; the store is in ../snapshot-store.ts.
import { parentPort, workerData } from 'node:worker_threads'
import { createRefusedError, toWireError } from '../../../../shared/errors.ts'
import type { IpcInput } from '../../../../shared/ipc/index.ts'
import { getMember } from '../../../../shared/json/object.ts'
import { formatSnapshotDocument } from '../../../../shared/snapshots/snapshot-document.ts'
import type { SnapshotInfo } from '../../../../shared/snapshots/snapshot.ts'
import { readEntrySync, type EntryPlace } from '../../../recording-file/zip-reader.ts'
import { trySetPriority } from '../../../system/thread-priority.ts'
import { TokenMask } from '../../mask/mask.ts'
import { ListingCollector, type ReadListing } from '../listing-collector.ts'
import { ComparedSnapshots } from '../snapshot-comparison.ts'
import { openSnapshotDatabase } from '../snapshot-database.ts'
import { forecastFromStore } from '../stored-forecast.ts'
import { TakenListing } from '../taken-listing.ts'
import { SnapshotStore, type SnapshotBounds } from '../snapshot-store.ts'
import { createMemoryTable, createSqliteTable, hostWriteSchema } from '../snapshot-table.ts'
import type { SnapshotOrder, SnapshotQuestions, SnapshotReport, SnapshotThreadData } from './messages.ts'

type PageOrder = Extract<SnapshotOrder, { kind: 'page' }>

/** Delay after the last order until old snapshots are removed, and until memory is freed. */
const TRIM_AFTER_MS = 1_000
const FORGET_AFTER_MS = 60_000
/** Maximum text of the cards in one part of a comparison, which is one message. */
const MAX_PART_CHARS = 4 * 1024 * 1024
/** Lower than that of the thread that sends requests to hosts. */
const LOW_PRIORITY = 10

const { dataDir } = workerData as SnapshotThreadData
const sendReport = (report: SnapshotReport, transfer: ArrayBuffer[] = []): void =>
  parentPort?.postMessage(report, transfer)

trySetPriority(LOW_PRIORITY)
const opened = dataDir === null ? { database: null, notices: [] } : openSnapshotDatabase(dataDir)
sendReport({ kind: 'noticed', notices: opened.notices })
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
    sendReport({ kind: 'changed', topicid: listing.topicid })
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
  sendReport({ kind: 'freed', bytes: page.bytes.byteLength })
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
  if (progress) sendReport({ kind: 'progress', progress: { topicid: page.topicid, phase: 'listing', ...progress } })
}

function onAddition({ caller, response, token }: Extract<SnapshotOrder, { kind: 'addition' }>): void {
  createMask(token).maskInPlace(response.bytes, true)
  const listing = takes.get(caller)
  const progress = listing?.add(response)
  if (!listing || !progress) return
  const phase = response.addition.kind === 'details' ? 'details' : 'excerpts'
  sendReport({ kind: 'progress', progress: { topicid: listing.topicid, phase, ...progress } })
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
  sendReport({ kind: 'noticed', notices: [{ level: 'error', code: 'SNAPSHOTS_UNWRITTEN', message }] })
}

function trimOnce(): void {
  trimTimer = null
  if (!bounds) return
  try {
    const topicid = store.trim(bounds, Date.now())
    if (topicid === null) return
    sendReport({ kind: 'changed', topicid })
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

const questions: SnapshotQuestions = {
  list: (topicid) => ({ snapshots: store.list(topicid), isOnDisk: store.isOnDisk }),
  compare: (input) => compare(input).readRows(input.layout, input.offset, input.limit, MAX_PART_CHARS),
  marks: (input) => compare(input).readMarks(input.offset, input.limit),
  ghosts: (input) => compare(input).readGhosts(input.offset, input.limit),
  forecast: (input) => forecastFromStore(store, input),
  listTaken: (caller, offset, limit) => takes.get(caller)?.listIds(offset, limit) ?? [],
  listTakenDocuments: (caller) => takes.get(caller)?.listDocuments() ?? [],
  endTake(caller, gap) {
    const listing = takes.get(caller)?.end() ?? collector.end(caller, gap)
    takes.delete(caller)
    if (listing === null) return null
    const info = saveListing(listing, true)
    if (info === null) throw createRefusedError('SNAPSHOT_UNWRITTEN', 'The snapshot could not be stored on the disk.')
    return info
  },
  read({ topicid, snapshot }) {
    const info = store.find(topicid, snapshot)
    const pieces = formatSnapshotDocument({ info, ...store.readForest(info.id) })
    const bytes = new TextEncoder().encode([...pieces].join(''))
    return { meta: info, bytes: bytes.buffer }
  },
  clear(topicid) {
    comparison = null
    const removed = store.clear(topicid)
    sendReport({ kind: 'changed', topicid: topicid ?? null })
    return removed
  },
  close() {
    if (trimTimer) clearTimeout(trimTimer)
    store.close()
    return null
  },
}

function runQuestion({ id, question, input }: Extract<SnapshotOrder, { kind: 'ask' }>): void {
  try {
    // `createSnapshotThread` sends the message, and is checked against the same interface.
    const method = questions[question] as (...input: readonly unknown[]) => unknown
    const value: unknown = method(...input)
    const bytes = getMember(value, 'bytes')
    sendReport({ kind: 'answer', id, value }, bytes instanceof ArrayBuffer ? [bytes] : [])
  } catch (error) {
    sendReport({ kind: 'failed', id, error: toWireError(error) })
  }
  if (question === 'close') parentPort?.close()
}

parentPort?.on('message', (order: SnapshotOrder) => {
  if (order.kind === 'know') tokens = order.tokens
  else if (order.kind === 'bound') bounds = order.bounds
  else if (order.kind === 'ask') runQuestion(order)
  else if (order.kind === 'write') {
    try {
      store.addWrite(hostWriteSchema.parse(JSON.parse(createMask(null).conceal(JSON.stringify(order.write)))))
    } catch {
      reportUnwritten()
    }
  } else if (order.kind === 'addition') onAddition(order)
  else readPage(order)
  if (order.kind !== 'ask' || order.question !== 'close') scheduleTidy()
})
