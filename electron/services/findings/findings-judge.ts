import { RuleEngine, type PendingExchange } from '../../../shared/protocol/rules/rule-engine.ts'
import { findingSchema, type Finding } from '../../../shared/protocol/finding.ts'
import { BoundedMap } from '../../../shared/protocol/rule-state.ts'
import type { ObservedExchange } from '../../../shared/protocol/observed-exchange.ts'
import { toExchangeStep, type StoredExchange, type PanelCallFacts } from './exchange-step.ts'

/** Calls of panels of which one half is known. */
const MAX_UNPAIRED = 1_000

/** What has changed in the list of findings. */
export type FindingsChange =
  | { readonly kind: 'all'; readonly findings: readonly Finding[] }
  | { readonly kind: 'some'; readonly newFindings: readonly Finding[]; readonly withdrawnIds: readonly string[] }

interface Options {
  /** Removes every known token: a host may have echoed one in any value. */
  readonly conceal: (text: string) => string
  readonly contains: (seq: number, text: string) => boolean | null
  /** Findings at exchanges up to this `seq` were cleared. Default 0. */
  readonly getClearedSeq?: () => number
  readonly onChange: (change: Extract<FindingsChange, { kind: 'some' }>) => void
}

/**
 * Whether the bytes of an answer hold an id: null if nobody knows, because the answer is cut or JSON may write the id in other ways (hosts
 * escape slashes).
 */
export function containsText(bytes: Uint8Array, text: string, isWhole: boolean): boolean | null {
  const isFound = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(text)
  return isFound || (isWhole && /^[\w.:~-]+$/.test(text)) ? isFound : null
}

/** Feeds what a store has kept to the rules. Lives where the bodies are, off the way of any exchange, and never throws. */
export class FindingsJudge {
  readonly #options: Options
  readonly #rules: RuleEngine
  /** By the id of the exchange: an exchange may end before or after its page is known. */
  readonly #steps = new BoundedMap<ObservedExchange>(MAX_UNPAIRED)
  readonly #pages = new BoundedMap<PanelCallFacts>(MAX_UNPAIRED)
  #found: Finding[] = []
  #withdrawn: string[] = []

  constructor(options: Options) {
    this.#options = options
    this.#rules = new RuleEngine({
      onFinding: (finding) => {
        if ((finding.exchanges.at(-1) ?? 0) > (options.getClearedSeq?.() ?? 0)) this.#found.push(finding)
      },
      onWithdrawal: (id) => void this.#withdrawn.push(id),
      responseContains: options.contains,
    })
  }

  observeExchanges(exchanges: readonly StoredExchange[]): void {
    for (const exchange of exchanges) this.#quietly(() => this.#feed(exchange))
    this.#tell()
  }

  /** How the page of a panel called, for the exchange with this id. */
  observePanelCall(id: string, page: PanelCallFacts): void {
    const step = this.#steps.get(id)
    if (step) this.#quietly(() => this.#rules.observePanelCall({ ...step, ...page }))
    else this.#pages.set(id, page)
    this.#tell()
  }

  #feed(exchange: StoredExchange): void {
    const step = toExchangeStep(exchange)
    // Earlier versions kept no more of a panel than its title, which may be that of another or change at any time.
    if (step.origin.kind === 'panel' && step.origin.caller === undefined) this.#rules.observeUnattributed(step)
    else this.#rules.observeExchange(step)
    if (step.origin.kind !== 'panel') return
    const { id } = exchange.row
    const page = this.#pages.get(id)
    this.#pages.delete(id)
    if (page) this.#rules.observePanelCall({ ...step, ...page })
    else this.#steps.set(id, step)
  }

  checkPending(now: number, underWay: readonly PendingExchange[]): void {
    this.#quietly(() => this.#rules.tick(now, underWay))
    this.#tell()
  }

  /** The page of a panel was left. */
  observePageLeft(caller: string, load: number): void {
    this.#rules.markLoadsLeft(caller, load)
  }

  observeGap(now: number): void {
    this.#rules.markRecordingGap(now)
  }

  /** A rule that fails on what a stranger sent costs its finding, never the record. */
  #quietly(work: () => void): void {
    try {
      work()
    } catch {
      // Nothing is said where nothing is known.
    }
  }

  #tell(): void {
    if (this.#found.length === 0 && this.#withdrawn.length === 0) return
    const { conceal, onChange: changed } = this.#options
    const clean = (finding: Finding): Finding => {
      const params = Object.entries(finding.params).map(([name, value]) => [name, conceal(value)] as const)
      return findingSchema.parse({ ...finding, id: conceal(finding.id), params: Object.fromEntries(params) })
    }
    const change = { kind: 'some', newFindings: this.#found.map(clean), withdrawnIds: this.#withdrawn } as const
    this.#found = []
    this.#withdrawn = []
    changed(change)
  }
}
