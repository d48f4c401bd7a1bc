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

interface RuleEngineOptions {
  readonly onFinding: (finding: Finding) => void
  /** What was told did follow after all. */
  readonly onWithdrawal: (id: string) => void
  /** Whether the kept answer of an exchange contains this text; null if nobody knows. */
  readonly responseContains: (seq: number, text: string) => boolean | null
}

interface Load {
  readonly number: number
  readonly origin: Origin
  readonly rules: readonly RuleState[]
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
  readonly #options: RuleEngineOptions
  #callers = new BoundedMap<Caller>(MAX_TRACKED_CALLERS)
  readonly #limits = new BoundedMap<HostLimits>(20)
  readonly #routes = new BoundedMap<readonly string[] | null>(20)
  readonly #resources = new BoundedMap<string>(MAX_RESOURCES)
  /** Callers that were there when something was left out of the recording. */
  #incompleteCallers = new BoundedMap<true>(MAX_TRACKED_CALLERS)
  #gapAt = -Infinity

  constructor(options: RuleEngineOptions) {
    this.#options = options
  }

  /** An exchange ended. */
  observeExchange(exchange: ObservedExchange): void {
    const { origin, host } = exchange
    if (!this.#rememberFacts(exchange)) return
    const caller = this.#getCaller(exchange)
    const context = this.#createContext(origin, host, exchange.endedAt, caller)
    const own = this.#getLoad(caller, origin)
    for (const load of caller.loads.values()) {
      for (const rule of load.rules)
        if (load === own) rule.observe(exchange, context)
        else rule.observeSibling?.(exchange, context)
    }
  }

  /** An exchange of a caller that nobody can tell from others: judged by itself. */
  observeUnattributed(exchange: ObservedExchange): void {
    if (!this.#rememberFacts(exchange)) return
    const context = this.#createContext(exchange.origin, exchange.host, exchange.endedAt, null)
    for (const rule of createStatelessRules()) rule.observe(exchange, context)
  }

  /** Remembers what any caller may go by; false for an exchange that is not judged. */
  #rememberFacts({ seq, origin, method, path, ...exchange }: ObservedExchange): boolean {
    // The lab breaks rules on purpose, to see what the host says.
    if (origin.kind === 'lab') return false
    if (exchange.endpoint === 'capabilities.get' && exchange.status === 200) {
      const { value } = readResponse('capabilities.get', exchange.response)
      if (value) this.#limits.set(exchange.host, readHostLimits(value))
      this.#routes.set(exchange.host, parseListedRoutes(exchange.response))
    }
    this.#resources.set(String(seq), `${method} ${path.split('?', 1)[0] ?? ''}`.slice(0, MAX_RESOURCE_CHARS))
    return true
  }

  #getCaller({ origin, host, endedAt: end }: ObservedExchange): Caller {
    const key = getCallerKey({ origin, host })
    const isKnownWhole = !this.#incompleteCallers.get(key) && end - this.#gapAt > GAP_MS
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

  #getLoad(caller: Caller, origin: Origin): Load {
    const number = origin.load ?? 0
    const load = caller.loads.get(String(number)) ?? {
      number,
      origin,
      rules: createRules(caller.memory),
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
  observePanelCall(exchange: ObservedExchange): void {
    judgePanelCall(exchange, this.#createContext(exchange.origin, exchange.host, exchange.endedAt, null))
  }

  /** Looks for what did not follow. A caller with something under way is left for later. */
  tick(timestamp: number, pending: readonly PendingExchange[]): void {
    const busy = new Set(pending.map(getCallerKey))
    for (const caller of this.#callers.values()) {
      for (const { origin, number, rules, isLeft } of caller.loads.values()) {
        // How far a place of this program reads is up to the person who leaves it; it says how much it holds.
        if (origin.kind === 'place' || busy.has(getCallerKey({ origin, host: caller.host }))) continue
        // Of several loads of a page only the newest is known to be there still.
        if (origin.kind === 'panel' && (isLeft || number < caller.newestLoad)) continue
        const context = this.#createContext(origin, caller.host, timestamp, caller)
        for (const rule of rules) rule.checkOverdue?.(context)
      }
    }
  }

  /** Something was not recorded: what happened before proves nothing about what comes. */
  markRecordingGap(timestamp: number): void {
    for (const key of this.#callers.keys()) this.#incompleteCallers.set(key, true)
    this.#callers = new BoundedMap<Caller>(MAX_TRACKED_CALLERS)
    this.#gapAt = timestamp
  }

  /** Callers that are remembered now. */
  get callerCount(): number {
    return this.#callers.size
  }

  #createContext(origin: Origin, host: string, timestamp: number, caller: Caller | null): RuleContext {
    const { onFinding, onWithdrawal, responseContains } = this.#options
    const resources = this.#resources
    const isComplete = timestamp - this.#gapAt > GAP_MS
    return {
      timestamp,
      isRecordingComplete: isComplete,
      isCallerComplete: isComplete && origin.kind === 'panel' && caller?.isKnownWhole === true,
      responseContains,
      limits: this.#limits.get(host) ?? null,
      getRoutes: () => this.#routes.get(host) ?? null,
      withdraw: onWithdrawal,
      report(rule, seqs, params, mark = '') {
        const exchanges = [...new Set(seqs)].slice(-50)
        const suffix = mark === '' ? '' : `:${mark.slice(0, 80)}`
        const last = exchanges.at(-1) ?? 0
        const id = `${rule}:${last}${suffix}`
        const resource = `${resources.get(String(last)) ?? ''}${suffix}`
        const shortParams = Object.entries(params).map(
          ([name, value]) => [name, value.slice(0, MAX_PARAM_CHARS)] as const,
        )
        onFinding({ id, rule, at: timestamp, origin, resource, exchanges, params: Object.fromEntries(shortParams) })
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
