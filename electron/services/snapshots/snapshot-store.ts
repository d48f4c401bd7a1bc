// Stores complete card listings as snapshots, compares them, and knows the recorded calls between
// them. It runs in a thread (thread/worker.ts); the listings are put together by
// listing-collector.ts. Read this file first, then snapshot-table.ts.
import { createRefusedError, type AppError } from '../../../shared/errors.ts'
import {
  getSpanBetween,
  selectWritesTo,
  toKey,
  type HostWrite,
  type RecordedWrite,
} from '../../../shared/snapshots/cause.ts'
import {
  buildLinkedForest,
  deriveForest,
  linkCards,
  type CardColumns,
  type DerivedCards,
  type Forest,
} from '../../../shared/snapshots/forest.ts'
import { applyDelta, decodeWhole, encodeDelta, encodeWhole } from '../../core/snapshots/snapshot-codec.ts'
import { hasAllExcerpts, type SnapshotGap, type SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import type { SnapshotChoice } from '../../../shared/ipc/snapshots.ts'
import { decodePart, encodePart } from '../traffic/disk/body-store.ts'
import type { ReadListing } from './listing-collector.ts'
import type { SnapshotEntry, SnapshotTable, StoredCards } from './snapshot-table.ts'

/** A snapshot is read through all that it builds on, so a whole one is stored after this many. */
const MAX_CHAINED = 24
/** Forests that stay in memory, because snapshots are compared several times in a row. */
const MAX_CACHED_FORESTS = 2
const DAY_MS = 86_400_000

export interface SnapshotBounds {
  readonly keepDays: number
  readonly maxBytes: number
}

export class SnapshotStore {
  readonly #table: SnapshotTable
  readonly #forests = new Map<number, Forest>()

  constructor(table: SnapshotTable) {
    this.#table = table
  }

  get isOnDisk(): boolean {
    return this.#table.isOnDisk
  }

  /** Stores a listing, unless it equals the newest one: that was then seen again. */
  save(listing: ReadListing, isRequested: boolean): SnapshotInfo {
    const earlier = this.#table.list(listing.topicid)
    const newest = earlier.at(-1)
    if (newest && isSeenAgain(newest, listing)) {
      const seenAt = Math.max(newest.seenAt, getSeenTime(newest, listing))
      this.#table.markSeen(newest.id, seenAt)
      return this.#toInfo({ ...newest, seenAt })
    }
    const { forest, hash, ...facts } = listing
    const stored = {
      topicid: facts.topicid,
      host: facts.host,
      origin: facts.origin,
      pages: facts.pages,
      detailed: facts.detailed,
      excerpts: facts.excerpts,
      palette: facts.palette,
      startedAt: facts.startedAt,
      endedAt: facts.endedAt,
      seenAt: facts.endedAt,
      isRequested,
      cards: forest.count,
      hostCount: facts.hostCount,
      gaps: [...facts.gaps],
      isInTreeOrder: facts.isInTreeOrder,
      members: [...facts.members],
      anomalies: forest.anomalies,
    }
    const base = earlier.findLast((entry) => isAlike(entry, listing)) ?? null
    const cards = this.#encode(forest, base, earlier)
    const id = this.#table.add(stored, hash, cards)
    this.#cacheForest(id, forest)
    return this.#toInfo({ ...stored, id, hash, base: cards.base, bytes: cards.bytes.byteLength })
  }

  #encode(columns: CardColumns, base: SnapshotEntry | null, entries: readonly SnapshotEntry[]): StoredCards {
    const isChainLong = base !== null && getChainLength(base, entries) >= MAX_CHAINED
    const baseColumns = base === null || isChainLong ? null : this.#tryRead(base.id)
    const delta = base && baseColumns ? encodeDelta(baseColumns, columns) : null
    const part = encodePart(Buffer.from(delta ?? encodeWhole(columns)))
    return { base: delta === null ? null : (base?.id ?? null), ...part }
  }

  #tryRead(id: number): CardColumns | null {
    try {
      return this.#readForest(id)
    } catch {
      return null
    }
  }

  /** Reads a snapshot, and first those that it builds on. */
  #readForest(id: number): Forest {
    const deltas: string[] = []
    for (let next: number | null = id; next !== null;) {
      const cached = this.#forests.get(next)
      if (cached) return deltas.length === 0 ? cached : deriveForest(cached, applyDeltas(cached, deltas))
      const cards = this.#table.readCards(next)
      if (!cards) break
      const text = Buffer.from(decodePart(cards)).toString()
      if (cards.base === null) {
        const decoded = decodeWhole(text)
        return buildLinkedForest(deltas.length === 0 ? decoded : linkCards(decoded, applyDeltas(decoded, deltas)))
      }
      deltas.push(text)
      next = cards.base
    }
    throw createUnknownSnapshotError()
  }

  /** @throws SNAPSHOT_UNKNOWN, SNAPSHOT_UNREADABLE */
  readForest(id: number): Forest {
    try {
      const forest = this.#readForest(id)
      this.#cacheForest(id, forest)
      return forest
    } catch (error) {
      if (error instanceof Error && error.name === 'AppError') throw error
      throw createRefusedError('SNAPSHOT_UNREADABLE', 'The stored snapshot is damaged.')
    }
  }

  #cacheForest(id: number, forest: Forest): void {
    this.#forests.delete(id)
    this.#forests.set(id, forest)
    for (const oldest of this.#forests.keys()) {
      if (this.#forests.size <= MAX_CACHED_FORESTS) return
      this.#forests.delete(oldest)
    }
  }

  /** Frees the memory of snapshots that were read; they are read again when they are needed. */
  forgetForests(): void {
    this.#forests.clear()
  }

  /** The newest first; of all study sets if none is named. */
  list(topicid?: string): SnapshotInfo[] {
    return this.#table
      .list(topicid)
      .map((entry) => this.#toInfo(entry))
      .reverse()
  }

  /** Finds a snapshot; an undefined `topicid` is any study set. @throws SNAPSHOT_UNKNOWN */
  find(topicid: string | undefined, choice: SnapshotChoice): SnapshotInfo {
    const entries = this.#table.list(topicid)
    const entry = choice === 'now' ? entries.at(-1) : entries.find(({ id }) => id === choice)
    if (!entry) throw createUnknownSnapshotError()
    return this.#toInfo(entry)
  }

  addWrite(write: HostWrite): void {
    this.#table.addWrite(write)
  }

  /** The calls that may have caused what differs between the two snapshots, the oldest first. */
  listWritesBetween(before: SnapshotInfo, after: SnapshotInfo): RecordedWrite[] {
    const [from, to] = getSpanBetween(before, after)
    return this.#listWrites(from, to, [before.host, after.host])
  }

  /** Counts the calls between them, to any host. A stored comparison holds while it is the same. */
  countWritesBetween(before: SnapshotInfo, after: SnapshotInfo): number {
    return this.#table.countWrites(...getSpanBetween(before, after))
  }

  #listWrites(from: number, to: number, hosts: readonly string[]): RecordedWrite[] {
    return selectWritesTo(hosts, this.#table.listWrites(from, to))
  }

  /** Several responses show no single moment if cards were changed between them. */
  #toInfo({ hash: _hash, base: _base, ...entry }: SnapshotEntry): SnapshotInfo {
    const wasChanged =
      entry.pages > 1 &&
      !entry.gaps.includes('changed') &&
      this.#listWrites(entry.startedAt, entry.endedAt, [entry.host]).some(
        (write) =>
          write.endedAt > entry.startedAt && write.startedAt < entry.endedAt && concernsStudySet(write, entry.topicid),
      )
    const gaps: SnapshotGap[] = wasChanged ? [...entry.gaps, 'changed'] : [...entry.gaps]
    return { ...entry, gaps }
  }

  /** Removes the one beyond the bounds not seen for longest. Returns its study set, or null. */
  trim({ keepDays, maxBytes }: SnapshotBounds, now: number): string | null {
    const entries = this.#table.list()
    const oldest = entries.reduce<SnapshotEntry | null>(
      (first, entry) => (first === null || entry.seenAt < first.seenAt ? entry : first),
      null,
    )
    // The clock may have been set back, so the first entry need not have the earliest start.
    const firstStart = entries.reduce((start, { startedAt }) => Math.min(start, startedAt), now)
    this.#table.removeWrites(oldest ? firstStart : now - DAY_MS)
    const total = entries.reduce((sum, { bytes }) => sum + bytes, 0)
    if (!oldest || (total <= maxBytes && oldest.seenAt >= now - keepDays * DAY_MS)) return null
    this.#remove(oldest.id, entries)
    return oldest.topicid
  }

  clear(topicid: string | undefined): number {
    const entries = this.#table.list(topicid)
    this.#forests.clear()
    // Newer snapshots build on older ones of the same study set, so they are removed first.
    this.#table.transact(() => {
      for (const { id } of entries.toReversed()) this.#table.remove(id)
      if (topicid === undefined) this.#table.removeWrites(Infinity)
    })
    return entries.length
  }

  /** The snapshots that build on the removed one are stored whole before. */
  #remove(id: number, entries: readonly SnapshotEntry[]): void {
    const dependents = entries.filter(({ base }) => base === id)
    const rewritten = dependents.map((entry) => {
      const columns = this.#tryRead(entry.id)
      return { entry, cards: columns && this.#encode(columns, null, []) }
    })
    this.#table.transact(() => {
      for (const { entry, cards } of rewritten) {
        if (cards) this.#table.replaceCards(entry.id, cards)
        else this.#removeChain(entry.id, entries)
      }
      this.#table.remove(id)
    })
    this.#forests.delete(id)
  }

  /** Removes a snapshot that cannot be read, and those that build on it. */
  #removeChain(id: number, entries: readonly SnapshotEntry[]): void {
    const chain = [id]
    for (const parent of chain) chain.push(...entries.filter(({ base }) => base === parent).map((entry) => entry.id))
    for (const member of chain.reverse()) this.#table.remove(member)
  }

  close(): void {
    this.#table.close()
  }
}

