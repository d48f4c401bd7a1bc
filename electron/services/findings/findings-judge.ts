import { RuleEngine, type CallerEnd, type PendingExchange } from '../../core/protocol/rules/rule-engine.ts'
import { findingSchema, type Finding, type FindingScope, type Withdrawal } from '../../../shared/protocol/finding.ts'
import { withdrawFinding } from '../../../shared/protocol/rule-table.ts'
import { REPEATED_MARK } from '../../../shared/panel/panel.ts'
import { toExchangeStep, type StoredExchange } from './exchange-step.ts'

export type FindingsChange =
  | { readonly kind: 'all'; readonly findings: readonly Finding[] }
  | {
      readonly kind: 'some'
      readonly newFindings: readonly Finding[]
      readonly withdrawals: readonly Withdrawal[]
    }

interface Options {
  /** Removes every known token, because a host may return a token in any value. */
  readonly conceal: (text: string) => string
  readonly contains: (seq: number, text: string) => boolean | null
  /** The largest `seq` for which the user cleared the findings. Default 0. */
  readonly getClearedSeq?: () => number
  readonly onChange: (change: Extract<FindingsChange, { kind: 'some' }>) => void
}

/** Applies a change to findings by id, of which the oldest is first. */
export function applyFindingsChange(
  findings: Map<string, Finding>,
  { newFindings, withdrawals }: Extract<FindingsChange, { kind: 'some' }>,
): void {
  for (const finding of newFindings) findings.set(finding.id, finding)
  for (const { id, at } of withdrawals) {
    const finding = findings.get(id)
    const withdrawn = finding ? withdrawFinding(finding, at) : null
    if (withdrawn) findings.set(id, withdrawn)
    else findings.delete(id)
  }
}

/** True or false; null if the response is cut, or JSON may escape the id (hosts do slashes). */
export function containsText(bytes: Uint8Array, text: string, isWhole: boolean): boolean | null {
  const isFound = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(text)
  return isFound || (isWhole && /^[\w.:~-]+$/.test(text)) ? isFound : null
}

/** Runs in the thread that has the bodies, delays no exchange, and never throws. */
export class FindingsJudge {
  readonly #options: Options
  readonly #rules: RuleEngine
  #newFindings: Finding[] = []
  #withdrawals: Withdrawal[] = []

  constructor(options: Options) {
    this.#options = options
    this.#rules = new RuleEngine({
      onFinding: (finding) => {
        if ((finding.exchanges.at(-1) ?? 0) > (options.getClearedSeq?.() ?? 0)) this.#newFindings.push(finding)
      },
      onWithdrawal: (withdrawal) => void this.#withdrawals.push(withdrawal),
      responseContains: options.contains,
    })
  }

  observeExchanges(exchanges: readonly StoredExchange[]): void {
    for (const exchange of exchanges) this.#tryWork(() => this.#observe(exchange))
    this.#publishChanges()
  }

  #observe(exchange: StoredExchange): void {
    // The panel made this call once.
    if (exchange.row.rule === REPEATED_MARK) return
    const step = toExchangeStep(exchange)
    // Earlier versions stored a panel's title, which may change or be that of several.
    if (step.origin.kind === 'panel' && step.origin.caller === undefined) this.#rules.observeUnattributed(step)
    else this.#rules.observeExchange(step)
  }

  checkPending(now: number, pending: readonly PendingExchange[]): void {
    this.#tryWork(() => this.#rules.tick(now, pending))
    this.#publishChanges()
  }

  /** Decides what these callers owe, because they can send no further request. */
  recordCallersEnded(scope: FindingScope, end: CallerEnd): void {
    this.#tryWork(() => this.#rules.endCallers(scope, end))
    this.#publishChanges()
  }

  areCallersOwing(scope: FindingScope): boolean {
    return this.#rules.areCallersOwing(scope)
  }

  recordPageLeft(caller: string, load: number): void {
    this.#rules.markLoadsLeft(caller, load)
  }

  recordHold(caller: PendingExchange): void {
    this.#rules.forgetCaller(caller)
  }

  recordGap(now: number): void {
    this.#rules.markRecordingGap(now)
  }

  /** If a rule fails on unexpected data, only its finding is lost, not the record. */
  #tryWork(work: () => void): void {
    try {
      work()
    } catch {
      // Without this data, there is no finding.
    }
  }

  #publishChanges(): void {
    if (this.#newFindings.length === 0 && this.#withdrawals.length === 0) return
    const { conceal, onChange } = this.#options
    const concealFinding = (finding: Finding): Finding => {
      const params = Object.entries(finding.params).map(([name, value]) => [name, conceal(value)] as const)
      return findingSchema.parse({ ...finding, id: conceal(finding.id), params: Object.fromEntries(params) })
    }
    const change = {
      kind: 'some',
      newFindings: this.#newFindings.map(concealFinding),
      withdrawals: this.#withdrawals.map(({ id, at }) => ({ id: conceal(id), at })),
    } as const
    this.#newFindings = []
    this.#withdrawals = []
    onChange(change)
  }
}
