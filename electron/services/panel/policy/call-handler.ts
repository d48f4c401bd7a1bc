import { AppError } from '../../../../shared/errors.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import { createPanelCallReason, type PanelCallReason } from '../../../../shared/panel/call-reason.ts'
import type { AllowList, PanelCallChange, PanelCall, PanelWriteMode } from '../../../../shared/panel/panel.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { isObject } from '../../../../shared/json/object.ts'
import { isReadRequest, parseJsonOr } from '../../bridge/client/access-check.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import type { Origin } from '../../../../shared/traffic/exchange.ts'
import type { ExchangeRecorder } from '../../bridge/types.ts'
import type { ConnectedHost } from '../../bridge/connection/connected-host.ts'
import type { PanelCalls } from '../call/panel-calls.ts'
import { waitRuleDelay } from '../overrides/rule-response.ts'
import type { AppliedOverrides, PanelResponse } from '../call/types.ts'
import { isCallAllowed, isAlwaysRefused, findCallRow } from './allow-list.ts'
import { createErrorResponse, toWebResponse } from '../call/response.ts'
import {
  readPageCall,
  toPanelRequest,
  MAX_BODY_BYTES,
  type PageCall,
  parseCallPath,
  type CallPath,
} from '../call/page-call.ts'
import { filterRequestHeaders } from './call-headers.ts'
import { beginLocalExchange, type CallStart } from './local-exchange.ts'

/** What became of a call. */
export interface CallOutcome {
  readonly response: PanelResponse
  /** Null where the host was not asked. */
  readonly exchangeId: string | null
  readonly decision: PanelCall['decision']
  readonly reason: PanelCallReason
  readonly changes?: readonly PanelCallChange[]
  readonly operationId?: string | null
}

/** A call that may go on to the host. */
export interface AllowedCall {
  readonly call: PageCall
  readonly path: CallPath
  readonly row: Endpoint
  readonly connectedHost: ConnectedHost
  readonly signal: AbortSignal
  readonly origin: Origin
  /** The name of the override that changes the answer. */
  readonly rule?: string | undefined
  /** Waits out the delay of that override. Throws where the call is given up meanwhile. */
  readonly beforeSend?: (() => Promise<void>) | undefined
}

interface CallHandlerOptions {
  readonly getAllowList: () => AllowList
  readonly getWrites: () => PanelWriteMode
  /** Who makes a call; `load` is what the page says of itself. */
  readonly getOrigin: (load: number | null) => Origin
  /** Null where no host is connected. */
  readonly getConnectedHost: () => ConnectedHost | null
  readonly overrides: AppliedOverrides
  readonly read: (passing: AllowedCall) => Promise<CallOutcome>
  readonly write: (passing: AllowedCall, how: PanelWriteMode) => Promise<CallOutcome>
  readonly recorder: ExchangeRecorder
  readonly calls: Pick<PanelCalls, 'recordCall' | 'recordResponse'>
}

/** Answers calls of the page; `ended` ends them all. */
type CallHandler = (request: Request, ended: AbortSignal) => Promise<Response>

/**
 * The gate of a panel: decides what of its calls reaches the host (spec §5). What the allow-list
 * does not name never does.
 */
