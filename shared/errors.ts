import { z } from 'zod'

/**
 * What went wrong, seen from the person who has to act on it:
 * `host` the host answered with an `error` object (its code and message untouched, spec §7) · `http` a status that no
 * rule explains, among them every redirect · `timeout` · `offline` nobody answered · `refused` one of our own gates ·
 * `malformed` the answer is not what was promised · `cancelled` · `internal` a defect of ours; details stay in the log.
 */
export const errorKinds = [
  'host',
  'http',
  'timeout',
  'offline',
  'refused',
  'malformed',
  'cancelled',
  'internal',
] as const

export const wireErrorSchema = z.strictObject({
  kind: z.enum(errorKinds),
  /** The host's `error.code`, or one of our own upper-case codes; the page translates our own by this code. */
  code: z.string().max(200).optional(),
  status: z.number().int().optional(),
  message: z.string(),
  retryable: z.boolean(),
  exchangeId: z.string().optional(),
  /** Facts that a translated sentence needs: never a token, a header value or a URL with a query. */
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  retryAfterSeconds: z.number().optional(),
  /** The host's own `error.details`, untouched (observed-0.49: a dry run for writes without `confirm`). */
  details: z.unknown().optional(),
  /** The host said more than is kept: message and details hold the beginning of it. */
  cut: z.boolean().optional(),
})

/** An error as data: the only shape in which one crosses a process border. */
export type WireError = z.infer<typeof wireErrorSchema>
export type ErrorKind = WireError['kind']

/** What services throw. `toWire` makes it data; `fromWire` brings it back to life on the other side. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly wire: WireError
  /** Bytes of the answer that it is about, where whoever throws it has them: to be shown as sent. They cross no process border. */
  readonly sent: ArrayBuffer | null

  constructor(wire: WireError, { sent, ...options }: { cause?: unknown; sent?: ArrayBuffer } = {}) {
    super(wire.message, options)
    this.wire = wire
    this.sent = sent ?? null
  }

  get kind(): ErrorKind {
    return this.wire.kind
  }

  get code(): string | undefined {
    return this.wire.code
  }
}

/** An error of our own gates: something was refused before anything was sent. */
export function refused(code: string, message: string, params?: WireError['params']): AppError {
  return new AppError({ kind: 'refused', code, message, retryable: false, ...(params ? { params } : {}) })
}

/** What was under way was given up by whoever asked for it. */
export const cancelled = (): AppError =>
  new AppError({ kind: 'cancelled', code: 'CANCELLED', message: 'Cancelled.', retryable: true })

/**
 * Any thrown thing as wire data. What is not an `AppError` becomes `internal` with a fixed message, because a foreign
 * message may carry a URL, a header or a path; the caller logs the original.
 */
export function toWire(thrown: unknown): WireError {
  if (thrown instanceof AppError) return thrown.wire
  return {
    kind: 'internal',
    code: 'INTERNAL',
    message: 'Something went wrong inside Bridge Inspector. The log has the details.',
    retryable: false,
  }
}

/** The living error for wire data that came from the other side; data of the wrong shape becomes `internal`. */
export function fromWire(wire: unknown): AppError {
  const parsed = wireErrorSchema.safeParse(wire)
  return parsed.success ? new AppError(parsed.data) : new AppError(toWire(wire))
}
