import { hostWriteSchema, selectWritesWithin, type HostWrite } from '../../../shared/snapshots/cause.ts'
import { snapshotInfoSchema, type SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import type { Database } from '../journal/database.ts'
import { runTransaction } from '../traffic/disk/transaction.ts'

/** A snapshot's own facts, stored beside its cards. */
export const storedFactsSchema = snapshotInfoSchema.omit({
  id: true,
  topicid: true,
  host: true,
  startedAt: true,
  endedAt: true,
  seenAt: true,
  bytes: true,
})
type StoredFacts = Omit<SnapshotInfo, 'id' | 'bytes'>

export interface StoredCards {
  /** The snapshot that this one differs from; null if all cards are stored. */
  readonly base: number | null
  readonly coding: number
  readonly bytes: Uint8Array
}

export interface SnapshotEntry extends StoredFacts {
  readonly id: number
  readonly bytes: number
  readonly base: number | null
  /** Equal for equal cards. */
  readonly hash: string
}

/** An SQLite database, or memory. */
export interface SnapshotTable {
  readonly isOnDisk: boolean
  add(facts: StoredFacts, hash: string, cards: StoredCards): number
  /** The oldest first; of all study sets if none is named. */
  list(topicid?: string): SnapshotEntry[]
  readCards(id: number): StoredCards | null
  replaceCards(id: number, cards: StoredCards): void
  markSeen(id: number, seenAt: number): void
  remove(id: number): void
  addWrite(write: HostWrite): void
  /** The calls that ended at or after `from` and began at or before `to`, the oldest first. */
  listWrites(from: number, to: number): HostWrite[]
  /** The number of calls that `listWrites` returns, without reading them. */
  countWrites(from: number, to: number): number
  removeWrites(before: number): void
  /** Runs `work` as one transaction where there are transactions. */
  transact(work: () => void): void
  close(): void
}

export function createSqliteTable(database: Database): SnapshotTable {
  const columns = 'id, topicid, host, hash, started_at, ended_at, seen_at, facts, base, length(cards) AS bytes'
  const insert = database.prepare(
    `INSERT INTO snapshots (topicid, host, hash, started_at, ended_at, seen_at, facts, base, coding, cards)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertWrite = database.prepare('INSERT INTO writes (started_at, ended_at, entry) VALUES (?, ?, ?)')
  const selectWrites = database.prepare(
    'SELECT entry FROM writes WHERE ended_at >= ? AND started_at <= ? ORDER BY ended_at, id',
  )
  const countWrites = database.prepare('SELECT count(*) AS count FROM writes WHERE ended_at >= ? AND started_at <= ?')
  return {
    isOnDisk: true,
    add({ topicid, host, startedAt, endedAt, seenAt, ...facts }, hash, { base, coding, bytes }) {
      const text = JSON.stringify(facts)
      const { lastInsertRowid } = insert.run(topicid, host, hash, startedAt, endedAt, seenAt, text, base, coding, bytes)
      return Number(lastInsertRowid)
    },
    list(topicid) {
      const condition = topicid === undefined ? '' : 'WHERE topicid = ?'
      const rows = database.prepare(`SELECT ${columns} FROM snapshots ${condition} ORDER BY id`)
      return (topicid === undefined ? rows.all() : rows.all(topicid)).flatMap((row) => toEntry(row) ?? [])
    },
    readCards(id) {
      const row = database.prepare('SELECT base, coding, cards FROM snapshots WHERE id = ?').get(id)
      if (!row || !(row['cards'] instanceof Uint8Array)) return null
      return { base: toNumberOrNull(row['base']), coding: Number(row['coding']), bytes: row['cards'] }
    },
    replaceCards(id, { base, coding, bytes }) {
      database.prepare('UPDATE snapshots SET base = ?, coding = ?, cards = ? WHERE id = ?').run(base, coding, bytes, id)
    },
    markSeen(id, seenAt) {
      database.prepare('UPDATE snapshots SET seen_at = max(seen_at, ?) WHERE id = ?').run(seenAt, id)
    },
    remove(id) {
      database.prepare('DELETE FROM snapshots WHERE id = ?').run(id)
    },
    addWrite(write) {
      insertWrite.run(write.startedAt, write.endedAt, JSON.stringify(write))
    },
    listWrites(from, to) {
      return selectWrites.all(from, to).flatMap(({ entry }) => parseStored(hostWriteSchema, entry) ?? [])
    },
    countWrites: (from, to) => Number(countWrites.get(from, to)?.['count']),
    removeWrites(before) {
      database.prepare('DELETE FROM writes WHERE ended_at < ?').run(before)
    },
    transact: (work) => runTransaction(database, work),
    close: () => database.close(),
  }
}

function toEntry(row: Record<string, unknown>): SnapshotEntry | null {
  const facts = parseStored(storedFactsSchema, row['facts'])
  if (!facts) return null
  return {
    ...facts,
    id: Number(row['id']),
    topicid: String(row['topicid']),
    host: String(row['host']),
    hash: String(row['hash']),
    startedAt: Number(row['started_at']),
    endedAt: Number(row['ended_at']),
    seenAt: Number(row['seen_at']),
    base: toNumberOrNull(row['base']),
    bytes: Number(row['bytes']),
  }
}

const toNumberOrNull = (value: unknown): number | null => (value === null ? null : Number(value))

function parseStored<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  text: unknown,
): T | null {
  try {
    const parsed = schema.safeParse(JSON.parse(String(text)))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

export function createMemoryTable(): SnapshotTable {
  const entries = new Map<number, { readonly entry: SnapshotEntry; readonly cards: StoredCards }>()
  let writes: HostWrite[] = []
  let lastId = 0
  const listWritesBetween = (from: number, to: number): HostWrite[] => selectWritesWithin(writes, from, to)
  return {
    isOnDisk: false,
    add(facts, hash, cards) {
      lastId += 1
      const entry = { ...facts, hash, id: lastId, base: cards.base, bytes: cards.bytes.byteLength }
      entries.set(lastId, { entry, cards })
      return lastId
    },
    list: (topicid) =>
      [...entries.values()]
        .map(({ entry }) => entry)
        .filter((entry) => topicid === undefined || entry.topicid === topicid),
    readCards: (id) => entries.get(id)?.cards ?? null,
    replaceCards(id, cards) {
      const stored = entries.get(id)
      if (!stored) return
      entries.set(id, { entry: { ...stored.entry, base: cards.base, bytes: cards.bytes.byteLength }, cards })
    },
    markSeen(id, seenAt) {
      const stored = entries.get(id)
      if (stored) entries.set(id, { ...stored, entry: { ...stored.entry, seenAt } })
    },
    remove: (id) => void entries.delete(id),
    addWrite: (write) => void writes.push(write),
    listWrites: listWritesBetween,
    countWrites: (from, to) => listWritesBetween(from, to).length,
    removeWrites(before) {
      writes = writes.filter(({ endedAt }) => endedAt >= before)
    },
    transact: (work) => work(),
    close: () => undefined,
  }
}
