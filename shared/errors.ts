import { z } from 'zod'

/**
 * What went wrong, from the point of view of the person who has to act on it: `host` the host answered with an `error` object (its code
 * and message unchanged, spec §7) · `http` a status without such an object, including every redirect · `timeout` · `offline` nobody
 * answered · `refused` by one of our own gates · `malformed` the answer is not what was promised · `cancelled` · `internal` a defect of
 * this program, with details in the log only.
 */
const errorKinds = ['host', 'http', 'timeout', 'offline', 'refused', 'malformed', 'cancelled', 'internal'] as const

export const wireErrorSchema = z.strictObject({
  kind: z.enum(errorKinds),
  /** The host's `error.code`, or an upper-case code of our own, which the page translates. */
  code: z.string().max(200).optional(),
  status: z.number().int().optional(),
  message: z.string(),
  retryable: z.boolean(),
  exchangeId: z.string().optional(),
  /** Facts that a translated sentence needs: never a token, a header value or a URL with a query. */
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  retryAfterSeconds: z.number().optional(),
  /** The host's own `error.details`, unchanged (observed-0.49: a dry run for writes without `confirm`). */
  details: z.unknown().optional(),
  /** The host said more than is kept: message and details hold only its beginning. */
  cut: z.boolean().optional(),
})

/** An error as data: the only form in which one crosses between processes. */
export type WireError = z.infer<typeof wireErrorSchema>
type ErrorKind = WireError['kind']

/** What services throw. `toWire` turns it into data; `fromWire` turns it back on the other side. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly wire: WireError
  /** Bytes of the answer concerned, if whoever throws has them, to be shown as sent. They do not cross between processes. */
  readonly responseBytes: ArrayBuffer | null

  constructor(wire: WireError, { sent, ...options }: { cause?: unknown; sent?: ArrayBuffer } = {}) {
    super(wire.message, options)
    this.wire = wire
    this.responseBytes = sent ?? null
  }

  get kind(): ErrorKind {
    return this.wire.kind
  }

  get code(): string | undefined {
    return this.wire.code
  }
}

/** An error from our own gates: something was refused before anything was sent. */
export function createRefusedError(code: string, message: string, params?: WireError['params']): AppError {
  return new AppError({ kind: 'refused', code, message, retryable: false, ...(params ? { params } : {}) })
}

/** The error for a request that whoever made it has given up. */
export const createCancelledError = (): AppError =>
  new AppError({ kind: 'cancelled', code: 'CANCELLED', message: 'Cancelled.', retryable: true })

/** The page cannot reach the service process. */
export const serviceUnreachableError: WireError = {
  kind: 'offline',
  code: 'SERVICE_GONE',
  message: 'Bridge Inspector itself does not answer. Is its process still running?',
  retryable: true,
}

/**
 * Whatever was thrown, as wire data. Anything but an `AppError` becomes `internal` with a fixed message, because a foreign message may
 * carry a URL, a header or a path; the caller logs the original.
 */
export function toWireError(thrown: unknown): WireError {
  if (thrown instanceof AppError) return thrown.wire
  return {
    kind: 'internal',
    code: 'INTERNAL',
    message: 'Something went wrong inside Bridge Inspector. The log has the details.',
    retryable: false,
  }
}

/** The error for wire data from the other side; data of the wrong shape becomes `internal`. */
export function fromWireError(wire: unknown): AppError {
  const parsed = wireErrorSchema.safeParse(wire)
  return parsed.success ? new AppError(parsed.data) : new AppError(toWireError(wire))
}
