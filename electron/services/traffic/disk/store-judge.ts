import { findingSchema, type Finding } from '../../../../shared/protocol/finding.ts'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import { containsText, FindingsJudge, type FindingsChange } from '../../findings/findings-judge.ts'
import type { StoredExchange } from '../../findings/exchange-step.ts'
import { type Database, getSqliteErrorCode } from '../../journal/database.ts'
import type { RawBody, RawEntry } from '../entry.ts'
import type { JudgedRuns } from '../traffic-store.ts'
import { judgeEarlierRuns } from './earlier-runs.ts'
import type { TrafficReader } from './traffic-reader.ts'
import { withdrawFinding } from '../../../../shared/protocol/rule-table.ts'
import { parseStoredJson } from './exchange-rows.ts'
import { ignoreSqliteErrors, runTransaction } from './transaction.ts'

/** Maximum number of findings that are read. */
const MAX_FINDINGS = 5_000

/** The findings on disk. A finding is removed together with the exchange to which it belongs. */
class StoredFindings {
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

  /** Findings, the oldest first; none if the file is damaged, so that exchanges stay usable. */
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

interface Options {
  readonly database: Database
  readonly conceal: (text: string) => string
  readonly readResponse: (seq: number) => { readonly bytes: Uint8Array; readonly isWhole: boolean } | null
  readonly onFindings: ((change: FindingsChange) => void) | undefined
}

/** Applies the rules to the exchanges of the store on disk, and saves the findings. */
export class StoreJudge extends FindingsJudge {
  readonly #options: Options
  readonly #storedFindings: StoredFindings
  readonly #containsInResponse: (seq: number, text: string) => boolean | null
  readonly #firstSeqOfRun: number
  #addedExchanges: StoredExchange[] = []
  #earlierRunsResult: Promise<JudgedRuns> | null = null

  constructor(options: Options) {
    const { database, conceal, readResponse, onFindings } = options
    const storedFindings = new StoredFindings(database)
    const containsInResponse = (seq: number, text: string): boolean | null => {
      const response = readResponse(seq)
      return response && containsText(response.bytes, text, response.isWhole)
    }
    super({
      conceal,
      contains: containsInResponse,
      getClearedSeq: () => storedFindings.clearedSeq,
      onChange: (change) => {
        storedFindings.applyChange(change)
        onFindings?.(change)
      },
    })
    this.#options = options
    this.#storedFindings = storedFindings
    this.#containsInResponse = containsInResponse
    this.#firstSeqOfRun =
      Number(database.prepare('SELECT max(seq) AS newest FROM exchanges').get()?.['newest'] ?? 0) + 1
    onFindings?.({ kind: 'all', findings: this.#storedFindings.all() })
  }

  /** Adds an exchange that is being written; `judgeAdded` then applies the rules. */
  addExchange(row: ExchangeRow, { beganAt, endedAt, request, response, panelCall }: RawEntry): void {
    this.#addedExchanges.push({
      row,
      beganAt,
      endedAt,
      request: getCompleteBytes(request),
      response: getCompleteBytes(response),
      panelCall,
    })
  }

  /** Called when the added exchanges could not be written. */
  discardAdded(): void {
    this.#addedExchanges = []
  }

  /** Applies the rules, which may read further exchanges: to be called after the transaction. */
  judgeAdded(): void {
    const exchanges = this.#addedExchanges
    this.#addedExchanges = []
    this.observeExchanges(exchanges)
  }

  /** Applies rules to previous runs once; returns the numbers of judged and skipped exchanges. */
  judgeEarlierRuns(reading: TrafficReader): Promise<JudgedRuns> {
    this.#earlierRunsResult ??= this.#judgePast(reading)
    return this.#earlierRunsResult
  }

  async #judgePast(reading: TrafficReader): Promise<JudgedRuns> {
    const { database, conceal, onFindings } = this.#options
    const { findings, judgedCount, skippedCount } = await judgeEarlierRuns({
      database,
      reading,
      conceal,
      before: this.#firstSeqOfRun,
      contains: this.#containsInResponse,
      getClearedSeq: () => this.#storedFindings.clearedSeq,
    })
    if (this.#storedFindings.add(findings) > 0) onFindings?.({ kind: 'all', findings: this.#storedFindings.all() })
    return { judged: judgedCount, left: skippedCount }
  }

  /** Lets the rules report no more findings for exchanges up to `newest` either. */
  clearFindings(newest: number): void {
    this.#storedFindings.clear(newest)
    this.#options.onFindings?.({ kind: 'all', findings: [] })
  }

  /** Must be called after exchanges were removed, because their findings are removed with them. */
  onExchangesRemoved(): void {
    if (this.#storedFindings.takeRemovals())
      this.#options.onFindings?.({ kind: 'all', findings: this.#storedFindings.all() })
  }
}

const getCompleteBytes = ({ bytes, missing }: RawBody): Uint8Array | null => (missing === null ? bytes : null)
