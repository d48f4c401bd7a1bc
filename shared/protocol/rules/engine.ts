import type { Origin } from '../../traffic/exchange.ts'
import { readHostLimits, type HostLimits } from '../../bridge/host-limits.ts'
import { readAnswer } from '../../bridge/read-answer.ts'
import type { Finding } from '../finding.ts'
import { CallerMemory, Recent, type Scene, type Watch } from '../rule.ts'
import { watchFailedIds } from './failed-ids.ts'
import { watchListing } from './listing.ts'
import { watchOldRun } from './old-run.ts'
import { judgePage, watchPanelCalls } from './panel-calls.ts'
import { watchParameters } from './parameters.ts'
import { watchPencil } from './pencil.ts'
import { watchBatches, watchRepeats, watchRetries } from './repeats.ts'
import { listedRoutes, watchRoutes } from './routes.ts'
import { watchSessions } from './session.ts'
import { watchVerdicts } from './verdict.ts'
import type { Step } from '../step.ts'

/** Callers that are remembered, and loads of each. */
const MOST_CALLERS = 200
const MAX_LOADS = 20
/** Exchanges of which it is remembered what they are about. */
const MAX_RESOURCES = 20_000
/** For this long after a gap in the recording, ids may be known from what was not recorded. */
const GAP_MS = 30 * 60_000
/** Longest value in a finding, and longest path that it is about. */
const LONGEST = 200
const MAX_RESOURCE_CHARS = 400

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

interface Load {
  readonly number: number
  readonly origin: Origin
  readonly watches: readonly Watch[]
  /** Its page is gone, and could not go on with anything. */
  isLeft: boolean
}

interface Caller {
  readonly host: string
  readonly memory: CallerMemory
  readonly loads: Recent<Load>
  newestLoad: number
  /** It was not there yet when something was last left out of the recording. */
  readonly isKnownWhole: boolean
}

/** The rules over exchanges: fed one by one in the order in which they ended, live or from a recording. Bounded, and without a clock. */
export class ProtocolRules {
  readonly #options: Options
  #callers = new Recent<Caller>(MOST_CALLERS)
  readonly #limits = new Recent<HostLimits>(20)
  readonly #routes = new Recent<readonly string[] | null>(20)
  readonly #resources = new Recent<string>(MAX_RESOURCES)
  /** Callers that were there when something was left out of the recording. */
  #broken = new Recent<true>(MOST_CALLERS)
  #gapAt = -Infinity

  constructor(options: Options) {
    this.#options = options
  }

