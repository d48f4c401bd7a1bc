// Decides which calls of a panel reach the host, and forwards those calls.
// A panel's files are served by panel/site; the user's overrides are in panel/overrides.
// Read this file first, then allow-list.ts and panel-write.ts.
import { AppError } from '../../../../shared/errors.ts'
import { BY_HAND_MARK } from '../../../../shared/panel/breakpoints.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import { createPanelCallReason, type PanelCallReason } from '../../../../shared/panel/call-reason.ts'
import type { AllowList, PanelWriteMode } from '../../../../shared/panel/panel.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { isReadRequest, parseJsonOr } from '../../bridge/client/access-check.ts'
import type { Origin } from '../../../../shared/traffic/exchange.ts'
import type { CallStart, ExchangeRecorder } from '../../bridge/types.ts'
import type { ConnectedHost } from '../../bridge/connection/connected-host.ts'
import type { Breakpoints, CallHolds } from '../../breakpoints/breakpoints.ts'
import type { CallInitiators } from '../call/call-initiators.ts'
import type { PanelCalls } from '../call/panel-calls.ts'
import { waitForRuleDelay } from '../overrides/rule-response.ts'
import type { AppliedOverrides, PanelResponse } from '../call/types.ts'
import { isCallAllowed, isAlwaysRefused, findCallRow, mayBeOtherRoute } from './allow-list.ts'
import { createErrorResponse, toWebResponse } from '../call/response.ts'
import {
  getPanelCallFacts,
  readPageCall,
  toMatchedCall,
  toPanelRequest,
  MAX_BODY_BYTES,
  type PageCall,
  parseCallPath,
  requireCallPath,
  type CallPath,
} from '../call/page-call.ts'
import { filterRequestHeaders, isPassedHeader } from './call-headers.ts'
import { createNotSentOutcome, type CallOutcome } from './call-outcome.ts'
import { decideHeldCall } from './held-call.ts'
import { beginLocalExchange } from './local-exchange.ts'
import { RepeatedCalls } from './repeated-calls.ts'
import { NodeAbortSignal } from '../../../core/node-abort.ts'

/** A call that the policy allows to be forwarded to the host. */
export interface AllowedCall {
  readonly call: PageCall
  readonly path: CallPath
  readonly row: Endpoint
  readonly connectedHost: ConnectedHost
  readonly signal: AbortSignal
  readonly origin: Origin
  /** The name of the override that changes the host's response, if any. */
  readonly rule?: string | undefined
  /** When the call was made, if the delay of an override is over. */
  readonly start?: CallStart | undefined
  /** Waits for the override's delay. @throws AppError `cancelled` if the page aborts meanwhile */
  readonly beforeSend?: (() => Promise<void>) | undefined
}

interface CallHandlerOptions {
  readonly getAllowList: () => AllowList
  readonly getWrites: () => PanelWriteMode
  /** @param load the number of the page's load, as the page sends it. */
  readonly getOrigin: (load: number | null) => Origin
  readonly getConnectedHost: () => ConnectedHost | null
  readonly overrides: AppliedOverrides
  /** Null for calls that no breakpoint holds. */
  readonly breakpoints: Pick<Breakpoints, 'mayHold' | 'begin'> | null
  readonly read: (allowedCall: AllowedCall) => Promise<CallOutcome>
  readonly write: (allowedCall: AllowedCall, mode: PanelWriteMode) => Promise<CallOutcome>
  readonly recorder: ExchangeRecorder
  readonly calls: Pick<PanelCalls, 'recordCall' | 'recordResponse'>
  /** Absent for calls that no page makes. */
  readonly initiators?: Pick<CallInitiators, 'recordCall'>
}

/** @param panelSignal aborts the call when the panel is closed or its page is reloaded. */
type CallHandler = (request: Request, panelSignal: AbortSignal) => Promise<Response>

