import { z } from 'zod'

/**
 * Kinds of errors by what the user can do about them. `host`: an `error` object of the host, its
 * code and message unchanged (spec §7). `http`: an error status without such an object, and every
 * redirect. `timeout`. `offline`: nothing responded. `refused`: refused by this program before
 * sending. `malformed`: the response is not what the contract says. `unread`: the contract leaves
 * the response's shape open, and the program does not know this one. `cancelled`. `internal`: a
 * defect of this program, with details only in the log.
 */
const errorKinds = [
  'host',
  'http',
  'timeout',
  'offline',
  'refused',
  'malformed',
  'unread',
  'cancelled',
  'internal',
] as const

export const wireErrorSchema = z.strictObject({
  kind: z.enum(errorKinds),
  /** The host's `error.code`, or an upper-case code of our own, which the page translates. */
  code: z.string().max(200).optional(),
  status: z.number().int().optional(),
  message: z.string(),
  retryable: z.boolean(),
  exchangeId: z.string().optional(),
  /** Facts for a translated sentence: never a token, a header value or a URL with a query. */
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  retryAfterSeconds: z.number().optional(),
  /** The host's own value (observed-0.49: a dry run for writes without `confirm`). */
  details: z.unknown().optional(),
  /** Message and details are truncated. */
  cut: z.boolean().optional(),
})

export type WireError = z.infer<typeof wireErrorSchema>
type ErrorKind = WireError['kind']

/** What services throw. `toWireError` makes data of it, `fromWireError` an error again. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly wire: WireError
  /** Response to show as sent, if available. It does not cross between processes. */
  readonly responseBytes: ArrayBuffer | null

  constructor(wire: WireError, { responseBytes, ...options }: { cause?: unknown; responseBytes?: ArrayBuffer } = {}) {
    super(wire.message, options)
    this.wire = wire
    this.responseBytes = responseBytes ?? null
  }

  get kind(): ErrorKind {
    return this.wire.kind
  }

  get code(): string | undefined {
    return this.wire.code
  }
}

export function createRefusedError(code: string, message: string, params?: WireError['params']): AppError {
  return new AppError({ kind: 'refused', code, message, retryable: false, ...(params ? { params } : {}) })
}

export function createCancelledError(): AppError {
  return new AppError({ kind: 'cancelled', code: 'CANCELLED', message: 'Cancelled.', retryable: true })
}

/** @throws CANCELLED */
export function assertNotCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw createCancelledError()
}

export const serviceUnreachableError: WireError = {
  kind: 'offline',
  code: 'SERVICE_GONE',
  message: 'Bridge Inspector itself does not answer. Is its process still running?',
  retryable: true,
}

/** Keeps the message of an `AppError` only: others may contain a URL, a header or a path. */
export function toWireError(thrown: unknown): WireError {
  if (thrown instanceof AppError) return thrown.wire
  return {
    kind: 'internal',
    code: 'INTERNAL',
    message: 'Something went wrong inside Bridge Inspector. The log has the details.',
    retryable: false,
  }
}

/** Converts wire data to an error; data of the wrong shape becomes `internal`. */
export function fromWireError(wire: unknown): AppError {
  const parsed = wireErrorSchema.safeParse(wire)
  return parsed.success ? new AppError(parsed.data) : new AppError(toWireError(wire))
}
