import { AppError } from '../../../shared/errors.ts'
import { firstBytes } from '../../../shared/format/bytes.ts'
import { MAX_DEPTH } from '../../../shared/json/scan.ts'
import { decodeUtf8 } from '../../../shared/json/utf8.ts'

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
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['TLS_NOT_SPOKEN', '{host} does not speak TLS here. Try the address with http://.'],
  ETIMEDOUT: [
    'UNREACHABLE',
    '{host} did not answer the attempt to connect. Check the address, the network and a firewall.',
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
 * What a failed exchange was. `received` is the number of bytes of the body that had arrived, null before the head: what
 * breaks off after the head is never a success and never looks like an absent host.
 */
export function exchangeFailure(error: unknown, host: string, received: number | null): AppError {
  const code = errorCode(error)
  if (received === null) return socketFailure(error, host)
  if (['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'Z_BUF_ERROR'].includes(code)) {
    return truncated(host, received)
  }
  if (/^(?:Z_|ERR_BROTLI|ERR__ERROR)/.test(code)) {
    return new AppError(
      {
        kind: 'malformed',
        code: 'ENCODING_BROKEN',
        message: `The compressed answer of ${host} is damaged.`,
        retryable: true,
        params: { host },
      },
      { cause: error },
    )
  }
  return socketFailure(error, host)
}

/** A failed connection as `AppError`; `host` is `host:port`, without scheme, path or user. */
export function socketFailure(error: unknown, host: string): AppError {
  const code = errorCode(error)
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AppError(
      {
        kind: 'malformed',
        code: 'HEADERS_TOO_LARGE',
        message: `The header of the answer of ${host} is larger than 16 KB and was cut off.`,
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
        message: `${host} answered with something that is not HTTP. Is it the bridge's port?`,
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

/** `beginning`: the first decoded bytes, shown as what they are, a part. */
export function tooLarge(limit: number, beginning: Uint8Array): AppError {
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

/** Not-JSON where JSON was promised: the first bytes are shown, because they usually say what answered instead. */
export function notJson(status: number, contentType: string, bytes: Uint8Array): AppError {
  const type = contentType === '' ? 'no content type' : contentType.slice(0, 100)
  const begins = firstBytes(bytes)
  return new AppError({
    kind: 'malformed',
    code: 'NOT_JSON',
    status,
    message: `The host answered ${status} with ${type} where JSON was promised. It ${bytes.length === 0 ? 'is empty.' : `begins: ${begins}`}`,
    retryable: status >= 500,
    params: { status, type, begins },
  })
}

/** JSON of more values than the service takes apart; what a page shows is not bounded by this. */
export function tooManyValues(status: number, limit: number): AppError {
  return new AppError({
    kind: 'malformed',
    code: 'TOO_MANY_VALUES',
    status,
    message: `The answer holds more than ${limit} values and was not taken apart.`,
    retryable: false,
    params: { limit },
  })
}

/** JSON that is nested beyond what the app takes apart. */
export function tooDeepFailure(status: number): AppError {
  return new AppError({
    kind: 'malformed',
    code: 'TOO_DEEP',
    status,
    message: `The answer is nested more than ${MAX_DEPTH} levels deep and was not taken apart.`,
    retryable: false,
    params: { limit: MAX_DEPTH },
  })
}
