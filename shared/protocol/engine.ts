import type { Origin } from '../traffic/exchange.ts'
import { readHostLimits, type HostLimits } from '../bridge/host-limits.ts'
import { readAnswer } from '../bridge/read-answer.ts'
import type { Finding } from './finding.ts'
import { Recent, type Scene, type Watch } from './rule.ts'
import { watchFailedIds } from './rules/failed-ids.ts'
import { watchListing } from './rules/listing.ts'
import { watchOldRun } from './rules/old-run.ts'
import { judgePage, watchPanelCalls } from './rules/panel-calls.ts'
import { watchParameters } from './rules/parameters.ts'
import { watchPencil } from './rules/pencil.ts'
import { watchRepeats } from './rules/repeats.ts'
import { watchRetries } from './rules/retry.ts'
import { watchVerdicts } from './rules/verdict.ts'
import { isOk, type Step } from './step.ts'

/** Callers that are remembered. */
const MOST_CALLERS = 200
/** For this long after a gap in the recording, ids may be known from what was not recorded. */
const GAP_MS = 30 * 60_000
/** Longest value in a finding. */
const LONGEST = 200

/** Who is under way, and to where. */
export interface UnderWay {
  readonly origin: Origin
  readonly host: string
}

interface Options {
  readonly found: (finding: Finding) => void
  /** What was told did follow after all. */
  readonly withdrawn: (id: string) => void
  /** Whether the kept answer of an exchange contains this text; null if nobody knows. */
  readonly contains: (seq: number, text: string) => boolean | null
}

interface Caller {
  readonly origin: Origin
  readonly host: string
  readonly watches: readonly Watch[]
}

/** The rules over exchanges: fed one by one in the order in which they ended, live or from a recording. Bounded, and without a clock. */
export class ProtocolRules {
  readonly #options: Options
  #callers = new Recent<Caller>(MOST_CALLERS)
  readonly #limits = new Recent<HostLimits>(20)
  #gapAt = -Infinity

  constructor(options: Options) {
    this.#options = options
  }

  /** An exchange ended. */
  feed(step: Step): void {
    const { origin, host } = step
    // The lab breaks rules on purpose, to see what the host says.
    if (origin.kind === 'lab') return
    if (step.endpoint === 'capabilities.get' && isOk(step)) {
      const { value } = readAnswer('capabilities.get', step.answer)
      if (value) this.#limits.set(host, readHostLimits(value))
    }
    const key = callerKey(step)
    const caller = this.#callers.get(key) ?? { origin, host, watches: makeWatches() }
    this.#callers.set(key, caller)
    const scene = this.#scene(step.origin, host, step.end)
    for (const watch of caller.watches) watch.step(step, scene)
  }

  /** What became known of how a panel's page called, for an exchange that was fed. */
  called(step: Step): void {
    judgePage(step, this.#scene(step.origin, step.host, step.end))
  }

  /** Looks for what did not follow. A caller with something under way is left for later. */
  tick(now: number, underWay: readonly UnderWay[]): void {
    const busy = new Set(underWay.map(callerKey))
    for (const caller of this.#callers.values()) {
      // How far a place of this program reads is up to the person who leaves it; it says how much it holds.
      if (caller.origin.kind === 'place' || busy.has(callerKey(caller))) continue
      const scene = this.#scene(caller.origin, caller.host, now)
      for (const watch of caller.watches) watch.quiet?.(scene)
    }
  }

  /** Something was not recorded: what happened before proves nothing about what comes. */
  gap(now: number): void {
    this.#callers = new Recent<Caller>(MOST_CALLERS)
    this.#gapAt = now
  }

  /** Callers that are remembered now. */
  get callers(): number {
    return this.#callers.size
  }

  #scene(origin: Origin, host: string, now: number): Scene {
    const { found, withdrawn, contains } = this.#options
    const unbroken = now - this.#gapAt > GAP_MS
    return {
      now,
      unbroken,
      whole: unbroken && origin.kind === 'panel',
      contains,
      limits: this.#limits.get(host) ?? null,
      withdraw: withdrawn,
      report(rule, seqs, params, mark = '') {
        const exchanges = [...new Set(seqs)].slice(-50)
        const id = `${rule}:${exchanges.at(-1) ?? 0}${mark === '' ? '' : `:${mark.slice(0, 80)}`}`
        const short = Object.entries(params).map(([name, value]) => [name, value.slice(0, LONGEST)] as const)
        found({ id, rule, at: now, origin, exchanges, params: Object.fromEntries(short) })
        return id
      },
    }
  }
}

const makeWatches = (): readonly Watch[] => [
  watchPanelCalls(),
  watchParameters(),
  watchRetries(),
  watchRepeats(),
  watchPencil(),
  watchVerdicts(),
  watchFailedIds(),
  watchOldRun(),
  watchListing(),
]

/** Whoever remembers what it was told: a write together with what follows it, and each other origin by itself. */
function callerKey({ origin, host }: UnderWay): string {
  const kind = origin.kind === 'tracker' ? 'write' : origin.kind
  return JSON.stringify([kind, origin.label, host])
}
