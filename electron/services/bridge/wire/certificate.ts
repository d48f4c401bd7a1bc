import type { PeerCertificate, TLSSocket } from 'node:tls'
import { AppError, toWireError, type WireError } from '../../../../shared/errors.ts'
import { truncateValue, type ValueBudget } from '../../value-budget.ts'
import { TokenMask } from '../../mask/mask.ts'

interface CertificateFacts {
  readonly fingerprint: string
  readonly subject: string
  readonly issuer: string
  readonly validTo: string
  readonly reason: string
}

/** Thrown for an untrusted certificate, with the facts that a person compares before pinning it. */
export class CertificateError extends AppError {
  readonly certificate: CertificateFacts

  constructor(code: string, message: string, certificate: CertificateFacts) {
    super({ kind: 'offline', code, message, retryable: false, params: { ...certificate } })
    this.certificate = certificate
  }
}

/**
 * Decides whether a finished handshake may carry a request. It is called before the first byte of
 * the request, so that a token never reaches a server that is neither trusted nor pinned.
 * @returns The error that ends the connection, or null.
 */
export function checkCertificate(
  socket: TLSSocket,
  pinnedFingerprint: string | null,
  host: string,
): CertificateError | null {
  if (socket.authorized && pinnedFingerprint === null) return null
  const facts = readCertificateFacts(socket)
  if (pinnedFingerprint !== null) {
    if (facts.fingerprint === '' || facts.fingerprint !== pinnedFingerprint.toUpperCase()) {
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

function readCertificateFacts(socket: TLSSocket): CertificateFacts {
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

/** Generous: the host's part was limited when it was read, and the rest is our own. */
const ERROR_BUDGET: ValueBudget = { maxValues: 20_000, maxChars: 1024 * 1024, maxDepth: 1_100 }

/**
 * Converts a thrown value to the error of an exchange, with the token masked, because hosts and
 * proxies echo requests in messages, error pages and details. The rest of a host's error stays
 * unchanged.
 */
export function toMaskedError(thrown: unknown, token: string | null, exchangeId: string): AppError {
  const error = thrown instanceof AppError ? thrown : new AppError(toWireError(thrown), { cause: thrown })
  // The facts were read from the certificate before anything was sent, so they hold no token.
  if (error instanceof CertificateError) return Object.assign(error, { wire: { ...error.wire, exchangeId } })
  const wire = { ...maskWireError(error.wire, token), exchangeId }
  return new AppError(wire, error.cause === undefined ? {} : { cause: error.cause })
}

function maskWireError(wire: WireError, token: string | null): WireError {
  const mask = TokenMask.forToken(token)
  const maskValue = (value: unknown): unknown => truncateValue(value, ERROR_BUDGET, (text) => mask.conceal(text))
  const { code, params, details } = wire
  return {
    ...wire,
    message: mask.conceal(wire.message),
    ...(code === undefined ? {} : { code: mask.conceal(code) }),
    ...(params === undefined ? {} : { params: maskValue(params) as NonNullable<WireError['params']> }),
    ...(details === undefined ? {} : { details: maskValue(details) }),
  }
}