/** A call that is not in the allow list never reaches the host. @see spec §5 */
export function createCallHandler(options: CallHandlerOptions): CallHandler {
  const { getAllowList, getOrigin, overrides, recorder, calls } = options
  const repeatedCalls = new RepeatedCalls()

  return async (request, panelSignal) => {
    const startedAt = Date.now()
    const startedMs = performance.now()
    const call = await readPageCall(request)
    const repetitionOutcome = repeatedCalls.beginCall(call)
    const signal = NodeAbortSignal.any([request.signal, panelSignal])
    const path = parseCallPath(call.path)
    const connectedHost = options.getConnectedHost()
    const holds = repetitionOutcome ? null : beginHolds(call, path, connectedHost)
    const decideUnlessMoved = (heldCall: PageCall): Promise<CallOutcome> =>
      isSameHost(connectedHost, options.getConnectedHost())
        ? decide(heldCall, parseCallPath(heldCall.path), signal)
        : Promise.resolve(HOST_CHANGED_OUTCOME)
    const outcome =
      repetitionOutcome ??
      repeatedCalls.endCall(
        call,
        await (holds ? decideHeldCall(call, { holds, signal, decide: decideUnlessMoved }) : decide(call, path, signal)),
      )
    if (signal.aborted && outcome.exchangeId === null) return Response.error()
    const exchangeId =
      outcome.exchangeId ??
      beginRecording(call, path, getResponderName(outcome), { startedAt, startedMs }, connectedHost)(outcome.response)
    const { changes } = filterRequestHeaders(call.headers)
    const allChanges = [...changes, ...(outcome.changes ?? [])]
    holds?.saveRecords(exchangeId)
    calls.recordCall({ ...outcome, exchangeId, at: startedAt, startedMs, call, changes: allChanges })
    if (call.loader) recorder.recordInitiator?.(exchangeId, { frames: null, loader: call.loader })
    options.initiators?.recordCall(exchangeId, call)
    return toWebResponse(calls.recordResponse(exchangeId, outcome.response), request.method)
  }

  /** Null if no breakpoint concerns the call. A call that the policy refuses is never held. */
  function beginHolds(call: PageCall, path: CallPath | null, connectedHost: ConnectedHost | null): CallHolds | null {
    const { breakpoints } = options
    if (!breakpoints || path === null || (call.body === null && call.bodyBytes > 0)) return null
    const matchedCall = toMatchedCall(call, path)
    if (!breakpoints.mayHold(matchedCall) || findRefusalBeforeRule(call, path)) return null
    // A write is sent without the headers of the page.
    const isHeaderSent = (name: string, { method, path: sentPath }: Pick<PageCall, 'method' | 'path'>): boolean => {
      const callPath = requireCallPath(sentPath)
      const row = findCallRow(method, callPath, connectedHost)
      return isPassedHeader(name) && isReadCall({ call: { ...call, method }, path: callPath, row })
    }
    return breakpoints.begin({
      ...matchedCall,
      origin: getOrigin(call.load),
      host: connectedHost?.target.baseUrl ?? '',
      endpoint: findCallRow(call.method, path, connectedHost).id || null,
      authHeader: connectedHost?.target.auth.header ?? null,
      isHeaderSent,
      assertPathSent: requireCallPath,
      isHostConnected: () => isSameHost(connectedHost, options.getConnectedHost()),
    })
  }

  async function decide(call: PageCall, path: CallPath | null, signal: AbortSignal): Promise<CallOutcome> {
    if (path === null) return AMBIGUOUS_PATH_OUTCOME
    if (call.body === null && call.bodyBytes > 0) return TOO_LARGE_OUTCOME
    const overridableCall = {
      ...toMatchedCall(call, path),
      headers: filterRequestHeaders(call.headers).passed,
      bodyText: call.body?.toString() ?? null,
      signal,
    }
    const rule = await overrides.findRule(overridableCall, getOrigin(call.load).load ?? 0)
    if (!rule) return forwardToHost(call, path, signal)
    return findRefusalBeforeRule(call, path) ?? respondWithRule(rule, call, path, signal)
  }

  /**
   * Returns the refusal of a call for which there is an override; null if the override may respond.
   * The allow list is checked before overrides, as in a host. While no host is connected, its list
   * is unknown, and an override may respond to any call except one that could return a token.
   */
  function findRefusalBeforeRule(call: PageCall, path: CallPath): CallOutcome | null {
    const list = getAllowList()
    const isKnown = list.mode !== 'host' || list.from !== 'nowhere'
    if (isKnown && !isCallAllowed(list, call.method, path)) return createNotAllowedOutcome('outside-list')
    return findRouteRefusal(call, path, options.getConnectedHost())
  }

  /** Returns the refusal of a call whose route the list names; null if it may be sent. */
  function findRouteRefusal(
    { method }: PageCall,
    path: CallPath,
    connectedHost: ConnectedHost | null,
  ): CallOutcome | null {
    const row = findCallRow(method, path, connectedHost)
    if (isAlwaysRefused(row, path)) return createNotAllowedOutcome('hands-out-token')
    return mayBeOtherRoute(row, method, path, connectedHost) ? AMBIGUOUS_PATH_OUTCOME : null
  }

  async function respondWithRule(
    rule: OverrideRule,
    call: PageCall,
    path: CallPath,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const request = toPanelRequest(call, path, signal)
    if (rule.answer.kind !== 'change') {
      const endExchange = beginRecording(call, path, rule.name, { startedAt: Date.now(), startedMs: performance.now() })
      const response = await overrides.respond(rule, request, respondBroken)
      return {
        response,
        exchangeId: endExchange(signal.aborted ? null : response),
        decision: 'override',
        reason: createOverriddenReason(rule),
      }
    }
    let hostOutcome: CallOutcome | undefined
    // `forwardToHost` waits for the rule's delay instead, which the duration then includes.
    const response = await overrides.respond({ ...rule, delayMs: 0 }, request, async () => {
      hostOutcome = await forwardToHost(call, path, signal, rule)
      // An override changes only responses of the host, not refusals by this policy.
      return hostOutcome.decision === 'passed' ? hostOutcome.response : { kind: 'broken' }
    })
    if (hostOutcome === undefined)
      return { response, exchangeId: null, decision: 'override', reason: createOverriddenReason(rule) }
    if (hostOutcome.decision !== 'passed' || hostOutcome.response.kind === 'broken') return hostOutcome
    const changes = response.kind === 'answer' ? (response.changes ?? []) : []
    // If the body is still being streamed, its changes are only known at its end.
    const hostResponse = hostOutcome.response.kind === 'answer' ? hostOutcome.response : null
    const isBodyRead = response.kind === 'answer' && response.body !== hostResponse?.body
    const streamChanges = (isBodyRead ? hostResponse?.getStreamChanges?.() : null) ?? []
    const allChanges = [...(hostOutcome.changes ?? []), ...streamChanges, ...changes]
    return {
      ...hostOutcome,
      response,
      decision: 'override',
      reason: createPanelCallReason('override-applied', { rule: rule.name }),
      changes: allChanges,
    }
  }

  async function forwardToHost(
    call: PageCall,
    path: CallPath,
    signal: AbortSignal,
    rule?: OverrideRule,
  ): Promise<CallOutcome> {
    if (!isCallAllowed(getAllowList(), call.method, path)) return createNotAllowedOutcome('outside-list')
    const connectedHost = options.getConnectedHost()
    const routeRefusal = findRouteRefusal(call, path, connectedHost)
    if (routeRefusal) return routeRefusal
    const row = findCallRow(call.method, path, connectedHost)
    if (connectedHost === null) {
      return createNotSentOutcome(
        503,
        'NOT_CONNECTED',
        'The inspector is not connected to a host.',
        createPanelCallReason('not-connected'),
      )
    }
    const waitForDelay = rule && (() => waitForRuleDelay(rule, signal))
    const allowedCall: AllowedCall = {
      call,
      path,
      row,
      connectedHost,
      signal,
      origin: getOrigin(call.load),
      rule: call.mark ?? rule?.name,
    }
    try {
      if (isReadCall(allowedCall)) return await options.read({ ...allowedCall, beforeSend: waitForDelay })
      const start = waitForDelay && { startedAt: Date.now(), startedMs: performance.now() }
      await waitForDelay?.()
      return await options.write({ ...allowedCall, start }, options.getWrites())
    } catch (error) {
      return toFailedOutcome(error)
    }
  }

  function beginRecording(
    call: PageCall,
    path: CallPath | null,
    rule: string,
    start: CallStart,
    connectedHost = options.getConnectedHost(),
  ) {
    const endpoint = findCallRow(call.method, path, connectedHost)
    return beginLocalExchange(recorder, {
      call,
      endpoint,
      origin: getOrigin(call.load),
      target: connectedHost?.target ?? null,
      rule,
      panelCall: getPanelCallFacts(call),
      ...start,
    })
  }
}

