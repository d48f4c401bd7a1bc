import { AppError } from '../../../../shared/errors.ts'
import { formatFirstBytes } from '../../../../shared/format/first-bytes.ts'
import { MAX_JSON_DEPTH } from '../../../../shared/json/scan.ts'
import { decodeUtf8 } from '../../../../shared/json/utf8.ts'

/** Messages for errors from sockets, DNS and TLS, by Node's error code. */
const sentences: Readonly<Record<string, readonly [code: string, message: string]>> = {
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

const tlsSentence = ['TLS_FAILED', 'The secure connection to {host} could not be made ({reason}).'] as const
const anySentence = ['CONNECTION_FAILED', 'The connection to {host} failed ({reason}).'] as const

/**
 * Classifies a failed exchange. `received` is the number of body bytes that had arrived, null before the head: an answer that breaks off
 * after the head is never a success, and never looks like an absent host.
 */
export function toExchangeError(error: unknown, host: string, received: number | null): AppError {
  const code = getNodeErrorCode(error)
  if (received === null) return toSocketError(error, host)
  if (['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'Z_BUF_ERROR'].includes(code)) {
    return createTruncatedError(host, received)
  }
  if (/^(?:Z_|ERR_BROTLI|ERR__ERROR)/.test(code)) {
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

/** A failed connection as an `AppError`; `host` is `host:port`, without scheme, path or user. */
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
  const [ours, sentence] = sentences[code] ?? (/^ERR_(?:SSL|TLS)_/.test(code) ? tlsSentence : anySentence)
  const reason = code || 'unknown reason'
  return new AppError(
    {
      kind: 'offline',
      code: ours,
      message: sentence.replace('{host}', () => host).replace('{reason}', () => reason),
      retryable: true,
      params: { host, reason },
    },
    { cause: error },
  )
}

/** Node's error code; an error that combines several attempts (IPv4 and IPv6) carries it in its first member. */
export function getNodeErrorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  if ('errors' in error && Array.isArray(error.errors)) return getNodeErrorCode(error.errors[0])
  return ''
}

export type TimeoutPhase = 'connect' | 'idle' | 'total'

export function createTimeoutError(phase: TimeoutPhase, ms: number, host: string): AppError {
  const what = {
    connect: `No connection to ${host} within ${ms} ms.`,
    idle: `${host} sent nothing for ${ms} ms.`,
    total: `The answer from ${host} was not complete within ${ms} ms.`,
  }[phase]
  return new AppError({
    kind: 'timeout',
    code: `TIMEOUT_${phase.toUpperCase()}`,
    message: `${what} The limit can be raised in Settings.`,
    retryable: true,
    params: { host, ms },
  })
}

/** The answer broke off: never a success, whatever had arrived. */
export function createTruncatedError(host: string, received: number): AppError {
  return new AppError({
    kind: 'malformed',
    code: 'TRUNCATED',
    message: `The answer from ${host} broke off after ${received} bytes. It is incomplete and was not used.`,
    retryable: true,
    params: { host, received },
  })
}

/** `beginning` holds the first decoded bytes, which are shown as a part of the answer. */
export function createTooLargeError(limit: number, beginning: Uint8Array): AppError {
  const kept = beginning.byteLength
  return new AppError({
    kind: 'malformed',
    code: 'RESPONSE_TOO_LARGE',
    message: `The answer is larger than the limit of ${limit} bytes and was cut off. Its first ${kept} bytes are in the details. The limit can be raised in Settings.`,
    retryable: false,
    params: { limit, kept },
    details: decodeUtf8(beginning).text,
  })
}

/** Not JSON where JSON was promised: the first bytes are shown, because they usually reveal what answered instead. */
export function createNotJsonError(status: number, contentType: string, bytes: Uint8Array): AppError {
  const type = contentType === '' ? 'no content type' : contentType.slice(0, 100)
  const begins = formatFirstBytes(bytes)
  return new AppError({
    kind: 'malformed',
    code: 'NOT_JSON',
    status,
    message: `The host answered with ${status} and ${type} where JSON was promised. The answer ${bytes.length === 0 ? 'is empty.' : `begins: ${begins}`}`,
    retryable: status >= 500,
    params: { status, type, begins },
  })
}

/** JSON with more values than the service parses; what a page shows is not limited by this. */
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

/** JSON that is nested more deeply than the app parses. */
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
