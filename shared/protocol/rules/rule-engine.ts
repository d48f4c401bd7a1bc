import type { Origin } from '../../traffic/exchange.ts'
import { readHostLimits, type HostLimits } from '../../bridge/host-limits.ts'
import { readResponse } from '../../bridge/response-reading.ts'
import type { Finding } from '../finding.ts'
import { CallerMemory, BoundedMap, type RuleContext, type RuleState } from '../rule-state.ts'
import { createFailedIdRule } from './failed-ids.ts'
import { createListingRule } from './listing.ts'
import { createPreviousRunRule } from './previous-run.ts'
import { judgePanelCall, createPanelCallRule } from './panel-calls.ts'
import { createParameterRule } from './parameters.ts'
import { createPencilRule } from './pencil.ts'
import { createBatchRule, createRepeatRule, createRetryRule } from './repeats.ts'
import { parseListedRoutes, createRouteRule } from './routes.ts'
import { createSessionRule } from './session.ts'
import { createVerdictRule } from './verdict.ts'
import type { ObservedExchange } from '../observed-exchange.ts'

/** Callers that are remembered, and loads of each. */
const MAX_TRACKED_CALLERS = 200
const MAX_LOADS = 20
/** Exchanges of which it is remembered what they are about. */
const MAX_RESOURCES = 20_000
/** For this long after a gap in the recording, ids may be known from what was not recorded. */
const GAP_MS = 30 * 60_000
/** Longest value in a finding, and longest path that it is about. */
const MAX_PARAM_CHARS = 200
const MAX_RESOURCE_CHARS = 400

/** Who is under way, and to where. */
export interface PendingExchange {
  readonly origin: Origin
  readonly host: string
}

interface Options {
  readonly onFinding: (finding: Finding) => void
  /** What was told did follow after all. */
  readonly onWithdrawal: (id: string) => void
  /** Whether the kept answer of an exchange contains this text; null if nobody knows. */
  readonly responseContains: (seq: number, text: string) => boolean | null
}

interface Load {
  readonly number: number
  readonly origin: Origin
  readonly watches: readonly RuleState[]
  /** Its page is gone, and could not go on with anything. */
  isLeft: boolean
}

interface Caller {
  readonly host: string
  readonly memory: CallerMemory
  readonly loads: BoundedMap<Load>
  newestLoad: number
  /** It was not there yet when something was last left out of the recording. */
  readonly isKnownWhole: boolean
}

/** The rules over exchanges: fed one by one in the order in which they ended, live or from a recording. Bounded, and without a clock. */
export class RuleEngine {
  readonly #options: Options
  #callers = new BoundedMap<Caller>(MAX_TRACKED_CALLERS)
  readonly #limits = new BoundedMap<HostLimits>(20)
  readonly #routes = new BoundedMap<readonly string[] | null>(20)
  readonly #resources = new BoundedMap<string>(MAX_RESOURCES)
  /** Callers that were there when something was left out of the recording. */
  #broken = new BoundedMap<true>(MAX_TRACKED_CALLERS)
  #gapAt = -Infinity

  constructor(options: Options) {
    this.#options = options
  }

