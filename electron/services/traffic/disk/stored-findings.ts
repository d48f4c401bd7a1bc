import { findingSchema, type Finding } from '../../../../shared/protocol/finding.ts'
import { getSqliteErrorCode, type Database } from '../../journal/database.ts'
import type { FindingsChange } from '../../findings/findings-judge.ts'
import { parseStoredJson } from './exchange-rows.ts'
import { ignoreSqliteErrors, runTransaction } from './transaction.ts'

/** As many as are read at the start. */
const MAX_FINDINGS = 5_000

/** Findings on disk: they go with the exchange at which they show. */
export class StoredFindings {
  readonly #database: Database
  #count = 0
  /** Findings at exchanges up to this `seq` were cleared. */
  clearedSeq = 0

  constructor(database: Database) {
    this.#database = database
    this.#count = this.#counted()
    this.clearedSeq = readable(0, () => {
      const mark = database.prepare("SELECT seq FROM marks WHERE name = 'findings-cleared'").get()
      return Number(mark?.['seq'] ?? 0)
    })
  }

  clear(newest: number): void {
    this.clearedSeq = newest
    ignoreSqliteErrors(() =>
      runTransaction(this.#database, () => {
        this.#database.exec('DELETE FROM findings')
        this.#database.prepare("INSERT OR REPLACE INTO marks VALUES ('findings-cleared', ?)").run(newest)
      }),
    )
    this.#count = this.#counted()
  }

  /** Oldest first. Empty where a damaged file does not give them: the exchanges are worth more. */
  all(): Finding[] {
    return readable([], () =>
      this.#database
        .prepare(`SELECT finding FROM (SELECT finding, rowid FROM findings ORDER BY rowid DESC LIMIT ${MAX_FINDINGS})`)
        .all()
        .flatMap(({ finding }) => {
          const parsed = findingSchema.safeParse(parseStoredJson(finding))
          return parsed.success ? [parsed.data] : []
        })
        .sort((one, other) => one.at - other.at),
    )
  }

  applyChange({ newFindings: found, withdrawnIds: withdrawn }: Extract<FindingsChange, { kind: 'some' }>): void {
    ignoreSqliteErrors(() => {
      const add = this.#database.prepare('INSERT OR REPLACE INTO findings (id, seq, finding) VALUES (?, ?, ?)')
      const remove = this.#database.prepare('DELETE FROM findings WHERE id = ?')
      runTransaction(this.#database, () => {
        for (const finding of found) add.run(finding.id, finding.exchanges.at(-1) ?? 0, JSON.stringify(finding))
        for (const id of withdrawn) remove.run(id)
      })
    })
    this.#count = this.#counted()
  }

  /** Adds those that are new and of exchanges that are still there; returns how many. */
  add(found: readonly Finding[]): number {
    const before = this.#count
    ignoreSqliteErrors(() => {
      const add = this.#database.prepare(
        'INSERT OR IGNORE INTO findings (id, seq, finding) SELECT ?, seq, ? FROM exchanges WHERE seq = ?',
      )
      runTransaction(this.#database, () => {
        for (const finding of found) add.run(finding.id, JSON.stringify(finding), finding.exchanges.at(-1) ?? 0)
      })
    })
    this.#count = this.#counted()
    return this.#count - before
  }

  /** Whether some have gone with their exchanges since the last question. */
  takeRemovals(): boolean {
    const before = this.#count
    this.#count = this.#counted()
    return this.#count < before
  }

  #counted(): number {
    return readable(0, () => {
      const row = this.#database.prepare('SELECT count(*) AS count FROM findings').get()
      return Number(row?.['count'] ?? 0)
    })
  }
}

function readable<T>(otherwise: T, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (getSqliteErrorCode(error) === 0) throw error
    return otherwise
  }
}
