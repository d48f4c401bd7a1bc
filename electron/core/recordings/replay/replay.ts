/**
 * Serves the exchanges of a recording as a host would: what was read before a write and after it
 * is returned before and after it. It reads no body and sends nothing; electron/demo-host/recorded
 * is its HTTP side. Read `createReplay` first, then `replay-timeline.ts`.
 */
import type { Header } from '../../../../shared/traffic/exchange.ts'
import type { RecordedExchange } from '../../../../shared/recordings/recording.ts'
import {
  findPieces,
  joinRecordedBytes,
  parseByteRange,
  type BytePiece,
  type ByteRange,
  type RecordedBytes,
} from './byte-range.ts'
import { createCardRequestText, listCardIds, type DerivedCards } from './derived-cards.ts'
import { planDerivedListing, type DerivedListing } from './derived-listing.ts'
import { findNearestRequest, type NearestRequest } from './nearest-request.ts'
import { conditionalHeaders, findHeader, type ReplayTimeline, type TimelineEntry } from './replay-timeline.ts'
import type { RequestMeaning } from './request-meaning.ts'

export interface ReplayRequest {
  readonly method: string
  /** Below the base URL, with the query. */
  readonly path: string
  readonly headers: readonly Header[]
  /** Null without a body, and for a file. */
  readonly bodyText: string | null
}

/**
 * Why there is no response. `unknown`: nothing like it was recorded. `changed`: recorded only
 * before or after a write that may have changed it. `cut`: the recording has only a part of the
 * body. `range`: it has other parts. `order`: another write comes first. `repeated`: every recorded
 * write like it was done.
 */
type NotRecordedReason = 'unknown' | 'changed' | 'cut' | 'range' | 'order' | 'repeated'

export interface NotRecorded {
  readonly kind: 'not-recorded'
  readonly reason: NotRecordedReason
  readonly nearest: NearestRequest | null
  /** The exchange that was `cut`, the write in between (`changed`), or the one before (`order`). */
  readonly exchange: RecordedExchange | null
}

export type ReplayResponse =
  /** The response of this exchange, whole; without its body for a HEAD. */
  | { readonly kind: 'recorded'; readonly exchange: RecordedExchange; readonly isFromOtherMoment: boolean }
  /** `range` is null if the whole body is to be sent; the pieces hold what is to be sent. */
  | {
      readonly kind: 'bytes'
      readonly bytes: RecordedBytes
      readonly range: ByteRange | null
      readonly pieces: readonly BytePiece[]
    }
  | { readonly kind: 'not-modified'; readonly exchange: RecordedExchange }
  /** The connection ended without a complete response. */
  | { readonly kind: 'broken'; readonly exchange: RecordedExchange }
  | { readonly kind: 'derived'; readonly listing: DerivedListing }
  | { readonly kind: 'cards'; readonly cards: DerivedCards }
  | NotRecorded

export type Replay = ReturnType<typeof createReplay>

interface ReplayOptions {
  /** With `end`, all writes are done, and each read returns its last response. */
  readonly from?: 'start' | 'end'
}

