import type { Database } from '../../journal/database.ts'
import type { RetentionBounds } from '../traffic-store.ts'
import type { BodyStore } from './body-store.ts'
import { ignoreSqliteErrors, runTransaction } from './transaction.ts'
import type { BodyIndex } from './body-index.ts'

/** Exchanges removed in one transaction: to stay within the bounds, and when all are. */
const BATCH_ROWS = 200
const MAX_ROWS_PER_CLEAR = 20_000

const used = `SELECT (page_count - freelist_count) * page_size AS bytes
  FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`

/** Removes exchanges, and the bodies that nothing refers to any more. */
export class Retention {
  readonly #database: Database
  readonly #bodies: BodyStore
  readonly #words: BodyIndex

  constructor(database: Database, bodies: BodyStore, words: BodyIndex) {
    this.#database = database
    this.#bodies = bodies
    this.#words = words
  }

  /** Removes some of the oldest exchanges beyond the bounds; returns how many. Pinned ones stay. */
  trim({ keepDays, maxBytes }: RetentionBounds, now: number): number {
    const isFull = Number(this.#database.prepare(used).get()?.['bytes'] ?? 0) > maxBytes
    const condition = isFull ? 'TRUE' : `ordered_at < ${now - keepDays * 86_400_000}`
    const removed = this.#remove(`pinned = 0 AND ${condition}`, BATCH_ROWS)
    if (removed > 0) ignoreSqliteErrors(() => this.#database.exec('PRAGMA incremental_vacuum'))
    return removed
  }

  /** Removes all but the pinned ones, also from the file; returns how many. */
  clear(): number {
    let removed = this.#removeAll()
    for (let some = -1; some !== 0; removed += Math.max(0, some)) some = this.#remove('pinned = 0', MAX_ROWS_PER_CLEAR)
    ignoreSqliteErrors(() => this.#database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)'))
    return removed
  }

  /** At once, if none is pinned; returns how many, 0 if one is. */
  #removeAll(): number {
    const row = this.#database.prepare('SELECT count(*) AS count, total(pinned) AS pinned FROM exchanges').get()
    if (Number(row?.['pinned']) > 0) return 0
    this.#words.reset()
    let removed = 0
    ignoreSqliteErrors(() => {
      runTransaction(this.#database, () => {
        for (const table of ['findings', 'details', 'exchanges', 'parts', 'bodies', 'chunks'])
          this.#database.exec(`DELETE FROM ${table}`)
        this.#database.exec("INSERT INTO texts (texts) VALUES ('delete-all')")
      })
      removed = Number(row?.['count'] ?? 0)
    })
    return removed
  }

  #remove(condition: string, most: number): number {
    const select = `SELECT exchanges.seq, request_body, response_body FROM exchanges LEFT JOIN details ON details.seq = exchanges.seq
      WHERE ${condition} ORDER BY exchanges.seq LIMIT ${most}`
    const bodies = new Set<number>()
    let removed = 0
    this.#words.reset()
    ignoreSqliteErrors(() => {
      const rows = this.#database.prepare(select).all()
      const drop = this.#database.prepare('DELETE FROM exchanges WHERE seq = ?')
      runTransaction(this.#database, () => {
        for (const { seq, request_body: request, response_body: response } of rows) {
          for (const id of [request, response]) if (typeof id === 'number') bodies.add(id)
          drop.run(Number(seq))
        }
        this.#bodies.removeUnused(bodies)
      })
      removed = rows.length
    })
    return removed
  }
}