/** A call that a host might treat as a write counts as a write, which needs the user's approval. */
const isReadCall = ({ call: { body, headers }, path, row }: Pick<AllowedCall, 'call' | 'path' | 'row'>): boolean =>
  isReadRequest(row, {
    body: body === null ? undefined : parseJsonOr(body, null),
    bodyText: body?.toString() ?? null,
    rawPath: path.path + path.query,
    headers: filterRequestHeaders(headers).passed,
  })

/** The override that kept the call from the host or, without one, the decision. */
const getResponderName = ({ decision, reason }: CallOutcome): string =>
  decision === 'by-hand' ? BY_HAND_MARK : decision === 'override' ? (reason.params['rule'] ?? '') : decision

const respondBroken = (): Promise<PanelResponse> => Promise.resolve({ kind: 'broken' })

const createOverriddenReason = ({ name }: OverrideRule): PanelCallReason =>
  createPanelCallReason('overridden', { rule: name })

const createNotAllowedOutcome = (code: 'outside-list' | 'hands-out-token'): CallOutcome => ({
  response: createErrorResponse(403, 'IN_PROCESS_NOT_ALLOWED', 'The path is not in the web-panel allow-list.'),
  exchangeId: null,
  decision: 'not-allowed',
  reason: createPanelCallReason(code),
})