export function createCallHandler(options: CallHandlerOptions): CallHandler {
  const { getAllowList: allow, getOrigin: originOf, overrides, recorder, calls } = options

  return async (request, ended) => {
    const startedAt = Date.now()
    const startedMs = performance.now()
    const call = await readPageCall(request)
    const signal = AbortSignal.any([request.signal, ended])
    const path = parseCallPath(call.path)
    const outcome = await decide(call, path, signal)
    if (signal.aborted && outcome.exchangeId === null) return Response.error()
    const exchangeId =
      outcome.exchangeId ?? recorded(call, path, ruleOf(outcome), { startedAt, startedMs })(outcome.response)
    const { changes } = filterRequestHeaders(call.headers)
    const all = [...changes, ...(outcome.changes ?? [])]
    calls.recordCall({ ...outcome, exchangeId, at: startedAt, startedMs, call, changes: all })
    recorder.recordPanelCall?.(exchangeId, { via: call.via, sentMembers: sentBy(call) })
    return toWebResponse(calls.recordResponse(exchangeId, outcome.response), request.method)
  }

  async function decide(call: PageCall, path: CallPath | null, signal: AbortSignal): Promise<CallOutcome> {
    if (path === null) return outside('path-ambiguous')
    if (call.body === null && call.bodyBytes > 0) return tooLarge
    const rule = overrides.findRule(call.method, path.path + path.query)
    if (!rule) return toHost(call, path, signal)
    return barred(call, path) ?? overridden(rule, call, path, signal)
  }

  /**
   * Why no rule answers a call either: the list comes first, as in a host. While nobody knows the
   * host's list, because no host is connected, a rule may stand in for the host.
   */
  function barred(call: PageCall, path: CallPath): CallOutcome | null {
    const list = allow()
    const isKnown = list.mode !== 'host' || list.from !== 'nowhere'
    if (isKnown && !isCallAllowed(list, call.method, path)) return outside('outside-list')
    return isAlwaysRefused(findCallRow(call.method, path, options.getConnectedHost()), path)
      ? outside('hands-out-token')
      : null
  }

  async function overridden(
    rule: OverrideRule,
    call: PageCall,
    path: CallPath,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const request = toPanelRequest(call, path, signal)
    if (rule.answer.kind !== 'change') {
      const ended = recorded(call, path, rule.name, { startedAt: Date.now(), startedMs: performance.now() })
      const answer = await overrides.respond(rule, request, notAsked)
      return {
        response: answer,
        exchangeId: ended(signal.aborted ? null : answer),
        decision: 'override',
        reason: overriddenBy(rule),
      }
    }
    let host: CallOutcome | undefined
    // The delay is a part of the call: it passes in the queue of its exchange, which begins with
    // the call.
    const answer = await overrides.respond({ ...rule, delayMs: 0 }, request, async () => {
      host = await toHost(call, path, signal, rule)
      // What the gate itself says is no answer of the host.
      return host.decision === 'passed' ? host.response : { kind: 'broken' }
    })
    if (host === undefined)
      return { response: answer, exchangeId: null, decision: 'override', reason: overriddenBy(rule) }
    if (host.decision !== 'passed' || host.response.kind === 'broken') return host
    const changes = answer.kind === 'answer' ? (answer.changes ?? []) : []
    // Of a body that is still on its way, this is told at its end.
    const own = host.response.kind === 'answer' ? host.response : null
    const isRead = answer.kind === 'answer' && answer.body !== own?.body
    const onTheWay = (isRead ? own?.getStreamChanges?.() : null) ?? []
    const all = [...(host.changes ?? []), ...onTheWay, ...changes]
    return {
      ...host,
      response: answer,
      decision: 'override',
      reason: createPanelCallReason('override-applied', { rule: rule.name }),
      changes: all,
    }
  }

  async function toHost(
    call: PageCall,
    path: CallPath,
    signal: AbortSignal,
    rule?: OverrideRule,
  ): Promise<CallOutcome> {
    if (!isCallAllowed(allow(), call.method, path)) return outside('outside-list')
    const here = options.getConnectedHost()
    const row = findCallRow(call.method, path, here)
    if (isAlwaysRefused(row, path)) return outside('hands-out-token')
    if (here === null) {
      return createNotSentOutcome(
        503,
        'NOT_CONNECTED',
        'The inspector is not connected to a host.',
        createPanelCallReason('not-connected'),
      )
    }
    const hold = rule && (() => waitRuleDelay(rule, signal))
    const passing: AllowedCall = {
      call,
      path,
      row,
      connectedHost: here,
      signal,
      origin: originOf(call.load),
      rule: rule?.name,
    }
    try {
      if (isReadCall(passing)) return await options.read({ ...passing, beforeSend: hold })
      await hold?.()
      return await options.write(passing, options.getWrites())
    } catch (error) {
      return failed(error)
    }
  }

  function recorded(call: PageCall, path: CallPath | null, rule: string, start: CallStart) {
    const here = options.getConnectedHost()
    const endpoint = findCallRow(call.method, path, here)
    return beginLocalExchange(recorder, {
      call,
      endpoint,
      origin: originOf(call.load),
      target: here?.target ?? null,
      rule,
      ...start,
    })
  }
}

/**
 * A call that a host may take for a write is one: it needs the consent of whoever uses the
 * inspector.
 */
const isReadCall = ({ call: { body, headers }, path, row }: AllowedCall): boolean =>
  isReadRequest(row, {
    body: body === null ? undefined : parseJsonOr(body, null),
    bodyText: body?.toString() ?? null,
    rawPath: path.path + path.query,
    headers: filterRequestHeaders(headers).passed,
  })

/** What answered in place of the host. */
const ruleOf = ({ decision, reason }: CallOutcome): string =>
  decision === 'override' ? (reason.params['rule'] ?? '') : decision

const notAsked = (): Promise<PanelResponse> => Promise.resolve({ kind: 'broken' })

/** Whether the page itself sent what the host fills in (spec §4, §5.6). */
function sentBy({ body }: PageCall): { confirm: boolean; addon: boolean } {
  const value = parseBodyText(body?.toString() ?? null)
  const has = (name: string): boolean => isObject(value) && Object.hasOwn(value, name)
  return { confirm: has('confirm'), addon: has('addon') }
}

const overriddenBy = ({ name }: OverrideRule): PanelCallReason => createPanelCallReason('overridden', { rule: name })

const outside = (code: 'outside-list' | 'hands-out-token' | 'path-ambiguous'): CallOutcome => ({
  response: createErrorResponse(403, 'IN_PROCESS_NOT_ALLOWED', 'The path is not in the web-panel allow-list.'),
  exchangeId: null,
  decision: 'not-allowed',
  reason: createPanelCallReason(code),
})

export const createNotSentOutcome = (
  status: number,
  code: string,
  message: string,
  reason: PanelCallReason,
): CallOutcome => ({
  response: createErrorResponse(status, code, message),
  exchangeId: null,
  decision: 'not-sent',
  reason,
})

const tooLarge = createNotSentOutcome(
  413,
  'BODY_TOO_LARGE',
  `The body is larger than ${MAX_BODY_BYTES / 1_048_576} MB. Nothing was sent.`,
  createPanelCallReason('body-too-large', { limit: String(MAX_BODY_BYTES / 1_048_576) }),
)

/** Why there is no answer, with what its words need. */
export function toFailureReason({ wire: { code = '', message, params = {} } }: AppError): PanelCallReason {
  const texts = Object.entries(params).map(([name, value]) => [name, String(value)] as const)
  return createPanelCallReason('failed', { ...Object.fromEntries(texts), code, message })
}

/**
 * What the page sees of a call that got no answer: an error where nothing was sent, otherwise a
 * broken connection.
 */
function failed(error: unknown): CallOutcome {
  if (!(error instanceof AppError)) throw error
  const { kind, code = 'REFUSED', message, exchangeId = null } = error.wire
  const reason = toFailureReason(error)
  if (kind === 'refused') {
    const refusal = createErrorResponse(code === 'READ_ONLY' ? 403 : 400, code, message)
    return {
      response: refusal,
      exchangeId,
      decision: code === 'READ_ONLY' ? 'write-refused' : 'not-sent',
      reason,
    }
  }
  return { response: { kind: 'broken' }, exchangeId, decision: 'passed', reason }
}
