import type { Database } from '../../journal/database.ts'
import type { RetentionBounds } from '../traffic-store.ts'
import type { BodyStore } from './body-store.ts'
import { ignoreSqliteErrors, runTransaction } from './transaction.ts'
import type { BodyIndex } from './body-index.ts'

/** Removed in one transaction, so that queries are handled in between. */
const BATCH_ROWS = 200
// Exchanges that are removed in one transaction when the user clears the store.
const MAX_ROWS_PER_CLEAR = 20_000

const SELECT_USED_BYTES = `SELECT (page_count - freelist_count) * page_size AS bytes
  FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`

export class Retention {
  readonly #database: Database
  readonly #bodies: BodyStore
  readonly #bodyIndex: BodyIndex

  constructor(database: Database, bodies: BodyStore, words: BodyIndex) {
    this.#database = database
    this.#bodies = bodies
    this.#bodyIndex = words
  }

  /** Removes some of the oldest beyond the bounds, never pinned ones. Returns their number. */
  trim({ keepDays, maxBytes }: RetentionBounds, now: number): number {
    const isFull = Number(this.#database.prepare(SELECT_USED_BYTES).get()?.['bytes'] ?? 0) > maxBytes
    const condition = isFull ? 'TRUE' : `ordered_at < ${now - keepDays * 86_400_000}`
    const removed = this.#remove(`pinned = 0 AND ${condition}`, BATCH_ROWS)
    if (removed > 0) ignoreSqliteErrors(() => this.#database.exec('PRAGMA incremental_vacuum'))
    return removed
  }

  /** Removes all but the pinned exchanges and shrinks the file. Returns the number removed. */
  clear(): number {
    let removed = this.#removeAll()
    for (let batchCount = -1; batchCount !== 0; removed += Math.max(0, batchCount))
      batchCount = this.#remove('pinned = 0', MAX_ROWS_PER_CLEAR)
    ignoreSqliteErrors(() => this.#database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)'))
    return removed
  }

  /** Removes all in one transaction. Does nothing and returns 0 if an exchange is pinned. */
  #removeAll(): number {
    const row = this.#database.prepare('SELECT count(*) AS count, total(pinned) AS pinned FROM exchanges').get()
    if (Number(row?.['pinned']) > 0) return 0
    this.#bodyIndex.reset()
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

  #remove(condition: string, maxRows: number): number {
    const select = `SELECT exchanges.seq, request_body, response_body FROM exchanges LEFT JOIN details ON details.seq = exchanges.seq
      WHERE ${condition} ORDER BY exchanges.seq LIMIT ${maxRows}`
    const bodies = new Set<number>()
    let removed = 0
    this.#bodyIndex.reset()
    ignoreSqliteErrors(() => {
      const rows = this.#database.prepare(select).all()
      const deletion = this.#database.prepare('DELETE FROM exchanges WHERE seq = ?')
      runTransaction(this.#database, () => {
        for (const { seq, request_body: request, response_body: response } of rows) {
          for (const id of [request, response]) if (typeof id === 'number') bodies.add(id)
          deletion.run(Number(seq))
        }
        this.#bodies.removeUnused(bodies)
      })
      removed = rows.length
    })
    return removed
  }
}
