import type { PeerCertificate, TLSSocket } from 'node:tls'
import { AppError, toWireError, type WireError } from '../../../../shared/errors.ts'
import { truncateValue, type ValueBudget } from '../../value-budget.ts'
import { TokenMask } from '../../mask/mask.ts'

/** Facts about a certificate that a person compares before accepting it. */
interface CertificateFacts {
  readonly fingerprint: string
  readonly subject: string
  readonly issuer: string
  readonly validTo: string
  readonly reason: string
}

/** The certificate is not trusted; carries the facts that the user needs to decide whether to pin it. */
export class CertificateError extends AppError {
  readonly certificate: CertificateFacts

  constructor(code: string, message: string, certificate: CertificateFacts) {
    super({ kind: 'offline', code, message, retryable: false, params: { ...certificate } })
    this.certificate = certificate
  }
}

/**
 * Decides whether a finished handshake may carry a request. Called before the request's first byte, so that a token never reaches a
 * server that is neither trusted nor pinned. Returns the error to end the connection with, or null.
 */
export function checkCertificate(socket: TLSSocket, pinned: string | null, host: string): CertificateError | null {
  if (socket.authorized && pinned === null) return null
  const facts = describe(socket)
  if (pinned !== null) {
    if (facts.fingerprint === '' || facts.fingerprint !== pinned.toUpperCase()) {
      return new CertificateError(
        'TLS_CHANGED',
        `${host} presents a different certificate from the one you accepted. Nothing was sent.`,
        facts,
      )
    }
    return isExpired(socket)
      ? new CertificateError('TLS_EXPIRED', `The accepted certificate of ${host} has expired. Nothing was sent.`, facts)
      : null
  }
  if (facts.reason === 'CERT_HAS_EXPIRED' || isExpired(socket)) {
    return new CertificateError('TLS_EXPIRED', `The certificate of ${host} has expired. Nothing was sent.`, facts)
  }
  return new CertificateError(
    'TLS_UNTRUSTED',
    `The certificate of ${host} is not trusted (${facts.reason}). Compare its fingerprint and accept it, or do not connect. Nothing was sent.`,
    facts,
  )
}

function isExpired(socket: TLSSocket): boolean {
  const { valid_to: validTo } = socket.getPeerCertificate()
  return validTo !== undefined && Date.parse(validTo) < Date.now()
}

function describe(socket: TLSSocket): CertificateFacts {
  const certificate: Partial<PeerCertificate> = socket.getPeerCertificate()
  const name = (entry: PeerCertificate['subject'] | undefined): string => String(entry?.CN ?? entry?.O ?? '')
  return {
    fingerprint: certificate.fingerprint256 ?? '',
    subject: name(certificate.subject),
    issuer: name(certificate.issuer),
    validTo: certificate.valid_to ?? '',
    reason: String(socket.authorizationError ?? 'untrusted').replace(/^Error: /, ''),
  }
}

/** What a host says in an error was bounded when it was read; all other errors are our own. */
const budget: ValueBudget = { maxValues: 20_000, maxChars: 1024 * 1024, maxDepth: 1_100 }

/**
 * Whatever was thrown, as the error of exchange `exchangeId` and without the token: hosts and proxies echo what they were sent in
 * messages, error pages and details. Everything else that the host said stays as it is.
 */
export function toMaskedError(thrown: unknown, token: string | null, exchangeId: string): AppError {
  const error = thrown instanceof AppError ? thrown : new AppError(toWireError(thrown), { cause: thrown })
  // Its facts come from a certificate, which was read before anything was sent.
  if (error instanceof CertificateError) return Object.assign(error, { wire: { ...error.wire, exchangeId } })
  const wire = { ...withoutToken(error.wire, token), exchangeId }
  return new AppError(wire, error.cause === undefined ? {} : { cause: error.cause })
}

function withoutToken(wire: WireError, token: string | null): WireError {
  const mask = TokenMask.forToken(token)
  const clean = (value: unknown): unknown => truncateValue(value, budget, (text) => mask.conceal(text))
  const { code, params, details } = wire
  return {
    ...wire,
    message: mask.conceal(wire.message),
    ...(code === undefined ? {} : { code: mask.conceal(code) }),
    ...(params === undefined ? {} : { params: clean(params) as NonNullable<WireError['params']> }),
    ...(details === undefined ? {} : { details: clean(details) }),
  }
}