export function createReplay(timeline: ReplayTimeline, { from = 'start' }: ReplayOptions = {}) {
  const doneWrites = new Set<number>()
  let leadingCount = 0
  let newestWrite = -1
  /** Index of the newest entry that was served, by key. */
  const servedIndexes = new Map<string, number>()
  const requestIds = new Map<string, string>()
  /** Recorded ids to those that the client chose. Responses echo them (spec §2). */
  const chosenRequestIds = new Map<string, string>()
  /** Writes by the request id that the client chose and the key. */
  const writesByRequest = new Map<string, TimelineEntry>()

  /** Begins anew: no write is done. */
  function rewind(): void {
    for (const state of [doneWrites, servedIndexes, requestIds, chosenRequestIds, writesByRequest]) state.clear()
    leadingCount = 0
    newestWrite = -1
    if (from === 'end') for (const number of timeline.writes.keys()) doWrite(number)
  }

  function doWrite(number: number): void {
    doneWrites.add(number)
    newestWrite = Math.max(newestWrite, number)
  }
  rewind()

  const isWithoutIndex = from === 'end' ? Infinity : -1
  const getServedIndex = (key: string): number => servedIndexes.get(key) ?? isWithoutIndex

  const isOfThisMoment = ({ writesBefore }: TimelineEntry): boolean =>
    writesBefore === doneWrites.size && writesBefore === countLeading()

  function countLeading(): number {
    while (doneWrites.has(leadingCount)) leadingCount += 1
    return leadingCount
  }

  /** Finds a write done now but not before the entry was recorded, or the other way round. */
  function findConcern({ writesBefore }: TimelineEntry, meaning: RequestMeaning): number | undefined {
    const end = Math.max(writesBefore, newestWrite + 1)
    for (let write = Math.min(writesBefore, countLeading()); write < end; write += 1)
      if (write < writesBefore !== doneWrites.has(write) && timeline.isConcerned(write, meaning)) return write
    return undefined
  }

  function findEntry(
    meaning: RequestMeaning,
    isWanted: (entry: TimelineEntry) => boolean,
  ): { readonly entry: TimelineEntry; readonly isFromOtherMoment: boolean } | null {
    const matching = timeline.listEntries(meaning.key).filter((entry) => entry.write === null && isWanted(entry))
    const current = matching.filter(isOfThisMoment)
    if (current.length > 0) {
      // A page of a listing belongs to the newest reading of the listing.
      const listingIndex = meaning.listingKey === null ? -1 : getServedIndex(meaning.listingKey)
      const next =
        current.find(({ index }) => index > Math.max(getServedIndex(meaning.key), listingIndex)) ?? current.at(-1)
      return next ? { entry: next, isFromOtherMoment: false } : null
    }
    const nearest = findUnchanged(matching, meaning)
    return nearest ? { entry: nearest, isFromOtherMoment: true } : null
  }

  /** The nearest earlier entry, or the first later one, if no write in between concerns it. */
  function findUnchanged(entries: readonly TimelineEntry[], meaning: RequestMeaning): TimelineEntry | undefined {
    const unchanged = entries.filter((entry) => findConcern(entry, meaning) === undefined)
    return unchanged.findLast(({ writesBefore }) => writesBefore <= newestWrite + 1) ?? unchanged[0]
  }

  function toResponse(meaning: RequestMeaning, entry: TimelineEntry, isFromOtherMoment: boolean): ReplayResponse {
    servedIndexes.set(meaning.key, Math.max(entry.index, servedIndexes.get(meaning.key) ?? -1))
    const { exchange, outcome } = entry
    if (outcome === 'broken') return { kind: 'broken', exchange }
    if (outcome === 'cut') return refuse(meaning, 'cut', exchange)
    return { kind: 'recorded', exchange, isFromOtherMoment }
  }

  function refuse(
    meaning: RequestMeaning,
    reason: NotRecordedReason,
    exchange: RecordedExchange | null = null,
  ): NotRecorded {
    return { kind: 'not-recorded', reason, nearest: findNearestRequest(meaning, timeline.entries), exchange }
  }

  function respondToRead(request: ReplayRequest, meaning: RequestMeaning): ReplayResponse {
    const isHead = request.method.toUpperCase() === 'HEAD'
    const conditional = findEntry(
      meaning,
      (entry) => entry.isHead === isHead && hasSameConditions(entry.conditions, request.headers),
    )
    if (conditional && conditional.entry.outcome !== 'cut')
      return toResponse(meaning, conditional.entry, conditional.isFromOtherMoment)
    const plain = findEntry(
      meaning,
      (entry) => !entry.isHead && (entry.conditions.length === 0 || entry.status === 200),
    )
    if (plain && isNotModified(plain.entry.exchange, request.headers))
      return { kind: 'not-modified', exchange: plain.entry.exchange }
    const bytes = respondWithBytes(request, meaning, plain?.entry ?? null)
    if (bytes) return bytes
    if (plain && (isHead || plain.entry.outcome !== 'cut')) {
      const { entry, isFromOtherMoment } = plain
      return isHead && entry.outcome === 'cut'
        ? { kind: 'recorded', exchange: entry.exchange, isFromOtherMoment }
        : toResponse(meaning, entry, isFromOtherMoment)
    }
    const cut = conditional ?? plain
    if (cut) return toResponse(meaning, cut.entry, cut.isFromOtherMoment)
    return deriveResponse(meaning) ?? refuseRead(meaning)
  }

  /** @returns null if the recorded bytes do not hold the range, or the host sends no ranges */
  function respondWithBytes(
    { headers }: ReplayRequest,
    meaning: RequestMeaning,
    plain: TimelineEntry | null,
  ): ReplayResponse | null {
    if (plain?.outcome === 'whole' && findHeader(headers, 'range') === null) return null
    const entries = timeline.listEntries(meaning.key).filter((entry) => entry.write === null)
    const current = entries.filter(isOfThisMoment)
    const bytes = joinRecordedBytes(
      current.length > 0 ? current : entries.filter((entry) => findConcern(entry, meaning) === undefined),
    )
    if (!bytes) return null
    const rangeHeader = matchesIfRange(bytes.head, headers) ? findHeader(headers, 'range') : null
    const range = parseByteRange(rangeHeader, bytes.total)
    if (range !== null && !sendsRanges(bytes.head, meaning)) return null
    if (range === null && plain?.outcome === 'whole') return null
    if (range === 'unsatisfiable') return { kind: 'bytes', bytes, range, pieces: [] }
    const pieces = findPieces(bytes.pieces, range?.start ?? 0, range?.end ?? bytes.total)
    return pieces && { kind: 'bytes', bytes, range, pieces }
  }

  function deriveResponse(meaning: RequestMeaning): ReplayResponse | null {
    const listing = planDerivedListing(timeline, meaning, doneWrites)
    return listing ? { kind: 'derived', listing } : deriveCardResponse(meaning)
  }

  /** Cards that were recorded in other requests. */
  function deriveCardResponse(meaning: RequestMeaning): ReplayResponse | null {
    const sources: DerivedCards['sources'][number][] = []
    for (const noteid of listCardIds(meaning) ?? []) {
      const request = { method: meaning.method, path: meaning.path, bodyText: createCardRequestText(noteid) }
      const entry = findUnchanged(timeline.listCardEntries(noteid), timeline.parseRequest(request, requestIds))
      if (!entry) return null
      sources.push({ noteid, exchange: entry.exchange })
    }
    return sources.length > 0 ? { kind: 'cards', cards: { sources } } : null
  }

  function refuseRead(meaning: RequestMeaning): NotRecorded {
    const entries = timeline.listEntries(meaning.key)
    const nearest = entries.findLast((entry) => findConcern(entry, meaning) !== undefined)
    const concern = nearest && findConcern(nearest, meaning)
    if (concern !== undefined) return refuse(meaning, 'changed', timeline.writes[concern]?.entry.exchange ?? null)
    return refuse(meaning, entries.length > 0 ? 'range' : 'unknown')
  }

  function respondToWrite(meaning: RequestMeaning): ReplayResponse {
    const requestName = meaning.requestId === null ? null : `${meaning.requestId} ${meaning.key}`
    const done = requestName === null ? undefined : writesByRequest.get(requestName)
    if (done) {
      const repeat = findEntry(meaning, ({ isRepeat }) => isRepeat)
      return toResponse(meaning, repeat?.entry ?? done, false)
    }
    const entries = timeline.listEntries(meaning.key)
    const next = entries.find(({ write }) => write !== null && !doneWrites.has(write))
    const refusal = findEntry(meaning, ({ isRepeat }) => !isRepeat)
    const isRefusalNext =
      refusal &&
      !refusal.isFromOtherMoment &&
      refusal.entry.index > getServedIndex(meaning.key) &&
      refusal.entry.index < (next?.index ?? Infinity)
    if (refusal && (isRefusalNext || !next)) return toResponse(meaning, refusal.entry, refusal.isFromOtherMoment)
    if (!next) return refuse(meaning, entries.some(({ write }) => write !== null) ? 'repeated' : 'unknown')
    const earlier = timeline.writes.find(
      ({ entry: { write } }) =>
        write !== null && write < (next.write ?? 0) && !doneWrites.has(write) && timeline.isConcerned(write, meaning),
    )
    if (earlier) {
      return refusal
        ? toResponse(meaning, refusal.entry, refusal.isFromOtherMoment)
        : refuse(meaning, 'order', earlier.entry.exchange)
    }
    return applyWrite(meaning, next, requestName)
  }

  function applyWrite(meaning: RequestMeaning, entry: TimelineEntry, requestName: string | null): ReplayResponse {
    if (entry.write !== null) doWrite(entry.write)
    const recordedId = entry.meaning.requestId
    if (requestName !== null) writesByRequest.set(requestName, entry)
    if (meaning.requestId !== null && recordedId !== null && meaning.requestId !== recordedId) {
      requestIds.set(meaning.requestId, recordedId)
      chosenRequestIds.set(recordedId, meaning.requestId)
    }
    return toResponse(meaning, entry, false)
  }

  return {
    chosenRequestIds: chosenRequestIds as ReadonlyMap<string, string>,
    rewind,
    countWrites: () => ({ done: doneWrites.size, recorded: timeline.writes.length }),
    respond(request: ReplayRequest): ReplayResponse {
      const meaning = timeline.parseRequest(request, requestIds)
      return meaning.access === 'read' ? respondToRead(request, meaning) : respondToWrite(meaning)
    },
  }
}

