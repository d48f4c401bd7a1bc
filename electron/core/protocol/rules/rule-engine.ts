// Applies rules to exchanges; each rule finds one mistake of a caller against the contract. Rules
// read only observed exchanges, without I/O, clock or texts for the user. Read
// ../observed-exchange.ts and ../rule-state.ts first.

import { findOperationId, type Origin } from '../../../../shared/traffic/exchange.ts'
import { readHostLimits, type HostLimits } from '../../../../shared/bridge/host-limits.ts'
import { isObject } from '../../../../shared/json/object.ts'
import { readResponse } from '../../../../shared/bridge/response-reading.ts'
import {
  isOriginWithin,
  type Finding,
  type FindingScope,
  type Withdrawal,
} from '../../../../shared/protocol/finding.ts'
import { CallerMemory, BoundedMap, FOLLOW_UP_TIMEOUT_MS, type RuleContext, type RuleState } from '../rule-state.ts'
import { createFailedIdRule } from './failed-ids.ts'
import { createListingRule } from './listing.ts'
import { createPreviousRunRule } from './previous-run.ts'
import { createPanelCallRule } from './panel-calls.ts'
import { createParameterRule } from './parameters.ts'
import { createPencilRule } from './pencil.ts'
import { createBatchRule, createRepeatRule, createRetryRule } from './repeats.ts'
import { parseListedRoutes, createRouteRule } from './routes.ts'
import { createSessionRule } from './session.ts'
import { createVerdictRule } from './verdict.ts'
import { getTextMember, type ObservedExchange } from '../observed-exchange.ts'

/** The engine remembers this many callers, and this many loads of each. */
const MAX_TRACKED_CALLERS = 200
const MAX_LOADS = 20
/** The engine keeps method and path of this many exchanges, because findings name them. */
const MAX_RESOURCES = 20_000
const MAX_COMMITTED_IDS = 5_000
/** So long after a gap, ids may come from exchanges that were not recorded. */
const GAP_MS = 30 * 60_000
const MAX_PARAM_CHARS = 200
const MAX_RESOURCE_CHARS = 400

export interface PendingExchange {
  readonly origin: Origin
  readonly host: string
}

interface RuleEngineOptions {
  readonly onFinding: (finding: Finding) => void
  /** Called when a finding turns out to be wrong because the missing request arrived late. */
  readonly onWithdrawal: (withdrawal: Withdrawal) => void
  /** Returns null if the stored response of the exchange is unknown. */
  readonly responseContains: (seq: number, text: string) => boolean | null
}

interface Load {
  readonly number: number
  readonly origin: Origin
  readonly rules: readonly RuleState[]
  /** The page of the load is closed or reloaded, so that no further exchange can follow. */
  isLeft: boolean
}

interface Caller {
  readonly host: string
  readonly memory: CallerMemory
  readonly loads: BoundedMap<Load>
  newestLoad: number
  /** True if the caller first appeared after the last gap in the recording. */
  readonly isKnownWhole: boolean
  end: CallerEnd | null
}

interface CapabilitiesFacts {
  readonly limits: HostLimits | null
  readonly routes: readonly string[] | null
}

/** Keyed by the parsed response, which is the same object while a host repeats its capabilities. */
const factsByResponse = new WeakMap<object, CapabilitiesFacts>()

function readCapabilities(response: unknown): CapabilitiesFacts {
  const existingFacts = isObject(response) ? factsByResponse.get(response) : undefined
  if (existingFacts) return existingFacts
  const { value } = readResponse('capabilities.get', response)
  const facts = { limits: value ? readHostLimits(value) : null, routes: parseListedRoutes(response) }
  if (isObject(response)) factsByResponse.set(response, facts)
  return facts
}

export interface CallerEnd {
  /** Epoch milliseconds of a monotonic clock. */
  readonly at: number
  /** True if the caller ended by itself, so that nobody kept it from doing what it owed. */
  readonly isByItself: boolean
}

/** Applies the rules to exchanges as they ended, live or recorded; no clock, limited memory. */
export class RuleEngine {
  readonly #options: RuleEngineOptions
  #callers = new BoundedMap<Caller>(MAX_TRACKED_CALLERS)
  readonly #limits = new BoundedMap<HostLimits>(20)
  readonly #routes = new BoundedMap<readonly string[] | null>(20)
  /** Callers of which a person has held a call at a breakpoint. */
  readonly #heldCallers = new BoundedMap<true>(MAX_TRACKED_CALLERS)
  readonly #resources = new BoundedMap<{ readonly name: string; readonly endedAt: number }>(MAX_RESOURCES)
  /** The hosts and request ids of commits. */
  readonly #committedIds = new BoundedMap<true>(MAX_COMMITTED_IDS)
  /** Callers that existed during a gap in the recording. */
  #incompleteCallers = new BoundedMap<true>(MAX_TRACKED_CALLERS)
  #gapAt = -Infinity

