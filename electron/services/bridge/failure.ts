import { AppError } from '../../../shared/errors.ts'
import { firstBytes } from '../../../shared/format/bytes.ts'

/** Sentences for what a socket, DNS or TLS says; the key is Node's error code. */
const sentences: Readonly<Record<string, readonly [code: string, message: string]>> = {
  ECONNREFUSED: [
    'CONNECTION_REFUSED',
    'Nothing listens at {host}. Is the host running, and is its bridge switched on?',
  ],
  ENOTFOUND: ['DNS_UNKNOWN', 'The name {host} is not known. Check the address.'],
  EAI_AGAIN: ['DNS_UNKNOWN', 'The name {host} could not be looked up. Check the network and the address.'],
  EHOSTUNREACH: ['UNREACHABLE', '{host} cannot be reached from this machine. Check the network.'],
  ENETUNREACH: ['UNREACHABLE', '{host} cannot be reached from this machine. Check the network.'],
  EADDRNOTAVAIL: ['UNREACHABLE', '{host} cannot be reached from this machine. Check the address.'],
  ECONNRESET: ['CONNECTION_RESET', '{host} closed the connection before the answer was complete.'],
  EPIPE: ['CONNECTION_RESET', '{host} closed the connection before the request was complete.'],
  EPROTO: ['TLS_NOT_SPOKEN', '{host} does not speak TLS here. Try the address with http://.'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['TLS_NOT_SPOKEN', '{host} does not speak TLS here. Try the address with http://.'],
}

/** A failed exchange as `AppError`; `host` is `host:port`, without scheme, path or user. */
export function socketFailure(error: unknown, host: string): AppError {
  const code = errorCode(error)
  if (code.startsWith('HPE_')) {
    return new AppError(
      {
        kind: 'malformed',
        code: 'NOT_HTTP',
        message: `${host} answered with something that is not HTTP. Is it the bridge's port?`,
        retryable: false,
        params: { host, reason: code },
      },
      { cause: error },
    )
  }
  const [ours, sentence] = sentences[code] ?? ['CONNECTION_FAILED', 'The connection to {host} failed ({reason}).']
  const reason = code || 'unknown reason'
  return new AppError(
    {
      kind: 'offline',
      code: ours,
      message: sentence.replace('{host}', host).replace('{reason}', reason),
      retryable: true,
      params: { host, reason },
    },
    { cause: error },
  )
}

/** Node's error code; errors of several attempts (IPv4 and IPv6) carry it in their first member. */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  if ('errors' in error && Array.isArray(error.errors)) return errorCode(error.errors[0])
  return ''
}

export type TimeoutPhase = 'connect' | 'idle' | 'total'

export function timeoutFailure(phase: TimeoutPhase, ms: number, host: string): AppError {
  const what = {
    connect: `No connection to ${host} within ${ms} ms.`,
    idle: `${host} sent nothing for ${ms} ms.`,
    total: `The answer of ${host} was not complete within ${ms} ms.`,
  }[phase]
  return new AppError({
    kind: 'timeout',
    code: `TIMEOUT_${phase.toUpperCase()}`,
    message: `${what} The limit can be raised in Settings.`,
    retryable: true,
    params: { host, ms },
  })
}

export const cancelled = (): AppError =>
  new AppError({ kind: 'cancelled', code: 'CANCELLED', message: 'Cancelled.', retryable: true })

/** The answer broke off: never a success, whatever had arrived. */
export function truncated(host: string, received: number): AppError {
  return new AppError({
    kind: 'malformed',
    code: 'TRUNCATED',
    message: `The answer of ${host} broke off after ${received} bytes. It is incomplete and was not used.`,
    retryable: true,
    params: { host, received },
  })
}

export function tooLarge(limit: number): AppError {
  return new AppError({
    kind: 'malformed',
    code: 'RESPONSE_TOO_LARGE',
    message: `The answer is larger than the limit of ${limit} bytes and was cut off. The limit can be raised in Settings.`,
    retryable: false,
    params: { limit },
  })
}

/** Not-JSON where JSON was promised: the first bytes are shown, because they usually say what answered instead. */
export function notJson(status: number, contentType: string, bytes: Uint8Array): AppError {
  const type = contentType === '' ? 'no content type' : contentType.slice(0, 100)
  return new AppError({
    kind: 'malformed',
    code: 'NOT_JSON',
    status,
    message: `The host answered ${status} with ${type} where JSON was promised. It begins: ${firstBytes(bytes)}`,
    retryable: status >= 500,
    params: { type, begins: firstBytes(bytes) },
  })
}
