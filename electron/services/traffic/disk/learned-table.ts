import type { LearnedArchive, LearnedKey, StoredShape } from '../../contract/learned-routes.ts'
import type { Database } from '../../journal/database.ts'
import { parseStoredJson } from './exchange-rows.ts'
import { ignoreSqliteErrors, runTransaction } from './transaction.ts'

/** A host can invent any number of routes; more shapes are not stored. */
const MAX_STORED_SHAPES = 20_000

const SELECT_SHAPE = `SELECT shape FROM learned_shapes
  WHERE method = ? AND template = ? AND outcome = ? AND host = ? AND version = ? AND day = ?`

/** Stores learned shapes beside the exchanges. */
export class LearnedTable implements LearnedArchive {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  listKeys(): (LearnedKey & Pick<StoredShape, 'hashes'>)[] {
    const rows = this.#database
      .prepare('SELECT method, template, outcome, host, version, day, endpoint, hashes FROM learned_shapes')
      .all()
    return rows.map(({ method, template, outcome, host, version, day, endpoint, hashes = null }) => {
      const list = parseStoredJson(hashes)
      return {
        method: String(method),
        template: String(template),
        host: String(host),
        day: String(day),
        outcome: outcome === 'error' ? 'error' : 'success',
        version: version === '' ? null : String(version),
        endpoint: typeof endpoint === 'string' ? endpoint : null,
        hashes: Array.isArray(list) ? list.filter((hash) => typeof hash === 'number') : [],
      }
    })
  }

  read(key: LearnedKey): string | null {
    const shape = this.#database.prepare(SELECT_SHAPE).get(...toColumns(key))?.['shape']
    return typeof shape === 'string' ? shape : null
  }

  update(keys: readonly LearnedKey[], merge: (key: LearnedKey, stored: string | null) => StoredShape | null): boolean {
    const database = this.#database
    return ignoreSqliteErrors(() => {
      const count = Number(database.prepare('SELECT count(*) AS count FROM learned_shapes').get()?.['count'] ?? 0)
      const insert = database.prepare(
        `INSERT OR REPLACE INTO learned_shapes (method, template, outcome, host, version, day, endpoint, hashes, shape)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      runTransaction(database, () => {
        for (const key of keys) {
          const stored = this.read(key)
          if (stored === null && count >= MAX_STORED_SHAPES) continue
          const merged = merge(key, stored)
          if (!merged) continue
          insert.run(...toColumns(key), key.endpoint, JSON.stringify(merged.hashes), merged.shape)
        }
      })
    })
  }

  clear(): void {
    ignoreSqliteErrors(() => this.#database.exec('DELETE FROM learned_shapes'))
  }
}

/** A primary key has no nulls, so an unknown version is empty. */
const toColumns = ({ method, template, outcome, host, version, day }: LearnedKey) =>
  [method, template, outcome, host, version ?? '', day] as const
