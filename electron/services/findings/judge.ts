import { ProtocolRules, type UnderWay } from '../../../shared/protocol/rules/engine.ts'
import { findingSchema, type Finding } from '../../../shared/protocol/finding.ts'
import { Recent } from '../../../shared/protocol/rule.ts'
import type { Step } from '../../../shared/protocol/step.ts'
import { stepOf, type KeptExchange, type PageDeed } from './step-of.ts'

/** Calls of panels of which one half is known. */
const MOST_HALVES = 1_000

/** What has changed in the list of findings. */
export type FindingsChange =
  | { readonly kind: 'all'; readonly findings: readonly Finding[] }
  | { readonly kind: 'some'; readonly found: readonly Finding[]; readonly withdrawn: readonly string[] }

interface Options {
  /** Removes every known token: a host may have echoed one in any value. */
  readonly conceal: (text: string) => string
  readonly contains: (seq: number, text: string) => boolean | null
  /** Findings at exchanges up to this `seq` were cleared. Default 0. */
  readonly clearedTo?: () => number
  readonly changed: (change: Extract<FindingsChange, { kind: 'some' }>) => void
}

/**
 * Whether the bytes of an answer hold an id: null if nobody knows, because the answer is cut or JSON may write the id in other ways (hosts
 * escape slashes).
 */
export function holdsText(bytes: Uint8Array, text: string, isWhole: boolean): boolean | null {
  const isFound = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(text)
  return isFound || (isWhole && /^[\w.:~-]+$/.test(text)) ? isFound : null
}

/** Feeds what a store has kept to the rules. Lives where the bodies are, off the way of any exchange, and never throws. */
export class Judge {
  readonly #options: Options
  readonly #rules: ProtocolRules
  /** By the id of the exchange: an exchange may end before or after its page is known. */
  readonly #steps = new Recent<Step>(MOST_HALVES)
  readonly #pages = new Recent<PageDeed>(MOST_HALVES)
  #found: Finding[] = []
  #withdrawn: string[] = []

  constructor(options: Options) {
    this.#options = options
    this.#rules = new ProtocolRules({
      found: (finding) => {
        if ((finding.exchanges.at(-1) ?? 0) > (options.clearedTo?.() ?? 0)) this.#found.push(finding)
      },
      withdrawn: (id) => void this.#withdrawn.push(id),
      contains: options.contains,
    })
  }

  kept(exchanges: readonly KeptExchange[]): void {
    for (const exchange of exchanges) this.#quietly(() => this.#feed(exchange))
    this.#tell()
  }

  /** How the page of a panel called, for the exchange with this id. */
  called(id: string, page: PageDeed): void {
    const step = this.#steps.get(id)
    if (step) this.#quietly(() => this.#rules.called({ ...step, ...page }))
    else this.#pages.set(id, page)
    this.#tell()
  }

  #feed(exchange: KeptExchange): void {
    const step = stepOf(exchange)
    // Earlier versions kept no more of a panel than its title, which may be that of another or change at any time.
    if (step.origin.kind === 'panel' && step.origin.caller === undefined) this.#rules.feedAlone(step)
    else this.#rules.feed(step)
    if (step.origin.kind !== 'panel') return
    const { id } = exchange.row
    const page = this.#pages.get(id)
    this.#pages.delete(id)
    if (page) this.#rules.called({ ...step, ...page })
    else this.#steps.set(id, step)
  }

  tick(now: number, underWay: readonly UnderWay[]): void {
    this.#quietly(() => this.#rules.tick(now, underWay))
    this.#tell()
  }

  /** The page of a panel was left. */
  left(caller: string, load: number): void {
    this.#rules.left(caller, load)
  }

  gap(now: number): void {
    this.#rules.gap(now)
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
    const { conceal, changed } = this.#options
    const clean = (finding: Finding): Finding => {
      const params = Object.entries(finding.params).map(([name, value]) => [name, conceal(value)] as const)
      return findingSchema.parse({ ...finding, id: conceal(finding.id), params: Object.fromEntries(params) })
    }
    const change = { kind: 'some', found: this.#found.map(clean), withdrawn: this.#withdrawn } as const
    this.#found = []
    this.#withdrawn = []
    changed(change)
  }
}