/** A listing of the same cards confirms a snapshot for the time that the snapshot itself took. */
const getSeenTime = ({ startedAt, endedAt }: SnapshotEntry, listing: ReadListing): number =>
  Math.min(listing.endedAt, listing.startedAt + (endedAt - startedAt))

/** The same cards were read from the same host, with the same restrictions. */
const isSeenAgain = (newest: SnapshotEntry, listing: ReadListing): boolean =>
  newest.hash === listing.hash &&
  newest.host === listing.host &&
  newest.isInTreeOrder === listing.isInTreeOrder &&
  newest.gaps.join() === listing.gaps.join() &&
  newest.members.join() === listing.members.join() &&
  newest.detailed === listing.detailed &&
  JSON.stringify([newest.excerpts, newest.palette]) === JSON.stringify([listing.excerpts, listing.palette]) &&
  listing.endedAt >= newest.seenAt

/** True for the same order and contents, so that the two listings differ little. */
const isAlike = (entry: SnapshotEntry, listing: ReadListing): boolean =>
  entry.isInTreeOrder === listing.isInTreeOrder &&
  entry.detailed > 0 === listing.detailed > 0 &&
  hasAllExcerpts(entry) === hasAllExcerpts(listing)

function getChainLength(base: SnapshotEntry, entries: readonly SnapshotEntry[]): number {
  const baseById = new Map(entries.map((entry) => [entry.id, entry.base]))
  let length = 0
  for (let next: number | null = base.id; next !== null && length < MAX_CHAINED; length += 1)
    next = baseById.get(next) ?? null
  return length
}

/** @param deltas the last one first, at least one */
function applyDeltas(columns: CardColumns, deltas: readonly string[]): DerivedCards {
  let result: DerivedCards = { ...columns, sources: Int32Array.from(columns.ids, (_id, index) => index) }
  for (const delta of deltas.toReversed()) {
    const { sources: earlier } = result
    const next = applyDelta(result, delta)
    result = { ...next, sources: next.sources.map((source) => earlier[source] ?? -1) }
  }
  return result
}

/** True if the call names the study set, or none at all. */
const concernsStudySet = ({ sets }: RecordedWrite, topicid: string): boolean =>
  sets.length === 0 || sets.some((set) => toKey(set) === toKey(topicid))

const createUnknownSnapshotError = (): AppError =>
  createRefusedError('SNAPSHOT_UNKNOWN', 'There is no such snapshot of this study set (any more).')
