import { findingSchema, type Finding } from '../../../../shared/protocol/finding.ts'
import { withdrawFinding } from '../../../../shared/protocol/rule-table.ts'
import { getSqliteErrorCode, type Database } from '../../journal/database.ts'
import type { FindingsChange } from '../../findings/findings-judge.ts'
import { parseStoredJson } from './exchange-rows.ts'
import { ignoreSqliteErrors, runTransaction } from './transaction.ts'

/** Maximum number of findings that are read. */
const MAX_FINDINGS = 5_000

/** The findings on disk. A finding is removed together with the exchange to which it belongs. */
export class StoredFindings {
  readonly #database: Database
  #count = 0
  /** The largest `seq` for which the user cleared the findings. */
  clearedSeq = 0

  constructor(database: Database) {
    this.#database = database
    this.#count = this.#countFindings()
    this.clearedSeq = readOrDefault(0, () => {
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
    this.#count = this.#countFindings()
  }

  /**
   * Lists the findings, the oldest first. If the file is damaged, the list is empty, so that
   * exchanges stay usable.
   */
  all(): Finding[] {
    return readOrDefault([], () =>
      this.#database
        .prepare(`SELECT finding FROM (SELECT finding, rowid FROM findings ORDER BY rowid DESC LIMIT ${MAX_FINDINGS})`)
        .all()
        .flatMap(({ finding }) => {
          const parsed = findingSchema.safeParse(parseStoredJson(finding))
          return parsed.success ? [parsed.data] : []
        })
        .sort((first, second) => first.at - second.at),
    )
  }

  applyChange({ newFindings, withdrawals }: Extract<FindingsChange, { kind: 'some' }>): void {
    ignoreSqliteErrors(() => {
      const add = this.#database.prepare('INSERT OR REPLACE INTO findings (id, seq, finding) VALUES (?, ?, ?)')
      const select = this.#database.prepare('SELECT finding FROM findings WHERE id = ?')
      const remove = this.#database.prepare('DELETE FROM findings WHERE id = ?')
      runTransaction(this.#database, () => {
        for (const finding of newFindings) add.run(finding.id, finding.exchanges.at(-1) ?? 0, JSON.stringify(finding))
        for (const { id, at } of withdrawals) {
          const stored = findingSchema.safeParse(parseStoredJson(select.get(id)?.['finding'] ?? null))
          const withdrawn = stored.success ? withdrawFinding(stored.data, at) : null
          if (withdrawn) add.run(id, withdrawn.exchanges.at(-1) ?? 0, JSON.stringify(withdrawn))
          else remove.run(id)
        }
      })
    })
    this.#count = this.#countFindings()
  }

  /** Adds new findings whose exchange still exists. Returns the number of added findings. */
  add(findings: readonly Finding[]): number {
    const previousCount = this.#count
    ignoreSqliteErrors(() => {
      const add = this.#database.prepare(
        'INSERT OR IGNORE INTO findings (id, seq, finding) SELECT ?, seq, ? FROM exchanges WHERE seq = ?',
      )
      runTransaction(this.#database, () => {
        for (const finding of findings) add.run(finding.id, JSON.stringify(finding), finding.exchanges.at(-1) ?? 0)
      })
    })
    this.#count = this.#countFindings()
    return this.#count - previousCount
  }

  /** Returns true if findings were removed with their exchanges since the last call. */
  takeRemovals(): boolean {
    const previousCount = this.#count
    this.#count = this.#countFindings()
    return this.#count < previousCount
  }

  #countFindings(): number {
    return readOrDefault(0, () => {
      const row = this.#database.prepare('SELECT count(*) AS count FROM findings').get()
      return Number(row?.['count'] ?? 0)
    })
  }
}

function readOrDefault<T>(defaultValue: T, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (getSqliteErrorCode(error) === 0) throw error
    return defaultValue
  }
}
