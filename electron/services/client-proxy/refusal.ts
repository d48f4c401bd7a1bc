import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../../../shared/errors.ts'

/**
 * Why a request of another client was not forwarded, in the format of the host's errors (spec §7).
 */
export interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
}

export const REFUSALS = {
  host: { status: 403, code: 'FORBIDDEN_HOST', message: 'The Host header does not name this listener.' },
  origin: {
    status: 403,
    code: 'FORBIDDEN_ORIGIN',
    message: 'Requests with an Origin header are refused. Call from a program, not from a web page.',
  },
  unauthorized: {
    status: 401,
    code: 'UNAUTHORIZED',
    message: 'Send the key of this recording, or the token of the connected host, as Authorization: Bearer.',
  },
  route: {
    status: 404,
    code: 'NOT_FOUND',
    message: 'Bridge Inspector passes on only what is below /bridge/v1/.',
  },
  disconnected: {
    status: 502,
    code: 'NOT_CONNECTED',
    message: 'Bridge Inspector is not connected to a host. Nothing was passed on.',
  },
  hostChanged: {
    status: 502,
    code: 'HOST_CHANGED',
    message: 'The connection changed, or the host restarted, while the request was held. Nothing was passed on.',
  },
  busy: { status: 503, code: 'RECORDING_BUSY', message: 'Too many requests at once. Nothing was passed on.' },
} as const satisfies Readonly<Record<string, Refusal>>

/** Refuses a write while the profile is locked. Nothing was sent to the host. */
export function createReadOnlyRefusal(method: string, rawPath: string): Refusal {
  return {
    status: 403,
    code: 'READ_ONLY',
    message: `This host is read-only in Bridge Inspector: ${method} ${rawPath.split('?', 1)[0]} was not sent to the host. Unlock writing there to let it through.`,
  }
}

/** Explains to the client why the host gave no response. */
export function toRefusal(error: unknown, method: string, rawPath: string): Refusal {
  if (!(error instanceof AppError)) {
    return { status: 502, code: 'RELAY_FAILED', message: 'The request could not be passed on.' }
  }
  const { kind, code, message } = error.wire
  if (code === 'READ_ONLY') return createReadOnlyRefusal(method, rawPath)
  if (code === 'NOT_CONNECTED') return REFUSALS.disconnected
  if (code === 'PATH_OUTSIDE') return { status: 400, code, message }
  return { status: kind === 'timeout' ? 504 : 502, code: code ?? 'HOST_UNREACHABLE', message }
}

/** Limits reading the rest of a refused request, which lets its sender read the reason. */
const MAX_DRAINED_BYTES = 64 * 1024
const LINGER_MS = 1_000

/** An incomplete request ends its connection: the rest must not be parsed as a new request. */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  { status, code, message }: Refusal,
): void {
  const body = JSON.stringify({ error: { code, message } })
  const hasUnreadBody = !request.complete && hasBody(request)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
    ...(hasUnreadBody ? { Connection: 'close' } : {}),
  })
  if (request.method !== 'HEAD') response.write(body)
  endWithUnreadBody(request, response)
}

/** Closing at once with unread bytes would reset the connection before the response is read. */
export function endWithUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || !hasBody(request)) return void response.end()
  const timer = setTimeout(() => request.destroy(), LINGER_MS).unref()
  response.once('close', () => clearTimeout(timer))
  let remainingBytes = MAX_DRAINED_BYTES
  request.on('data', (chunk: Buffer) => {
    remainingBytes -= chunk.byteLength
    if (remainingBytes < 0) request.pause()
  })
  request.once('end', () => response.end())
  request.once('error', () => response.destroy())
  request.resume()
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