const hasSameConditions = (recorded: readonly Header[], requested: readonly Header[]): boolean =>
  conditionalHeaders.every((name) => findHeader(recorded, name) === findHeader(requested, name))

/** A recorded response to the same condition takes precedence over this. */
function isNotModified({ row, responseHeaders }: RecordedExchange, headers: readonly Header[]): boolean {
  if (row.status !== 200) return false
  const expected = findHeader(headers, 'if-none-match')
  const etag = findHeader(responseHeaders, 'etag')
  if (expected !== null) {
    const tags = expected.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    return etag !== null && (tags.includes('*') || tags.includes(etag.replace(/^W\//, '')))
  }
  const since = Date.parse(findHeader(headers, 'if-modified-since') ?? '')
  return Date.parse(findHeader(responseHeaders, 'last-modified') ?? '') <= since
}

function matchesIfRange({ responseHeaders }: RecordedExchange, headers: readonly Header[]): boolean {
  const expected = findHeader(headers, 'if-range')
  if (expected === null) return true
  return expected === findHeader(responseHeaders, 'etag') || expected === findHeader(responseHeaders, 'last-modified')
}

/** A host that ignored a range once has none. Without a header that says so, only media have. */
function sendsRanges(
  { row, requestHeaders, responseHeaders }: RecordedExchange,
  { endpoint }: RequestMeaning,
): boolean {
  if (row.status === 206) return true
  const accepted = findHeader(responseHeaders, 'accept-ranges')
  if (accepted !== null) return accepted.toLowerCase() === 'bytes'
  return findHeader(requestHeaders, 'range') === null && endpoint?.response.kind === 'binary'
}
