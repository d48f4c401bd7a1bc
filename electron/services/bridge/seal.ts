import { AppError, toWire, type WireError } from '../../../shared/errors.ts'
import { formsOf } from '../redact.ts'
import { CertificateError } from './tls.ts'

const MASK = '[redacted]'
const PREFIX = 16

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

/** Shorter tokens than this are no secrets, and masking them would mask half of every text. */
const SHORTEST = 4

function withoutToken(wire: WireError, token: string): WireError {
  if (token.length < SHORTEST) return wire
  const pattern = patternFor(token)
  const { code, params, details } = wire
  return {
    ...wire,
    message: wire.message.replace(pattern, MASK),
    ...(code === undefined ? {} : { code: code.replace(pattern, MASK) }),
    ...(params === undefined ? {} : { params: clean(params, pattern) as NonNullable<WireError['params']> }),
    ...(details === undefined ? {} : { details: clean(details, pattern) }),
  }
}

/** Every form of the token, also cut off after its first characters: the first bytes of an answer may end inside of it. */
function patternFor(token: string): RegExp {
  const forms = formsOf(token).map((form) =>
    form.length > PREFIX ? `${quoted(form.slice(0, PREFIX))}[A-Za-z0-9._~+/=%-]*` : quoted(form),
  )
  return new RegExp(forms.join('|'), 'gi')
}

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function clean(value: unknown, pattern: RegExp): unknown {
  if (typeof value === 'string') return value.replace(pattern, MASK)
  if (Array.isArray(value)) return value.map((item) => clean(item, pattern))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key.replace(pattern, MASK), clean(member, pattern)]),
  )
}
