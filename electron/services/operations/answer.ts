import { AppError } from '../../../shared/errors.ts'
import type { OperationEvent } from '../../../shared/bridge/operation-states.ts'

type Answer = Extract<OperationEvent, { kind: 'answer' }>
/** Characters of a body that are kept in a record. */
const MOST_BODY = 200_000

/** An answer of the host as a record keeps it. */
export function answerEvent(
  body: unknown,
  { status, durationMs, exchangeId }: { status: number; durationMs: number; exchangeId: string },
  instanceNonce: string | null,
): Answer {
  const text = JSON.stringify(body) ?? 'null'
  const cut = text.length > MOST_BODY
  const kept: unknown = cut ? { cut: text.slice(0, MOST_BODY) } : body
  return { kind: 'answer', at: Date.now(), status, body: kept, cut, durationMs, exchangeId, instanceNonce }
}

export interface HostError {
  readonly status: number
  readonly code: string | null
  readonly message: string | null
  readonly details: unknown
  /** As the host sent it, as far as the error keeps it. */
  readonly body: unknown
  readonly exchangeId: string
}

/** What a host said by an error of its own; null for failures in which it said nothing that can be read. */
export function hostError(error: unknown): HostError | null {
  if (!(error instanceof AppError) || error.kind !== 'host') return null
  const { status = 200, code = null, message, details = null, exchangeId = '', retryAfterSeconds } = error.wire
  const sent = {
    code,
    message,
    ...(details === null ? {} : { details }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
  return { status, code, message, details, body: { error: sent }, exchangeId }
}
