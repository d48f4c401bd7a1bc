import { AppError } from '../../../../shared/errors.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import { because, type GateReason } from '../../../../shared/panel/reason.ts'
import type { AllowList, GateChange, PanelCall, PanelWrites } from '../../../../shared/panel/panel.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { isObject } from '../../../../shared/json/object.ts'
import { isRead, parsedOr } from '../../bridge/client/gate.ts'
import { parsedBody } from '../../../../shared/operations/commands.ts'
import type { Origin } from '../../../../shared/traffic/exchange.ts'
import type { ExchangeRecorder } from '../../bridge/types.ts'
import type { Here } from '../../bridge/connection/connected-host.ts'
import type { PanelCalls } from '../call/calls.ts'
import { waitDelay } from '../overrides/answer.ts'
import type { AppliedOverrides, PanelAnswer } from '../call/types.ts'
import { isAllowed, isNeverAllowed, rowFor } from './allow.ts'
import { errorAnswer, responseOf } from '../call/answer.ts'
import { readCall, requestOf, MOST_BODY, type PageCall, gatePath, type GatePath } from '../call/call.ts'
import { gateHeaders } from './headers.ts'
import { beginLocal, type CallStart } from './local.ts'

/** What became of a call. */
export interface Outcome {
  readonly answer: PanelAnswer
  /** Null where the host was not asked. */
  readonly exchangeId: string | null
  readonly decision: PanelCall['decision']
  readonly reason: GateReason
  readonly changes?: readonly GateChange[]
  readonly operationId?: string | null
}

/** A call that may go on to the host. */
export interface Passing {
  readonly call: PageCall
  readonly path: GatePath
  readonly row: Endpoint
  readonly here: Here
  readonly signal: AbortSignal
  readonly origin: Origin
  /** The name of the override that changes the answer. */
  readonly rule?: string | undefined
  /** Waits out the delay of that override. Throws where the call is given up meanwhile. */
  readonly hold?: (() => Promise<void>) | undefined
}

interface GateOptions {
  readonly allow: () => AllowList
  readonly writes: () => PanelWrites
  /** Who makes a call; `load` is what the page says of itself. */
  readonly originOf: (load: number | null) => Origin
  /** Null where no host is connected. */
  readonly here: () => Here | null
  readonly overrides: AppliedOverrides
  readonly read: (passing: Passing) => Promise<Outcome>
  readonly write: (passing: Passing, how: PanelWrites) => Promise<Outcome>
  readonly recorder: ExchangeRecorder
  readonly calls: Pick<PanelCalls, 'begin' | 'follow'>
}

/** Answers calls of the page; `ended` ends them all. */
type Gate = (request: Request, ended: AbortSignal) => Promise<Response>

/** The gate of a panel: decides what of its calls reaches the host (spec §5). What the allow-list does not name never does. */
export function createGate(options: GateOptions): Gate {
  const { allow, originOf, overrides, recorder, calls } = options

  return async (request, ended) => {
    const startedAt = Date.now()
    const startedMs = performance.now()
    const call = await readCall(request)
    const signal = AbortSignal.any([request.signal, ended])
    const path = gatePath(call.path)
    const outcome = await decide(call, path, signal)
    if (signal.aborted && outcome.exchangeId === null) return Response.error()
    const exchangeId =
      outcome.exchangeId ?? recorded(call, path, ruleOf(outcome), { startedAt, startedMs })(outcome.answer)
    const { changes } = gateHeaders(call.headers)
    const all = [...changes, ...(outcome.changes ?? [])]
    calls.begin({ ...outcome, exchangeId, at: startedAt, startedMs, call, changes: all })
    recorder.called?.(exchangeId, { via: call.via, sent: sentBy(call) })
    return responseOf(calls.follow(exchangeId, outcome.answer), request.method)
  }

  async function decide(call: PageCall, path: GatePath | null, signal: AbortSignal): Promise<Outcome> {
    if (path === null) return outside('path-ambiguous')
    if (call.body === null && call.bodyBytes > 0) return tooLarge
    const rule = overrides.ruleFor(call.method, path.path + path.query)
    if (!rule) return toHost(call, path, signal)
    return barred(call, path) ?? overridden(rule, call, path, signal)
  }

  /**
   * Why no rule answers a call either: the list comes first, as in a host. While nobody knows the host's list, because no host is
   * connected, a rule may stand in for the host.
   */
  function barred(call: PageCall, path: GatePath): Outcome | null {
    const list = allow()
    const isKnown = list.mode !== 'host' || list.from !== 'nowhere'
    if (isKnown && !isAllowed(list, call.method, path)) return outside('outside-list')
    return isNeverAllowed(rowFor(call.method, path, options.here()), path) ? outside('hands-out-token') : null
  }

  async function overridden(rule: OverrideRule, call: PageCall, path: GatePath, signal: AbortSignal): Promise<Outcome> {
    const request = requestOf(call, path, signal)
    if (rule.answer.kind !== 'change') {
      const ended = recorded(call, path, rule.name, { startedAt: Date.now(), startedMs: performance.now() })
      const answer = await overrides.answer(rule, request, notAsked)
      return {
        answer,
        exchangeId: ended(signal.aborted ? null : answer),
        decision: 'override',
        reason: overriddenBy(rule),
      }
    }
    let host: Outcome | undefined
    // The delay is a part of the call: it passes in the queue of its exchange, which begins with the call.
    const answer = await overrides.answer({ ...rule, delayMs: 0 }, request, async () => {
      host = await toHost(call, path, signal, rule)
      // What the gate itself says is no answer of the host.
      return host.decision === 'passed' ? host.answer : { kind: 'broken' }
    })
    if (host === undefined) return { answer, exchangeId: null, decision: 'override', reason: overriddenBy(rule) }
    if (host.decision !== 'passed' || host.answer.kind === 'broken') return host
    const changes = answer.kind === 'answer' ? (answer.changes ?? []) : []
    // Of a body that is still on its way, this is told at its end.
    const own = host.answer.kind === 'answer' ? host.answer : null
    const isRead = answer.kind === 'answer' && answer.body !== own?.body
    const onTheWay = (isRead ? own?.changedOnTheWay?.() : null) ?? []
    const all = [...(host.changes ?? []), ...onTheWay, ...changes]
    return {
      ...host,
      answer,
      decision: 'override',
      reason: because('override-applied', { rule: rule.name }),
      changes: all,
    }
  }

  async function toHost(call: PageCall, path: GatePath, signal: AbortSignal, rule?: OverrideRule): Promise<Outcome> {
    if (!isAllowed(allow(), call.method, path)) return outside('outside-list')
    const here = options.here()
    const row = rowFor(call.method, path, here)
    if (isNeverAllowed(row, path)) return outside('hands-out-token')
    if (here === null) {
      return notSent(503, 'NOT_CONNECTED', 'The inspector is not connected to a host.', because('not-connected'))
    }
    const hold = rule && (() => waitDelay(rule, signal))
    const passing: Passing = { call, path, row, here, signal, origin: originOf(call.load), rule: rule?.name }
    try {
      if (isReadCall(passing)) return await options.read({ ...passing, hold })
      await hold?.()
      return await options.write(passing, options.writes())
    } catch (error) {
      return failed(error)
    }
  }

  function recorded(call: PageCall, path: GatePath | null, rule: string, start: CallStart) {
    const here = options.here()
    const endpoint = rowFor(call.method, path, here)
    return beginLocal(recorder, {
      call,
      endpoint,
      origin: originOf(call.load),
      target: here?.target ?? null,
      rule,
      ...start,
    })
  }
}