  /** An exchange ended. */
  feed(step: Step): void {
    const { origin, host } = step
    if (!this.#admit(step)) return
    const caller = this.#callerOf(step)
    const scene = this.#scene(origin, host, step.end, caller)
    const own = this.#loadOf(caller, origin)
    for (const load of caller.loads.values()) {
      for (const watch of load.watches)
        if (load === own) watch.step(step, scene)
        else watch.stepBeside?.(step, scene)
    }
  }

  /** An exchange of a caller that nobody can tell from others: judged by itself. */
  feedAlone(step: Step): void {
    if (!this.#admit(step)) return
    const scene = this.#scene(step.origin, step.host, step.end, null)
    for (const watch of makeStatelessWatches()) watch.step(step, scene)
  }

  /** Remembers what any caller may go by; false for an exchange that is not judged. */
  #admit({ seq, origin, method, path, ...step }: Step): boolean {
    // The lab breaks rules on purpose, to see what the host says.
    if (origin.kind === 'lab') return false
    if (step.endpoint === 'capabilities.get' && step.status === 200) {
      const { value } = readAnswer('capabilities.get', step.answer)
      if (value) this.#limits.set(step.host, readHostLimits(value))
      this.#routes.set(step.host, listedRoutes(step.answer))
    }
    this.#resources.set(String(seq), `${method} ${path.split('?', 1)[0] ?? ''}`.slice(0, MAX_RESOURCE_CHARS))
    return true
  }

  #callerOf({ origin, host, end }: Step): Caller {
    const key = callerKey({ origin, host })
    const isKnownWhole = !this.#broken.get(key) && end - this.#gapAt > GAP_MS
    const caller = this.#callers.get(key) ?? {
      host,
      memory: new CallerMemory(),
      loads: new Recent<Load>(MAX_LOADS),
      newestLoad: 0,
      isKnownWhole,
    }
    this.#callers.set(key, caller)
    return caller
  }

  #loadOf(caller: Caller, origin: Origin): Load {
    const number = origin.load ?? 0
    const load = caller.loads.get(String(number)) ?? {
      number,
      origin,
      watches: makeWatches(caller.memory),
      isLeft: false,
    }
    caller.loads.set(String(number), load)
    caller.newestLoad = Math.max(caller.newestLoad, number)
    return load
  }

  /** The pages of a panel up to this load were left, by a reload or because the panel was stopped: nothing can follow from them any more. */
  left(id: string, through: number): void {
    for (const { loads } of this.#callers.values()) {
      for (const load of loads.values()) if (load.origin.caller === id && load.number <= through) load.isLeft = true
    }
  }

  /** What became known of how a panel's page called, for an exchange that was fed. */
  called(step: Step): void {
    judgePage(step, this.#scene(step.origin, step.host, step.end, null))
  }

  /** Looks for what did not follow. A caller with something under way is left for later. */
  tick(now: number, underWay: readonly UnderWay[]): void {
    const busy = new Set(underWay.map(callerKey))
    for (const caller of this.#callers.values()) {
      for (const { origin, number, watches, isLeft } of caller.loads.values()) {
        // How far a place of this program reads is up to the person who leaves it; it says how much it holds.
        if (origin.kind === 'place' || busy.has(callerKey({ origin, host: caller.host }))) continue
        // Of several loads of a page only the newest is known to be there still.
        if (origin.kind === 'panel' && (isLeft || number < caller.newestLoad)) continue
        const scene = this.#scene(origin, caller.host, now, caller)
        for (const watch of watches) watch.quiet?.(scene)
      }
    }
  }

  /** Something was not recorded: what happened before proves nothing about what comes. */
  gap(now: number): void {
    for (const key of this.#callers.keys()) this.#broken.set(key, true)
    this.#callers = new Recent<Caller>(MOST_CALLERS)
    this.#gapAt = now
  }

  /** Callers that are remembered now. */
  get callers(): number {
    return this.#callers.size
  }

  #scene(origin: Origin, host: string, now: number, caller: Caller | null): Scene {
    const { found, withdrawn, contains } = this.#options
    const resources = this.#resources
    const unbroken = now - this.#gapAt > GAP_MS
    return {
      now,
      unbroken,
      whole: unbroken && origin.kind === 'panel' && caller?.isKnownWhole === true,
      contains,
      limits: this.#limits.get(host) ?? null,
      routes: () => this.#routes.get(host) ?? null,
      withdraw: withdrawn,
      report(rule, seqs, params, mark = '') {
        const exchanges = [...new Set(seqs)].slice(-50)
        const suffix = mark === '' ? '' : `:${mark.slice(0, 80)}`
        const last = exchanges.at(-1) ?? 0
        const id = `${rule}:${last}${suffix}`
        const resource = `${resources.get(String(last)) ?? ''}${suffix}`
        const short = Object.entries(params).map(([name, value]) => [name, value.slice(0, LONGEST)] as const)
        found({ id, rule, at: now, origin, resource, exchanges, params: Object.fromEntries(short) })
        return id
      },
    }
  }
}

/** Those that look at one exchange at a time. */
const makeStatelessWatches = (): readonly Watch[] => [watchPanelCalls(), watchRoutes(), watchParameters()]

const makeWatches = (memory: CallerMemory): readonly Watch[] => [
  ...makeStatelessWatches(),
  watchRetries(),
  watchRepeats(),
  watchBatches(),
  watchPencil(memory),
  watchSessions(),
  watchVerdicts(memory),
  watchFailedIds(),
  watchOldRun(),
  watchListing(memory),
]

/** Whoever remembers what it was told: a write together with what follows it, and each other origin by itself. */
function callerKey({ origin, host }: UnderWay): string {
  const kind = origin.kind === 'tracker' ? 'write' : origin.kind
  return JSON.stringify([kind, origin.caller ?? origin.label, host])
}
