import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { AppError, createCancelledError } from '../../../../shared/errors.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import type { Origin } from '../../../../shared/traffic/exchange.ts'
import type { BridgeTarget, ExchangeRecorder } from '../../bridge/types.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import type { PanelResponse } from '../call/types.ts'
import type { PageCall } from '../call/page-call.ts'

/** Stands for a host where none is connected. */
const nowhere: BridgeTarget = {
  baseUrl: '',
  auth: { header: 'Authorization', scheme: 'Bearer' },
  token: null,
  tlsFingerprint: null,
  isReadOnly: true,
  epoch: 0,
  pathOverrides: {},
  limits: null,
}

/**
 * When a call began: by the clock that people see, and by the one that its duration is measured
 * with.
 */
export interface CallStart {
  readonly startedAt: number
  readonly startedMs: number
}

interface LocalExchange extends CallStart {
  readonly call: PageCall
  readonly endpoint: Endpoint
  readonly origin: Origin
  readonly target: BridgeTarget | null
  /** What answered in place of the host. */
  readonly rule: string
}

const untimed = { queued: null, connected: null, sent: null, firstByte: null, lastByte: null }

/**
 * Records an exchange that the host never sees, with the rule that answers it. Returns how to end
 * it, which returns its id; without an answer the page gave it up.
 */
export function beginLocalExchange(
  recorder: ExchangeRecorder,
  local: LocalExchange,
): (answer: PanelResponse | null) => string {
  const { call, endpoint, origin, target, rule, startedAt, startedMs } = local
  const id = randomUUID()
  const begun = {
    id,
    group: id,
    attempt: 1,
    startedAt,
    origin,
    endpoint,
    method: call.method,
    path: call.path,
    target: target ?? nowhere,
    headers: call.headers,
    body: call.body,
    fileBytes: call.body === null && call.bodyBytes > 0 ? call.bodyBytes : null,
    rule,
  }
  recorder.recordStart(begun)
  return (answer) => {
    const head = answer?.kind === 'answer' ? answer : null
    const body = Buffer.isBuffer(head?.body) ? head.body : null
    const error = failureOf(answer)
    recorder.recordEnd(begun, {
      durationMs: performance.now() - startedMs,
      timing: untimed,
      isComplete: error === null,
      status: head?.status ?? null,
      wireBytes: null,
      requestHeaders: call.headers,
      responseHeaders: head?.headers ?? [],
      body,
      receivedBytes: body?.byteLength ?? 0,
      missing: null,
      hostCode: errorCodeOf(parseBodyText(body?.toString() ?? null)),
      error,
    })
    return id
  }
}

/** Why there is no whole answer. What is made here as a stream breaks off. */
function failureOf(answer: PanelResponse | null): AppError | null {
  if (answer === null) return createCancelledError()
  if (answer.kind === 'broken') return broken()
  return answer.body instanceof Readable ? cutOff() : null
}

const cutOff = (): AppError =>
  new AppError({ kind: 'malformed', code: 'CUT_BY_RULE', message: 'A rule cut the answer off.', retryable: true })

const broken = (): AppError =>
  new AppError({
    kind: 'offline',
    code: 'BROKEN_BY_RULE',
    message: 'A rule ended the connection without an answer.',
    retryable: true,
  })