  constructor(options: RuleEngineOptions) {
    this.#options = options
  }

  observeExchange(exchange: ObservedExchange): void {
    const { origin, host } = exchange
    if (!this.#rememberFacts(exchange)) return
    if (exchange.isHeld) return this.forgetCaller(exchange)
    const caller = this.#getCaller(exchange)
    const context = this.#createContext(origin, host, exchange.endedAt, caller)
    const ownLoad = this.#getLoad(caller, origin)
    for (const load of caller.loads.values()) {
      for (const rule of load.rules)
        if (load === ownLoad) rule.observe(exchange, context)
        else rule.observeSibling?.(exchange, context)
    }
  }

  /** Judges an exchange on its own, because its caller cannot be distinguished from others. */
  observeUnattributed(exchange: ObservedExchange): void {
    if (!this.#rememberFacts(exchange) || exchange.isHeld) return
    const context = this.#createContext(exchange.origin, exchange.host, exchange.endedAt, null)
    for (const rule of createStatelessRules()) rule.observe(exchange, context)
  }

  /** Stores facts that concern all callers. Returns false for an exchange that is not judged. */
  #rememberFacts({ seq, origin, method, path, ...exchange }: ObservedExchange): boolean {
    const committedId = exchange.endpoint === 'writing.pencilCommit' ? getTextMember(exchange.body, 'requestId') : null
    if (committedId !== null) this.#committedIds.set(toCommitKey(exchange.host, committedId), true)
    // The protocol lab breaks rules on purpose.
    if (origin.kind === 'lab' || !exchange.isJudged) return false
    if (exchange.endpoint === 'capabilities.get' && exchange.status === 200 && exchange.isHostResponse) {
      const { limits, routes } = readCapabilities(exchange.response)
      if (limits) this.#limits.set(exchange.host, limits)
      this.#routes.set(exchange.host, routes)
    }
    const name = `${method} ${path.split('?', 1)[0] ?? ''}`.slice(0, MAX_RESOURCE_CHARS)
    this.#resources.set(String(seq), { name, endedAt: exchange.endedAt })
    return true
  }

  #getCaller({ origin, host, startedAt, endedAt: end }: ObservedExchange): Caller {
    const key = getCallerKey({ origin, host })
    const isKnownWhole = !this.#incompleteCallers.get(key) && end - this.#gapAt > GAP_MS
    const caller = this.#callers.get(key) ?? {
      host,
      memory: new CallerMemory(),
      loads: new BoundedMap<Load>(MAX_LOADS),
      newestLoad: 0,
      isKnownWhole,
      end: null,
    }
    // A page that was left may be opened again.
    if (caller.end && startedAt > caller.end.at) caller.end = null
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

  /** No exchange of the loads up to `through` can follow after a reload or a stop. */
  markLoadsLeft(id: string, through: number): void {
    for (const { loads } of this.#callers.values()) {
      for (const load of loads.values()) if (load.origin.caller === id && load.number <= through) load.isLeft = true
    }
  }

  /** A person delayed or changed what it sent or received, so earlier acts judge nothing later. */
  forgetCaller(caller: PendingExchange): void {
    const key = getCallerKey(caller)
    this.#callers.delete(key)
    this.#incompleteCallers.set(key, true)
    this.#heldCallers.set(key, true)
  }

  /** Reports missing follow-ups. Callers with a pending exchange are checked at a later tick. */
  tick(timestamp: number, pending: readonly PendingExchange[]): void {
    const busyCallerKeys = new Set(pending.map(getCallerKey))
    for (const { caller, origin, rules } of this.#listAccountableLoads()) {
      if (caller.end || busyCallerKeys.has(getCallerKey({ origin, host: caller.host }))) continue
      const context = this.#createContext(origin, caller.host, timestamp, caller)
      for (const rule of rules) rule.checkOverdue?.(context)
    }
  }

