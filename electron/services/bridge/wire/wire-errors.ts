import { AppError } from '../../../../shared/errors.ts'
import { formatFirstBytes } from '../../../../shared/format/first-bytes.ts'
import { MAX_JSON_DEPTH } from '../../../../shared/json/scan.ts'
import { decodeUtf8 } from '../../../../shared/json/utf8.ts'

/** Codes and messages for errors from sockets, DNS and TLS, by Node's error code. */
const SOCKET_ERRORS: Readonly<Record<string, readonly [code: string, message: string]>> = {
  ECONNREFUSED: [
    'CONNECTION_REFUSED',
    'Nothing is listening at {host}. Is the host running, and is its bridge turned on?',
  ],
  ENOTFOUND: ['DNS_UNKNOWN', 'The name {host} is unknown. Check the address.'],
  EAI_AGAIN: ['DNS_UNKNOWN', 'The name {host} could not be looked up. Check the network and the address.'],
  EHOSTUNREACH: ['UNREACHABLE', '{host} cannot be reached from this machine. Check the network.'],
  ENETUNREACH: ['UNREACHABLE', '{host} cannot be reached from this machine. Check the network.'],
  EADDRNOTAVAIL: ['UNREACHABLE', '{host} cannot be reached from this machine. Check the address.'],
  ECONNRESET: ['CONNECTION_RESET', '{host} closed the connection before the answer was complete.'],
  EPIPE: ['CONNECTION_RESET', '{host} closed the connection before the request was complete.'],
  EPROTO: ['TLS_NOT_SPOKEN', '{host} does not speak TLS here. Try the address with http://.'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['TLS_NOT_SPOKEN', '{host} does not speak TLS here. Try the address with http://.'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['TLS_NOT_SPOKEN', '{host} does not speak TLS here. Try the address with http://.'],
  ETIMEDOUT: [
    'UNREACHABLE',
    '{host} did not respond to the connection attempt. Check the address, the network and any firewall.',
  ],
  EACCES: [
    'NOT_ALLOWED',
    'This computer does not allow a connection to {host}. Check its firewall and privacy settings.',
  ],
  EPERM: [
    'NOT_ALLOWED',
    'This computer does not allow a connection to {host}. Check its firewall and privacy settings.',
  ],
}

const TLS_ERROR = ['TLS_FAILED', 'The secure connection to {host} could not be made ({reason}).'] as const
const OTHER_ERROR = ['CONNECTION_FAILED', 'The connection to {host} failed ({reason}).'] as const

/**
 * Converts a failed exchange to an error. A response that breaks off after its head never counts as
 * a success or as an absent host.
 * @param receivedBytes Body bytes that had arrived; null before the head.
 */
export function toExchangeError(error: unknown, host: string, receivedBytes: number | null): AppError {
  const code = getNodeErrorCode(error)
  if (receivedBytes === null) return toSocketError(error, host)
  if (['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'Z_BUF_ERROR'].includes(code)) {
    return createTruncatedError(host, receivedBytes)
  }
  if (/^(?:Z_|ZSTD_|ERR_BROTLI|ERR_ZSTD|ERR__ERROR)/.test(code)) {
    return new AppError(
      {
        kind: 'malformed',
        code: 'ENCODING_BROKEN',
        message: `The compressed answer from ${host} is damaged.`,
        retryable: true,
        params: { host },
      },
      { cause: error },
    )
  }
  return toSocketError(error, host)
}

/** Converts a failed connection; `host` is host and port, without scheme, path or user. */
export function toSocketError(error: unknown, host: string): AppError {
  const code = getNodeErrorCode(error)
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AppError(
      {
        kind: 'malformed',
        code: 'HEADERS_TOO_LARGE',
        message: `The headers of the answer from ${host} are larger than 16 KB and were cut off.`,
        retryable: false,
        params: { host },
      },
      { cause: error },
    )
  }
  if (code.startsWith('HPE_')) {
    return new AppError(
      {
        kind: 'malformed',
        code: 'NOT_HTTP',
        message: `${host} answered with something that is not HTTP. Is this the bridge’s port?`,
        retryable: false,
        params: { host, reason: code },
      },
      { cause: error },
    )
  }
  const [appCode, sentence] = SOCKET_ERRORS[code] ?? (/^ERR_(?:SSL|TLS)_/.test(code) ? TLS_ERROR : OTHER_ERROR)
  const reason = code || 'unknown reason'
  return new AppError(
    {
      kind: 'offline',
      code: appCode,
      message: sentence.replace('{host}', () => host).replace('{reason}', () => reason),
      retryable: true,
      params: { host, reason },
    },
    { cause: error },
  )
}

/** An error that combines attempts (IPv4 and IPv6) has the code in its first member. */
export function getNodeErrorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  if ('errors' in error && Array.isArray(error.errors)) return getNodeErrorCode(error.errors[0])
  return ''
}

export type TimeoutPhase = 'connect' | 'idle' | 'total'

export function createTimeoutError(phase: TimeoutPhase, ms: number, host: string): AppError {
  const description = {
    connect: `No connection to ${host} within ${ms} ms.`,
    idle: `${host} sent nothing for ${ms} ms.`,
    total: `The answer from ${host} was not complete within ${ms} ms.`,
  }[phase]
  return new AppError({
    kind: 'timeout',
    code: `TIMEOUT_${phase.toUpperCase()}`,
    message: `${description} The limit can be raised in Settings.`,
    retryable: true,
    params: { host, ms },
  })
}

export function createTruncatedError(host: string, receivedBytes: number): AppError {
  return new AppError({
    kind: 'malformed',
    code: 'TRUNCATED',
    message: `The answer from ${host} broke off after ${receivedBytes} bytes. It is incomplete and was not used.`,
    retryable: true,
    params: { host, received: receivedBytes },
  })
}

/** @param beginning The first decoded bytes, shown in the details. */
export function createTooLargeError(limit: number, beginning: Uint8Array): AppError {
  const keptBytes = beginning.byteLength
  return new AppError({
    kind: 'malformed',
    code: 'RESPONSE_TOO_LARGE',
    message: `The answer is larger than the limit of ${limit} bytes and was cut off. Its first ${keptBytes} bytes are in the details. The limit can be raised in Settings.`,
    retryable: false,
    params: { limit, kept: keptBytes },
    details: decodeUtf8(beginning).text,
  })
}

/** The details show the first bytes, because they usually reveal which program responded. */
export function createNotJsonError(status: number, contentType: string, bytes: Uint8Array): AppError {
  const type = contentType === '' ? 'no content type' : contentType.slice(0, 100)
  const excerpt = formatFirstBytes(bytes)
  return new AppError({
    kind: 'malformed',
    code: 'NOT_JSON',
    status,
    message: `The host answered with ${status} and ${type} where JSON was promised. The answer ${bytes.length === 0 ? 'is empty.' : `begins: ${excerpt}`}`,
    retryable: status >= 500,
    params: { status, type, begins: excerpt },
  })
}

/** The limit does not apply to data that a page shows. */
export function createTooManyValuesError(status: number, limit: number): AppError {
  return new AppError({
    kind: 'malformed',
    code: 'TOO_MANY_VALUES',
    status,
    message: `The answer contains more than ${limit} values and was not parsed.`,
    retryable: false,
    params: { limit },
  })
}

export function createTooDeepError(status: number): AppError {
  return new AppError({
    kind: 'malformed',
    code: 'TOO_DEEP',
    status,
    message: `The answer is nested more than ${MAX_JSON_DEPTH} levels deep and was not parsed.`,
    retryable: false,
    params: { limit: MAX_JSON_DEPTH },
  })
}