  /** An exchange ended. */
  observeExchange(step: ObservedExchange): void {
    const { origin, host } = step
    if (!this.#admit(step)) return
    const caller = this.#callerOf(step)
    const scene = this.#scene(origin, host, step.endedAt, caller)
    const own = this.#loadOf(caller, origin)
    for (const load of caller.loads.values()) {
      for (const watch of load.watches)
        if (load === own) watch.observe(step, scene)
        else watch.observeSibling?.(step, scene)
    }
  }

  /** An exchange of a caller that nobody can tell from others: judged by itself. */
  observeUnattributed(step: ObservedExchange): void {
    if (!this.#admit(step)) return
    const scene = this.#scene(step.origin, step.host, step.endedAt, null)
    for (const watch of createStatelessRules()) watch.observe(step, scene)
  }

  /** Remembers what any caller may go by; false for an exchange that is not judged. */
  #admit({ seq, origin, method, path, ...step }: ObservedExchange): boolean {
    // The lab breaks rules on purpose, to see what the host says.
    if (origin.kind === 'lab') return false
    if (step.endpoint === 'capabilities.get' && step.status === 200) {
      const { value } = readResponse('capabilities.get', step.response)
      if (value) this.#limits.set(step.host, readHostLimits(value))
      this.#routes.set(step.host, parseListedRoutes(step.response))
    }
    this.#resources.set(String(seq), `${method} ${path.split('?', 1)[0] ?? ''}`.slice(0, MAX_RESOURCE_CHARS))
    return true
  }

  #callerOf({ origin, host, endedAt: end }: ObservedExchange): Caller {
    const key = getCallerKey({ origin, host })
    const isKnownWhole = !this.#broken.get(key) && end - this.#gapAt > GAP_MS
    const caller = this.#callers.get(key) ?? {
      host,
      memory: new CallerMemory(),
      loads: new BoundedMap<Load>(MAX_LOADS),
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
      watches: createRules(caller.memory),
      isLeft: false,
    }
    caller.loads.set(String(number), load)
    caller.newestLoad = Math.max(caller.newestLoad, number)
    return load
  }

  /** The pages of a panel up to this load were left, by a reload or because the panel was stopped: nothing can follow from them any more. */
  markLoadsLeft(id: string, through: number): void {
    for (const { loads } of this.#callers.values()) {
      for (const load of loads.values()) if (load.origin.caller === id && load.number <= through) load.isLeft = true
    }
  }

  /** What became known of how a panel's page called, for an exchange that was fed. */
  observePanelCall(step: ObservedExchange): void {
    judgePanelCall(step, this.#scene(step.origin, step.host, step.endedAt, null))
  }

  /** Looks for what did not follow. A caller with something under way is left for later. */
  tick(now: number, underWay: readonly PendingExchange[]): void {
    const busy = new Set(underWay.map(getCallerKey))
    for (const caller of this.#callers.values()) {
      for (const { origin, number, watches, isLeft } of caller.loads.values()) {
        // How far a place of this program reads is up to the person who leaves it; it says how much it holds.
        if (origin.kind === 'place' || busy.has(getCallerKey({ origin, host: caller.host }))) continue
        // Of several loads of a page only the newest is known to be there still.
        if (origin.kind === 'panel' && (isLeft || number < caller.newestLoad)) continue
        const scene = this.#scene(origin, caller.host, now, caller)
        for (const watch of watches) watch.checkOverdue?.(scene)
      }
    }
  }

  /** Something was not recorded: what happened before proves nothing about what comes. */
  markRecordingGap(now: number): void {
    for (const key of this.#callers.keys()) this.#broken.set(key, true)
    this.#callers = new BoundedMap<Caller>(MAX_TRACKED_CALLERS)
    this.#gapAt = now
  }

  /** Callers that are remembered now. */
  get callerCount(): number {
    return this.#callers.size
  }

  #scene(origin: Origin, host: string, now: number, caller: Caller | null): RuleContext {
    const { onFinding: found, onWithdrawal: withdrawn, responseContains: contains } = this.#options
    const resources = this.#resources
    const unbroken = now - this.#gapAt > GAP_MS
    return {
      timestamp: now,
      isRecordingComplete: unbroken,
      isCallerComplete: unbroken && origin.kind === 'panel' && caller?.isKnownWhole === true,
      responseContains: contains,
      limits: this.#limits.get(host) ?? null,
      getRoutes: () => this.#routes.get(host) ?? null,
      withdraw: withdrawn,
      report(rule, seqs, params, mark = '') {
        const exchanges = [...new Set(seqs)].slice(-50)
        const suffix = mark === '' ? '' : `:${mark.slice(0, 80)}`
        const last = exchanges.at(-1) ?? 0
        const id = `${rule}:${last}${suffix}`
        const resource = `${resources.get(String(last)) ?? ''}${suffix}`
        const short = Object.entries(params).map(([name, value]) => [name, value.slice(0, MAX_PARAM_CHARS)] as const)
        found({ id, rule, at: now, origin, resource, exchanges, params: Object.fromEntries(short) })
        return id
      },
    }
  }
}

/** Those that look at one exchange at a time. */
const createStatelessRules = (): readonly RuleState[] => [
  createPanelCallRule(),
  createRouteRule(),
  createParameterRule(),
]

const createRules = (memory: CallerMemory): readonly RuleState[] => [
  ...createStatelessRules(),
  createRetryRule(),
  createRepeatRule(),
  createBatchRule(),
  createPencilRule(memory),
  createSessionRule(),
  createVerdictRule(memory),
  createFailedIdRule(),
  createPreviousRunRule(),
  createListingRule(memory),
]

/** Whoever remembers what it was told: a write together with what follows it, and each other origin by itself. */
function getCallerKey({ origin, host }: PendingExchange): string {
  const kind = origin.kind === 'tracker' ? 'write' : origin.kind
  return JSON.stringify([kind, origin.caller ?? origin.label, host])
}
