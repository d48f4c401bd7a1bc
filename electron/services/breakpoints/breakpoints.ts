// Holds calls of panels and of recorded clients at breakpoints until a person lets them go on.
// The calls are sent by services/panel and services/client-proxy.
// Read this file first, then held-message.ts.
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import { createRefusedError } from '../../../shared/errors.ts'
import {
  DEFAULT_WAIT_SECONDS,
  MAX_HELD_BYTES,
  MAX_HELD_CALLS,
  MAX_WAIT_SECONDS,
  type BreakpointRule,
  type BreakpointsState,
  type HeldCall,
  type HeldCallDetail,
  type HeldEdit,
  type HeldPoint,
  type HoldRecord,
  type LapseReason,
  type Resumption,
} from '../../../shared/panel/breakpoints.ts'
import {
  createCallMatcher,
  createCountingMatcher,
  withBodyParsedOnce,
  type MatchedCall,
} from '../../../shared/panel/call-match.ts'
import { BoundedMap } from '../../core/protocol/rule-state.ts'
import type { Origin } from '../../../shared/traffic/exchange.ts'
import type { Bus } from '../bus.ts'
import type { TokenPredicate } from '../console/collections.ts'
import type { Recorder } from '../traffic/recorder.ts'
import { createBodyReader, type BoundedBody } from './bounded-body.ts'
import { applyEdit, assertEditAllowed, assertRequestSent, toHeldMessage } from './held-message.ts'
import type { HeldMessages, HoldResult, RequestPolicy } from './held-message.ts'

interface Options {
  readonly bus: Bus
  readonly holdsToken: TokenPredicate
  readonly recorder: Pick<Recorder, 'recordHold'>
  /** Finds out whether the host has restarted, before a held request goes on. Never rejects. */
  readonly checkHost: () => Promise<unknown>
}

/** A call that is about to be sent. */
export interface BreakpointCall extends MatchedCall, RequestPolicy {
  readonly origin: Origin
  /** Base URL of the host; empty if none is connected. */
  readonly host: string
  readonly endpoint: string | null
  /** The header in which the host expects the token; null if no host is connected. */
  readonly authHeader: string | null
  /** Another host may have been connected since the call. */
  readonly isHostConnected: () => boolean
}

/** The breakpoints that one call reaches. */
export interface CallHolds {
  readonly isRequestHeld: boolean
  shouldHoldResponse(status: number): boolean
  /** Reads the body of a response to hold. If it stays a stream, the response is not held. */
  readResponseBody(status: number, body: Readable, signal: AbortSignal): Promise<Buffer | Readable>
  hold(messages: HeldMessages, signal: AbortSignal): Promise<HoldResult>
  /** Stores what was done to the call under the id of its exchange. */
  saveRecords(exchangeId: string): void
}

/** The errors are those of `shared/ipc/breakpoints.ts`. */
export interface Breakpoints {
  state(): BreakpointsState
  save(rules: readonly BreakpointRule[]): BreakpointsState
  setHoldingAll(isOn: boolean): BreakpointsState
  getHeld(id: string): HeldCallDetail
  extend(id: string): HeldCall
  resume(id: string, resumption: Resumption): void
  forgetLapses(): BreakpointsState
  getRecords(exchangeId: string): HoldRecord[]
  /** Ignores conditions on the body. Calls are not counted. */
  mayHold(call: Pick<MatchedCall, 'method' | 'path'>): boolean
  /** True if a breakpoint may hold the request, or has a condition on its body. */
  needsRequestBody(call: Pick<MatchedCall, 'method' | 'path'>): boolean
  /** Reads the body of a request. All bodies share the memory for held calls. */
  readBody(body: Readable): Promise<BoundedBody>
  /** Counts a call for the rules. Null if no breakpoint concerns it. */
  begin(call: BreakpointCall): CallHolds | null
  /** Counts what happened to a call without a person. */
  addLapse(reason: LapseReason): void
  /** Lets calls to a host that is no longer connected go on. Call when the connection changed. */
  releaseMovedCalls(): void
  close(): void
}

interface Held extends RequestPolicy, Pick<BreakpointCall, 'authHeader' | 'isHostConnected'> {
  call: HeldCall
  readonly messages: HeldMessages
  readonly bytes: number
  timer: NodeJS.Timeout
  readonly finish: (result: HoldResult, outcome: HoldRecord['outcome']) => void
}

interface Placement {
  readonly waitSeconds: number
  /** Id of the rule; null if only `Hold all` holds the call. */
  readonly rule: string | null
}

interface ActiveRule {
  readonly rule: BreakpointRule
  readonly fits: ReturnType<typeof createCountingMatcher>
  readonly mayFit: ReturnType<typeof createCallMatcher>
}

const toActiveRule = (rule: BreakpointRule): ActiveRule => ({
  rule,
  fits: createCountingMatcher(rule.match),
  mayFit: createCallMatcher(rule.match),
})

