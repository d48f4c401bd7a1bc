import { AppError, toWire, type WireError } from '../../../shared/errors.ts'
import { tokenPattern } from '../redact.ts'
import { CertificateError } from './tls.ts'

const MASK = '[redacted]'

/**
 * Any thrown thing as the error of exchange `exchangeId`, without the token: hosts and proxies echo what they were sent, in
 * their messages, in error pages, in details. Everything else that the host said stays untouched.
 */
export function sealed(thrown: unknown, token: string | null, exchangeId: string): AppError {
  const error = thrown instanceof AppError ? thrown : new AppError(toWire(thrown), { cause: thrown })
  // Its facts come from a certificate, which was shown before anything was sent.
  if (error instanceof CertificateError) return Object.assign(error, { wire: { ...error.wire, exchangeId } })
  const wire = { ...withoutToken(error.wire, token ?? ''), exchangeId }
  return new AppError(wire, error.cause === undefined ? {} : { cause: error.cause })
}

function withoutToken(wire: WireError, token: string): WireError {
  const pattern = tokenPattern(token)
  if (!pattern) return wire
  const { code, params, details } = wire
  return {
    ...wire,
    message: wire.message.replace(pattern, MASK),
    ...(code === undefined ? {} : { code: code.replace(pattern, MASK) }),
    ...(params === undefined ? {} : { params: clean(params, pattern) as NonNullable<WireError['params']> }),
    ...(details === undefined ? {} : { details: clean(details, pattern) }),
  }
}

function clean(value: unknown, pattern: RegExp): unknown {
  if (typeof value === 'string') return value.replace(pattern, MASK)
  if (Array.isArray(value)) return value.map((item) => clean(item, pattern))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.replace(pattern, MASK), clean(member, pattern)]),
  )
}