/** A call that a host may take for a write is one: it needs the consent of whoever uses the inspector. */
const isReadCall = ({ call: { body, headers }, path, row }: Passing): boolean =>
  isRead(row, {
    body: body === null ? undefined : parsedOr(body, null),
    bodyText: body?.toString() ?? null,
    rawPath: path.path + path.query,
    headers: gateHeaders(headers).passed,
  })

/** What answered in place of the host. */
const ruleOf = ({ decision, reason }: Outcome): string =>
  decision === 'override' ? (reason.params['rule'] ?? '') : decision

const notAsked = (): Promise<PanelAnswer> => Promise.resolve({ kind: 'broken' })

/** Whether the page itself sent what the host fills in (spec §4, §5.6). */
function sentBy({ body }: PageCall): { confirm: boolean; addon: boolean } {
  const value = parsedBody(body?.toString() ?? null)
  const has = (name: string): boolean => isObject(value) && Object.hasOwn(value, name)
  return { confirm: has('confirm'), addon: has('addon') }
}

const overriddenBy = ({ name }: OverrideRule): GateReason => because('overridden', { rule: name })

const outside = (code: 'outside-list' | 'hands-out-token' | 'path-ambiguous'): Outcome => ({
  answer: errorAnswer(403, 'IN_PROCESS_NOT_ALLOWED', 'The path is not in the web-panel allow-list.'),
  exchangeId: null,
  decision: 'not-allowed',
  reason: because(code),
})

export const notSent = (status: number, code: string, message: string, reason: GateReason): Outcome => ({
  answer: errorAnswer(status, code, message),
  exchangeId: null,
  decision: 'not-sent',
  reason,
})

const tooLarge = notSent(
  413,
  'BODY_TOO_LARGE',
  `The body is larger than ${MOST_BODY / 1_048_576} MB. Nothing was sent.`,
  because('body-too-large', { limit: String(MOST_BODY / 1_048_576) }),
)

/** Why there is no answer, with what its words need. */
export function failureReason({ wire: { code = '', message, params = {} } }: AppError): GateReason {
  const texts = Object.entries(params).map(([name, value]) => [name, String(value)] as const)
  return because('failed', { ...Object.fromEntries(texts), code, message })
}

/** What the page sees of a call that got no answer: an error where nothing was sent, otherwise a broken connection. */
function failed(error: unknown): Outcome {
  if (!(error instanceof AppError)) throw error
  const { kind, code = 'REFUSED', message, exchangeId = null } = error.wire
  const reason = failureReason(error)
  if (kind === 'refused') {
    const refusal = errorAnswer(code === 'READ_ONLY' ? 403 : 400, code, message)
    return {
      answer: refusal,
      exchangeId,
      decision: code === 'READ_ONLY' ? 'write-refused' : 'not-sent',
      reason,
    }
  }
  return { answer: { kind: 'broken' }, exchangeId, decision: 'passed', reason }
}