/** A wall of this program, so its code is none of the host's. */
const AMBIGUOUS_PATH_OUTCOME = createNotSentOutcome(
  400,
  'PATH_AMBIGUOUS',
  'The path can be read in more than one way. Nothing was sent.',
  createPanelCallReason('path-ambiguous'),
)

const TOO_LARGE_OUTCOME = createNotSentOutcome(
  413,
  'BODY_TOO_LARGE',
  `The body is larger than ${MAX_BODY_BYTES / 1_048_576} MB. Nothing was sent.`,
  createPanelCallReason('body-too-large', { limit: String(MAX_BODY_BYTES / 1_048_576) }),
)

const HOST_CHANGED_OUTCOME = createNotSentOutcome(
  503,
  'HOST_CHANGED',
  'The connection changed, or the host restarted, while the call was held. Nothing was sent.',
  createPanelCallReason('host-changed'),
)

const isSameHost = (left: ConnectedHost | null, right: ConnectedHost | null): boolean =>
  left?.profileId === right?.profileId &&
  left?.target.baseUrl === right?.target.baseUrl &&
  left?.target.epoch === right?.target.epoch

/** Converts the error of a call without a response to the reason in the list of calls. */
export function toFailureReason({ wire: { code = '', message, params = {} } }: AppError): PanelCallReason {
  const textParams = Object.entries(params).map(([name, value]) => [name, String(value)] as const)
  return createPanelCallReason('failed', { ...Object.fromEntries(textParams), code, message })
}

/** An error response if nothing was sent, otherwise a broken connection. */
function toFailedOutcome(error: unknown): CallOutcome {
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
