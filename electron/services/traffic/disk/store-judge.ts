import type { PendingExchange } from '../../../../shared/protocol/rules/rule-engine.ts'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import { containsText, FindingsJudge, type FindingsChange } from '../../findings/findings-judge.ts'
import type { StoredExchange, PanelCallFacts } from '../../findings/exchange-step.ts'
import type { Database } from '../../journal/database.ts'
import type { RawBody, RawEntry } from '../entry.ts'
import type { JudgedRuns } from '../traffic-store.ts'
import { StoredFindings } from './stored-findings.ts'
import { judgeEarlierRuns } from './earlier-runs.ts'
import type { TrafficReader } from './traffic-reader.ts'

interface Options {
  readonly database: Database
  readonly conceal: (text: string) => string
  /**
   * What is kept of the answer of an exchange, and whether that is all of it; null if nothing is.
   */
  readonly readResponse: (seq: number) => { readonly bytes: Uint8Array; readonly isWhole: boolean } | null
  readonly onFindings: ((change: FindingsChange) => void) | undefined
}

/** Judges what the store on disk has kept, and keeps what is found. */
export class StoreJudge {
  readonly #options: Options
  readonly #kept: StoredFindings
  readonly #judge: FindingsJudge
  readonly #firstOfRun: number
  #waiting: StoredExchange[] = []
  #past: Promise<JudgedRuns> | null = null

  constructor(options: Options) {
    this.#options = options
    const { database, conceal, onFindings } = options
    this.#kept = new StoredFindings(database)
    this.#judge = new FindingsJudge({
      conceal,
      contains: this.#contains,
      getClearedSeq: () => this.#kept.clearedSeq,
      onChange: (change) => {
        this.#kept.applyChange(change)
        onFindings?.(change)
      },
    })
    this.#firstOfRun = Number(database.prepare('SELECT max(seq) AS newest FROM exchanges').get()?.['newest'] ?? 0) + 1
    onFindings?.({ kind: 'all', findings: this.#kept.all() })
  }

  readonly #contains = (seq: number, text: string): boolean | null => {
    const answer = this.#options.readResponse(seq)
    return answer && containsText(answer.bytes, text, answer.isWhole)
  }

  /** An exchange that is being written. */
  addExchange(row: ExchangeRow, { beganAt, endedAt, request, response }: RawEntry): void {
    this.#waiting.push({ row, beganAt, endedAt, request: whole(request), response: whole(response) })
  }

  /** What was added was not written. */
  discardAdded(): void {
    this.#waiting = []
  }

  /** After the transaction: a rule may ask for what another exchange holds. */
  judgeAdded(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#judge.observeExchanges(waiting)
  }

  checkPending(now: number, underWay: readonly PendingExchange[]): void {
    this.#judge.checkPending(now, underWay)
  }

  recordPanelCall(id: string, page: PanelCallFacts): void {
    this.#judge.observePanelCall(id, page)
  }

  recordPageLeft(caller: string, load: number): void {
    this.#judge.observePageLeft(caller, load)
  }

  recordGap(now: number): void {
    this.#judge.observeGap(now)
  }

  /**
   * Judges what earlier runs kept, once: what is found comes with the findings, and the rest is
   * told.
   */
  judgeEarlierRuns(reading: TrafficReader): Promise<JudgedRuns> {
    this.#past ??= this.#judgePast(reading)
    return this.#past
  }

  async #judgePast(reading: TrafficReader): Promise<JudgedRuns> {
    const { database, conceal, onFindings } = this.#options
    const {
      findings: found,
      judgedCount: judged,
      skippedCount: left,
    } = await judgeEarlierRuns({
      ...{ database, reading, conceal, before: this.#firstOfRun, contains: this.#contains },
      getClearedSeq: () => this.#kept.clearedSeq,
    })
    if (this.#kept.add(found) > 0) onFindings?.({ kind: 'all', findings: this.#kept.all() })
    return { judged, left }
  }

  /** Forgets every finding, and what would be found at exchanges up to this `seq`. */
  clearFindings(newest: number): void {
    this.#kept.clear(newest)
    this.#options.onFindings?.({ kind: 'all', findings: [] })
  }

  /** Exchanges were removed: their findings went with them. */
  onExchangesRemoved(): void {
    if (this.#kept.takeRemovals()) this.#options.onFindings?.({ kind: 'all', findings: this.#kept.all() })
  }
}

const whole = ({ bytes, missing }: RawBody): Uint8Array | null => (missing === null ? bytes : null)
