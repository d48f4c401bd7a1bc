import { randomUUID } from 'node:crypto'
import { AppError } from '../../../../shared/errors.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import type { Endpoint } from '../../../../shared/bridge/endpoint.ts'
import type { Origin } from '../../../../shared/traffic/exchange.ts'
import type { BridgeTarget, ExchangeRecorder } from '../../bridge/types.ts'
import { parsedBody } from '../../../../shared/operations/body.ts'
import type { PanelAnswer } from '../types.ts'
import type { PageCall } from './call.ts'

/** Stands for a host where none is connected. */
const nowhere: BridgeTarget = {
  baseUrl: '',
  auth: { header: 'Authorization', scheme: 'Bearer' },
  token: null,
  tlsFingerprint: null,
  readOnly: true,
  epoch: 0,
  pathOverrides: {},
}

interface Local {
  readonly call: PageCall
  readonly endpoint: Endpoint
  readonly origin: Origin
  readonly target: BridgeTarget | null
  /** What answered in place of the host. */
  readonly rule: string
  readonly startedAt: number
}

const untimed = { queued: null, connected: null, sent: null, firstByte: null, lastByte: null }

/** Records an exchange that the host never saw, with the rule that answered it. Returns its id. */
export function recordLocal(recorder: ExchangeRecorder, local: Local, answer: PanelAnswer): string {
  const { call, endpoint, origin, target, rule, startedAt } = local
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
  recorder.began(begun)
  const isAnswer = answer.kind === 'answer'
  const body = isAnswer && Buffer.isBuffer(answer.body) ? answer.body : null
  recorder.ended(begun, {
    durationMs: Date.now() - startedAt,
    timing: untimed,
    complete: isAnswer,
    status: isAnswer ? answer.status : null,
    wireBytes: null,
    requestHeaders: call.headers,
    responseHeaders: isAnswer ? answer.headers : [],
    body,
    bytes: body?.byteLength ?? 0,
    missing: null,
    hostCode: errorCodeOf(parsedBody(body?.toString() ?? null)),
    error: isAnswer ? null : broken(),
  })
  return id
}

const broken = (): AppError =>
  new AppError({
    kind: 'offline',
    code: 'BROKEN_BY_RULE',
    message: 'A rule ended the connection without an answer.',
    retryable: true,
  })
