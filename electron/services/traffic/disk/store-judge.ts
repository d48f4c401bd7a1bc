import type { FindingScope } from '../../../../shared/protocol/finding.ts'
import type { CallerEnd, PendingExchange } from '../../../../shared/protocol/rules/rule-engine.ts'
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
  /** Returns null if no response is stored. */
  readonly readResponse: (seq: number) => { readonly bytes: Uint8Array; readonly isWhole: boolean } | null
  readonly onFindings: ((change: FindingsChange) => void) | undefined
}

/** Applies the rules to the exchanges of the store on disk, and saves the findings. */
export class StoreJudge {
  readonly #options: Options
  readonly #storedFindings: StoredFindings
  readonly #judge: FindingsJudge
  readonly #firstSeqOfRun: number
  #addedExchanges: StoredExchange[] = []
  #earlierRunsResult: Promise<JudgedRuns> | null = null

  constructor(options: Options) {
    this.#options = options
    const { database, conceal, onFindings } = options
    this.#storedFindings = new StoredFindings(database)
    this.#judge = new FindingsJudge({
      conceal,
      contains: this.#containsInResponse,
      getClearedSeq: () => this.#storedFindings.clearedSeq,
      onChange: (change) => {
        this.#storedFindings.applyChange(change)
        onFindings?.(change)
      },
    })
    this.#firstSeqOfRun =
      Number(database.prepare('SELECT max(seq) AS newest FROM exchanges').get()?.['newest'] ?? 0) + 1
    onFindings?.({ kind: 'all', findings: this.#storedFindings.all() })
  }

  readonly #containsInResponse = (seq: number, text: string): boolean | null => {
    const response = this.#options.readResponse(seq)
    return response && containsText(response.bytes, text, response.isWhole)
  }

  /** Adds an exchange that is being written; `judgeAdded` then applies the rules. */
  addExchange(row: ExchangeRow, { beganAt, endedAt, request, response }: RawEntry): void {
    this.#addedExchanges.push({
      row,
      beganAt,
      endedAt,
      request: getCompleteBytes(request),
      response: getCompleteBytes(response),
    })
  }

  /** Called when the added exchanges could not be written. */
  discardAdded(): void {
    this.#addedExchanges = []
  }

  /**
   * Applies the rules to the added exchanges. Must be called after the transaction, because rules
   * may read further exchanges.
   */
  judgeAdded(): void {
    const exchanges = this.#addedExchanges
    this.#addedExchanges = []
    this.#judge.observeExchanges(exchanges)
  }

  checkPending(now: number, underWay: readonly PendingExchange[]): void {
    this.#judge.checkPending(now, underWay)
  }

  recordPanelCall(id: string, page: PanelCallFacts): void {
    this.#judge.observePanelCall(id, page)
  }

  recordCallersEnded(scope: FindingScope, end: CallerEnd): void {
    this.#judge.observeCallersEnded(scope, end)
  }

  areCallersOwing(scope: FindingScope): boolean {
    return this.#judge.areCallersOwing(scope)
  }

  recordPageLeft(caller: string, load: number): void {
    this.#judge.observePageLeft(caller, load)
  }

  recordHold(caller: PendingExchange): void {
    this.#judge.observeHold(caller)
  }

  recordGap(now: number): void {
    this.#judge.observeGap(now)
  }

  /**
   * Applies the rules to the exchanges of previous runs, once. The findings are published like all
   * others; the result contains the numbers of judged and skipped exchanges.
   */
  judgeEarlierRuns(reading: TrafficReader): Promise<JudgedRuns> {
    this.#earlierRunsResult ??= this.#judgePast(reading)
    return this.#earlierRunsResult
  }

  async #judgePast(reading: TrafficReader): Promise<JudgedRuns> {
    const { database, conceal, onFindings } = this.#options
    const { findings, judgedCount, skippedCount } = await judgeEarlierRuns({
      ...{ database, reading, conceal, before: this.#firstSeqOfRun, contains: this.#containsInResponse },
      getClearedSeq: () => this.#storedFindings.clearedSeq,
    })
    if (this.#storedFindings.add(findings) > 0) onFindings?.({ kind: 'all', findings: this.#storedFindings.all() })
    return { judged: judgedCount, left: skippedCount }
  }

  /**
   * Removes every finding, and lets the rules report no more findings for exchanges up to `newest`.
   */
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