  /** Decides what callers owe that can send no further request. */
  endCallers(scope: FindingScope, end: CallerEnd): void {
    for (const { caller, origin, rules } of this.#listAccountableLoads()) {
      if (!isOriginWithin(origin, scope)) continue
      caller.end = end
      const context = this.#createContext(origin, caller.host, end.at, caller)
      for (const rule of rules) rule.checkOverdue?.(context)
    }
  }

  /** Returns whether callers still have to do something that no finding is about yet. */
  areCallersOwing(scope: FindingScope): boolean {
    return this.#listAccountableLoads().some(
      ({ origin, rules }) => isOriginWithin(origin, scope) && rules.some((rule) => rule.isOwing?.()),
    )
  }

  /** Lists the loads that can still do what they owe, or could until their caller ended. */
  #listAccountableLoads(): { caller: Caller; origin: Origin; rules: readonly RuleState[] }[] {
    return [...this.#callers.values()].flatMap((caller) =>
      [...caller.loads.values()]
        // For a page of this program, the user decides how far it reads.
        .filter(({ origin }) => origin.kind !== 'place')
        // Earlier loads of a page may no longer exist.
        .filter(({ origin, number, isLeft }) => origin.kind !== 'panel' || (!isLeft && number >= caller.newestLoad))
        .map(({ origin, rules }) => ({ caller, origin, rules })),
    )
  }

  /** Exchanges before a gap in the recording prove nothing about exchanges after the gap. */
  markRecordingGap(timestamp: number): void {
    for (const key of this.#callers.keys()) this.#incompleteCallers.set(key, true)
    this.#callers = new BoundedMap<Caller>(MAX_TRACKED_CALLERS)
    this.#gapAt = timestamp
  }

  get callerCount(): number {
    return this.#callers.size
  }

  #createContext(origin: Origin, host: string, timestamp: number, caller: Caller | null): RuleContext {
    const { onFinding, onWithdrawal, responseContains } = this.#options
    const resources = this.#resources
    const isComplete = timestamp - this.#gapAt > GAP_MS && !this.#heldCallers.get(getCallerKey({ origin, host }))
    return {
      timestamp,
      hasEnded: caller?.end !== null && caller !== null,
      isOverdue(lastStepAt, patienceMs = 0) {
        if (!caller?.end) return timestamp - lastStepAt >= FOLLOW_UP_TIMEOUT_MS
        const { at, isByItself } = caller.end
        // A response that came after the end did not reach the caller.
        return at - lastStepAt >= (isByItself ? 0 : patienceMs)
      },
      isRecordingComplete: isComplete,
      isCallerComplete: isComplete && origin.kind === 'panel' && caller?.isKnownWhole === true,
      responseContains,
      wasCommitted: (requestId) => this.#committedIds.get(toCommitKey(host, requestId)) === true,
      limits: this.#limits.get(host) ?? null,
      getRoutes: () => this.#routes.get(host) ?? null,
      withdraw: (id) => onWithdrawal({ id, at: timestamp }),
      report(rule, seqs, params, mark = '') {
        const exchanges = [...new Set(seqs)].slice(-50)
        const suffix = mark === '' ? '' : `:${mark.slice(0, 80)}`
        const last = exchanges.at(-1) ?? 0
        const id = `${rule}:${last}${suffix}`
        const resource = resources.get(String(last))
        const afterMs = timestamp - (resource?.endedAt ?? timestamp)
        const shortParams = Object.entries(params).map(
          ([name, value]) => [name, value.slice(0, MAX_PARAM_CHARS)] as const,
        )
        onFinding({
          id,
          rule,
          at: timestamp,
          origin,
          resource: `${resource?.name ?? ''}${suffix}`,
          exchanges,
          params: Object.fromEntries(shortParams),
          ...(afterMs > 0 ? { late: { afterMs, because: caller?.end ? 'ended' : 'timeout' } } : {}),
        })
        return id
      },
    }
  }
}

/** These rules need only the current exchange. */
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
  createPencilRule(),
  createSessionRule(),
  createVerdictRule(memory),
  createFailedIdRule(),
  createPreviousRunRule(),
  createListingRule(memory),
]

const toCommitKey = (host: string, requestId: string): string => `${host}\n${requestId}`

/** Origins of one key share memory: a write and the reads that watch it; others are separate. */
function getCallerKey({ origin, host }: PendingExchange): string {
  const operationId = findOperationId(origin)
  const kind = operationId === null ? origin.kind : 'write'
  return JSON.stringify([kind, origin.caller ?? operationId ?? origin.label, host])
}