const toUnedited = ({ request, response }: HeldMessages): HoldResult => ({
  kind: 'continue',
  content: response ?? request,
  edited: [],
})

const MAX_RECORDED_EXCHANGES = 1_000
/** The shortest interval between two messages to the pages. */
const PUBLISH_INTERVAL_MS = 30
/** `Hold all` needs time to choose the order of several responses. */
const HOLD_ALL_SECONDS = 5 * DEFAULT_WAIT_SECONDS

export function createBreakpoints({ bus, holdsToken, recorder, checkHost }: Options): Breakpoints {
  let rules: readonly BreakpointRule[] = []
  let activeRules: readonly ActiveRule[] = []
  let isHoldingAll = false
  const heldById = new Map<string, Held>()
  const lapses = new Map<LapseReason, number>()
  const recordsByExchange = new BoundedMap<HoldRecord[]>(MAX_RECORDED_EXCHANGES)
  let publishTimer: NodeJS.Timeout | null = null

  const state = (): BreakpointsState => ({
    rules: [...rules],
    isHoldingAll,
    held: [...heldById.values()].map(({ call }) => call),
    lapses: [...lapses].map(([reason, count]) => ({ reason, count })),
  })
  function publish(): BreakpointsState {
    if (publishTimer) clearTimeout(publishTimer)
    publishTimer = null
    const current = state()
    bus.publish('breakpoints.changed', current)
    return current
  }
  const schedulePublish = (): void => void (publishTimer ??= setTimeout(publish, PUBLISH_INTERVAL_MS).unref())

  function addLapse(reason: LapseReason): void {
    lapses.set(reason, (lapses.get(reason) ?? 0) + 1)
    schedulePublish()
  }

  function getHeldEntry(id: string): Held {
    const entry = heldById.get(id)
    if (!entry) throw createRefusedError('HELD_UNKNOWN', 'This call is no longer held: it went on, or was given up.')
    return entry
  }

  const goOn = ({ messages, finish }: Held, outcome: 'continued' | 'timed-out' | 'host-changed'): void =>
    finish(toUnedited(messages), outcome)

  function goOnByItself(entry: Held, reason: 'timed-out' | 'host-changed'): void {
    addLapse(reason)
    goOn(entry, reason)
  }

  function startTimer(id: string, waitMs: number): NodeJS.Timeout {
    const onTimeout = (): void => {
      const entry = heldById.get(id)
      if (entry) goOnByItself(entry, 'timed-out')
    }
    return setTimeout(onTimeout, waitMs).unref()
  }

  const countHeldBytes = (): number => [...heldById.values()].reduce((sum, entry) => sum + entry.bytes, 0)

  const readBody = createBodyReader(countHeldBytes)

  function hold(
    { origin, host, endpoint, authHeader, isHeaderSent, assertPathSent, isHostConnected, method, path }: BreakpointCall,
    { waitSeconds, rule }: Placement,
    messages: HeldMessages,
    { signal, records }: { readonly signal: AbortSignal; readonly records: HoldRecord[] },
  ): Promise<HoldResult> {
    const { point, request, response } = messages
    if (signal.aborted) return Promise.resolve({ kind: 'gone' })
    const bytes = (request.body?.byteLength ?? 0) + (response?.body?.byteLength ?? 0)
    if (heldById.size >= MAX_HELD_CALLS || countHeldBytes() + bytes > MAX_HELD_BYTES) {
      addLapse('full')
      return Promise.resolve(toUnedited(messages))
    }
    const id = randomUUID()
    const startedAt = Date.now()
    const startedMs = performance.now()
    const endHold = recorder.recordHold({ origin, host })
    return new Promise((resolve) => {
      const onAbort = (): void => {
        addLapse('gone')
        finish({ kind: 'gone' }, 'gone')
      }
      const finish: Held['finish'] = (result, outcome) => {
        signal.removeEventListener('abort', onAbort)
        const entry = heldById.get(id)
        if (!entry) return
        heldById.delete(id)
        clearTimeout(entry.timer)
        const durationMs = performance.now() - startedMs
        records.push({ point, outcome, durationMs, edited: result.kind === 'continue' ? result.edited : [] })
        endHold()
        schedulePublish()
        resolve(point === 'request' && result.kind === 'continue' ? checkHost().then(() => result) : result)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const status = response?.status ?? null
      const endsAt = startedAt + waitSeconds * 1000
      const call = { id, point, at: startedAt, endsAt, origin, method, path, endpoint, status, rule }
      const timer = startTimer(id, waitSeconds * 1000)
      const facts = { authHeader, isHeaderSent, assertPathSent, isHostConnected, bytes }
      heldById.set(id, { call, messages, ...facts, timer, finish })
      schedulePublish()
    })
  }

  function findPlacement(matchingRules: readonly BreakpointRule[], point: HeldPoint, status: number): Placement | null {
    const rule = matchingRules.find(
      ({ at, isErrorOnly }) =>
        (at === point || at === 'both') && (point === 'request' ? !isErrorOnly : !isErrorOnly || status >= 400),
    )
    if (rule) return { waitSeconds: rule.waitSeconds, rule: rule.id }
    return isHoldingAll && point === 'response' ? { waitSeconds: HOLD_ALL_SECONDS, rule: null } : null
  }

  return {
    state,
    save(newRules) {
      rules = newRules
      // A rule that stays as it is goes on counting calls for `nth`.
      const earlierRules = activeRules
      activeRules = rules
        .filter(({ on }) => on)
        .map((rule) => earlierRules.find((earlier) => isDeepStrictEqual(earlier.rule, rule)) ?? toActiveRule(rule))
      return publish()
    },
    setHoldingAll(isOn) {
      isHoldingAll = isOn
      if (!isOn) for (const entry of heldById.values()) if (entry.call.rule === null) goOn(entry, 'continued')
      return publish()
    },
    getHeld(id) {
      const { call, messages, authHeader } = getHeldEntry(id)
      const context = { authHeader, holdsToken }
      return {
        call,
        request: toHeldMessage('request', messages.request, context),
        response: messages.response && toHeldMessage('response', messages.response, context),
      }
    },
    extend(id) {
      const entry = getHeldEntry(id)
      clearTimeout(entry.timer)
      entry.timer = startTimer(id, MAX_WAIT_SECONDS * 1000)
      entry.call = { ...entry.call, endsAt: Date.now() + MAX_WAIT_SECONDS * 1000 }
      schedulePublish()
      return entry.call
    },
    resume(id, resumption) {
      const entry = getHeldEntry(id)
      const { messages, authHeader, finish } = entry
      if (resumption.kind === 'fail') return finish({ kind: 'fail' }, 'failed')
      const point = resumption.kind === 'answer' ? 'response' : messages.point
      const edit: HeldEdit = resumption.kind === 'answer' ? resumption : (resumption.edit ?? {})
      assertEditAllowed(point, edit, { authHeader, holdsToken })
      if (resumption.kind === 'answer') {
        const { status, headers, body } = resumption
        return finish({ kind: 'answer', content: { status, headers, body: Buffer.from(body) } }, 'answered')
      }
      const { method, path } = entry.call
      const original = messages.response ?? { ...messages.request, method, path }
      if (point === 'request') assertRequestSent({ ...original, method, path }, edit, authHeader, entry)
      finish({ kind: 'continue', ...applyEdit(point, original, edit, authHeader) }, 'continued')
    },
    forgetLapses() {
      lapses.clear()
      return publish()
    },
    getRecords: (exchangeId) => recordsByExchange.get(exchangeId) ?? [],
    mayHold: (call) => isHoldingAll || activeRules.some(({ mayFit }) => mayFit(call)),
    needsRequestBody: (call) =>
      activeRules.some(({ rule, mayFit }) => (rule.at !== 'response' || rule.match.body !== undefined) && mayFit(call)),
    readBody: (body) => readBody(body, DEFAULT_WAIT_SECONDS),
    begin(call) {
      // Every rule counts the call, also one whose predecessor holds it already.
      const matchedCall = withBodyParsedOnce(call)
      const load = call.origin.load ?? 0
      const matchingRules = activeRules.filter(({ fits }) => fits(matchedCall, load)).map(({ rule }) => rule)
      if (matchingRules.length === 0 && !isHoldingAll) return null
      const requestPlacement = findPlacement(matchingRules, 'request', 0)
      const records: HoldRecord[] = []
      return {
        isRequestHeld: requestPlacement !== null,
        shouldHoldResponse: (status) => findPlacement(matchingRules, 'response', status) !== null,
        async readResponseBody(status, body, signal) {
          const { waitSeconds = 0 } = findPlacement(matchingRules, 'response', status) ?? {}
          const isFull = heldById.size >= MAX_HELD_CALLS
          const result: BoundedBody = isFull ? { body, lapse: 'full' } : await readBody(body, waitSeconds)
          if (result.lapse && !signal.aborted) addLapse(result.lapse)
          return result.body
        },
        hold(messages, signal) {
          const { point, response } = messages
          const placement =
            point === 'request' ? requestPlacement : findPlacement(matchingRules, point, response?.status ?? 0)
          if (placement) return hold(call, placement, messages, { signal, records })
          return Promise.resolve(toUnedited(messages))
        },
        saveRecords(exchangeId) {
          if (records.length > 0) recordsByExchange.set(exchangeId, records)
        },
      }
    },
    addLapse,
    releaseMovedCalls() {
      for (const entry of heldById.values()) if (!entry.isHostConnected()) goOnByItself(entry, 'host-changed')
    },
    close() {
      for (const { finish } of heldById.values()) finish({ kind: 'gone' }, 'gone')
      if (publishTimer) clearTimeout(publishTimer)
    },
  }
}
