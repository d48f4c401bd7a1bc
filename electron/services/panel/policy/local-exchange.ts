import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { AppError, createCancelledError } from '../../../../shared/errors.ts'
import { BY_HAND_MARK } from '../../../../shared/panel/breakpoints.ts'
import { REPEATED_MARK } from '../../../../shared/panel/panel.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import type { Origin } from '../../../../shared/traffic/exchange.ts'
import type { BridgeTarget, CallStart, ExchangeRecorder } from '../../bridge/types.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import type { PanelCallFacts } from '../../findings/exchange-step.ts'
import type { PanelResponse } from '../call/types.ts'
import type { PageCall } from '../call/page-call.ts'

/** The target of recorded exchanges while no host is connected. */
const NO_TARGET: BridgeTarget = {
  baseUrl: '',
  auth: { header: 'Authorization', scheme: 'Bearer' },
  token: null,
  tlsFingerprint: null,
  isReadOnly: true,
  epoch: 0,
  pathOverrides: {},
  limits: null,
}

interface LocalExchangeOptions extends CallStart {
  readonly call: Pick<PageCall, 'method' | 'path' | 'headers' | 'body' | 'bodyBytes'>
  readonly endpoint: Endpoint
  readonly origin: Origin
  readonly target: BridgeTarget | null
  /** The name of the override or decision that responds in place of the host. */
  readonly rule: string
  readonly panelCall?: PanelCallFacts
}

const NO_TIMING = { queued: null, connected: null, sent: null, firstByte: null, lastByte: null }

/** Begins to record; returns a function for the end, which takes null if the page aborted. */
export function beginLocalExchange(
  recorder: ExchangeRecorder,
  local: LocalExchangeOptions,
): (answer: PanelResponse | null) => string {
  const { call, endpoint, origin, target, rule, panelCall, startedAt, startedMs } = local
  const id = randomUUID()
  const exchangeStart = {
    id,
    group: id,
    attempt: 1,
    startedAt,
    origin,
    endpoint,
    method: call.method,
    path: call.path,
    target: target ?? NO_TARGET,
    headers: call.headers,
    body: call.body,
    fileBytes: call.body === null && call.bodyBytes > 0 ? call.bodyBytes : null,
    rule,
    panelCall,
  }
  recorder.recordStart(exchangeStart)
  return (panelResponse) => {
    const response = panelResponse?.kind === 'answer' ? panelResponse : null
    const body = Buffer.isBuffer(response?.body) ? response.body : null
    const error = toExchangeError(panelResponse, rule)
    recorder.recordEnd(exchangeStart, {
      durationMs: performance.now() - startedMs,
      timing: NO_TIMING,
      isComplete: error === null,
      status: response?.status ?? null,
      wireBytes: null,
      requestHeaders: call.headers,
      responseHeaders: response?.headers ?? [],
      body,
      receivedBytes: body?.byteLength ?? 0,
      missing: null,
      hostCode: errorCodeOf(parseBodyText(body?.toString() ?? null)),
      error,
    })
    return id
  }
}

/** Returns why it is incomplete, or null. Only one that is to be cut has a stream from here. */
function toExchangeError(response: PanelResponse | null, rule: string): AppError | null {
  if (response === null) return createCancelledError()
  if (response.kind === 'broken') return createBrokenError(rule)
  return response.body instanceof Readable ? createCutError() : null
}

const createCutError = (): AppError =>
  new AppError({ kind: 'malformed', code: 'CUT_BY_RULE', message: 'A rule cut the answer off.', retryable: true })

function createBrokenError(rule: string): AppError {
  if (rule === REPEATED_MARK) {
    const message = 'The browser sent the call a second time by itself. Nothing was sent to the host.'
    return new AppError({ kind: 'refused', code: 'REPEATED_BY_BROWSER', message, retryable: false })
  }
  const [code, message] =
    rule === BY_HAND_MARK
      ? ['FAILED_BY_HAND', 'A person ended the held call without an answer.']
      : ['BROKEN_BY_RULE', 'A rule ended the connection without an answer.']
  return new AppError({ kind: 'offline', code, message, retryable: true })
}
