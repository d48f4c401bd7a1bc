import type { UnderWay } from '../../../../shared/protocol/rules/engine.ts'
import type { ExchangeRow } from '../../../../shared/traffic/exchange.ts'
import { holdsText, Judge, type FindingsChange } from '../../findings/judge.ts'
import type { KeptExchange, PageDeed } from '../../findings/step-of.ts'
import type { Database } from '../../journal/database.ts'
import type { RawBody, RawEntry } from '../entry.ts'
import type { Judged } from '../store.ts'
import { KeptFindings } from './kept-findings.ts'
import { judgePast } from './past.ts'
import type { Reading } from './reading.ts'

interface Options {
  readonly database: Database
  readonly conceal: (text: string) => string
  /** What is kept of the answer of an exchange, and whether that is all of it; null if nothing is. */
  readonly answerOf: (seq: number) => { readonly bytes: Uint8Array; readonly isWhole: boolean } | null
  readonly onFindings: ((change: FindingsChange) => void) | undefined
}

/** Judges what the store on disk has kept, and keeps what is found. */
export class Judging {
  readonly #options: Options
  readonly #kept: KeptFindings
  readonly #judge: Judge
  readonly #firstOfRun: number
  #waiting: KeptExchange[] = []
  #past: Promise<Judged> | null = null

  constructor(options: Options) {
    this.#options = options
    const { database, conceal, onFindings } = options
    this.#kept = new KeptFindings(database)
    this.#judge = new Judge({
      conceal,
      contains: this.#contains,
      clearedTo: () => this.#kept.clearedTo,
      changed: (change) => {
        this.#kept.keep(change)
        onFindings?.(change)
      },
    })
    this.#firstOfRun = Number(database.prepare('SELECT max(seq) AS newest FROM exchanges').get()?.['newest'] ?? 0) + 1
    onFindings?.({ kind: 'all', findings: this.#kept.all() })
  }

  readonly #contains = (seq: number, text: string): boolean | null => {
    const answer = this.#options.answerOf(seq)
    return answer && holdsText(answer.bytes, text, answer.isWhole)
  }

  /** An exchange that is being written. */
  add(row: ExchangeRow, { beganAt, endedAt, request, response }: RawEntry): void {
    this.#waiting.push({ row, beganAt, endedAt, request: whole(request), response: whole(response) })
  }

  /** What was added was not written. */
  drop(): void {
    this.#waiting = []
  }

  /** After the transaction: a rule may ask for what another exchange holds. */
  judge(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#judge.kept(waiting)
  }

  tick(now: number, underWay: readonly UnderWay[]): void {
    this.#judge.tick(now, underWay)
  }

  called(id: string, page: PageDeed): void {
    this.#judge.called(id, page)
  }

  left(caller: string, load: number): void {
    this.#judge.left(caller, load)
  }

  gap(now: number): void {
    this.#judge.gap(now)
  }

  /** Judges what earlier runs kept, once: what is found comes with the findings, and the rest is told. */
  past(reading: Reading): Promise<Judged> {
    this.#past ??= this.#judgePast(reading)
    return this.#past
  }

  async #judgePast(reading: Reading): Promise<Judged> {
    const { database, conceal, onFindings } = this.#options
    const { found, judged, left } = await judgePast({
      ...{ database, reading, conceal, before: this.#firstOfRun, contains: this.#contains },
      clearedTo: () => this.#kept.clearedTo,
    })
    if (this.#kept.add(found) > 0) onFindings?.({ kind: 'all', findings: this.#kept.all() })
    return { judged, left }
  }

  /** Forgets every finding, and what would be found at exchanges up to this `seq`. */
  clear(newest: number): void {
    this.#kept.clear(newest)
    this.#options.onFindings?.({ kind: 'all', findings: [] })
  }

  /** Exchanges were removed: their findings went with them. */
  removed(): void {
    if (this.#kept.haveGone()) this.#options.onFindings?.({ kind: 'all', findings: this.#kept.all() })
  }
}

const whole = ({ bytes, missing }: RawBody): Uint8Array | null => (missing === null ? bytes : null)
