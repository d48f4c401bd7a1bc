import { AppError, toWire, type WireError } from '../../../../shared/errors.ts'
import { bounded, type Budget } from '../../bounded.ts'
import { TokenMask } from '../../mask/mask.ts'
import { CertificateError } from './tls.ts'

/** What a host says in an error was bounded when it was read; all other errors are our own. */
const budget: Budget = { values: 20_000, characters: 1024 * 1024, depth: 1_100 }

/**
 * Whatever was thrown, as the error of exchange `exchangeId` and without the token: hosts and proxies echo what they were sent in
 * messages, error pages and details. Everything else that the host said stays as it is.
 */
export function sealed(thrown: unknown, token: string | null, exchangeId: string): AppError {
  const error = thrown instanceof AppError ? thrown : new AppError(toWire(thrown), { cause: thrown })
  // Its facts come from a certificate, which was read before anything was sent.
  if (error instanceof CertificateError) return Object.assign(error, { wire: { ...error.wire, exchangeId } })
  const wire = { ...withoutToken(error.wire, token), exchangeId }
  return new AppError(wire, error.cause === undefined ? {} : { cause: error.cause })
}

function withoutToken(wire: WireError, token: string | null): WireError {
  const mask = TokenMask.ofOne(token)
  const clean = (value: unknown): unknown => bounded(value, budget, (text) => mask.conceal(text))
  const { code, params, details } = wire
  return {
    ...wire,
    message: mask.conceal(wire.message),
    ...(code === undefined ? {} : { code: mask.conceal(code) }),
    ...(params === undefined ? {} : { params: clean(params) as NonNullable<WireError['params']> }),
    ...(details === undefined ? {} : { details: clean(details) }),
  }
}
