import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { TLSSocket } from 'node:tls'
import { AppError } from '../../../shared/errors.ts'
import { collect, decoded } from './decode.ts'
import { cancelled, socketFailure, timeoutFailure, truncated, type TimeoutPhase } from './failure.ts'
import { judgeCertificate } from './tls.ts'
import type { Limits } from './types.ts'

/** One request as it goes over the wire. */
export interface WireRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
  readonly tlsFingerprint: string | null
  readonly limits: Limits
  readonly signal?: AbortSignal | undefined
}

export interface WireAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Decoded bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Sockets that are kept open between requests. */
export interface Agents {
  readonly http: http.Agent
  readonly https: https.Agent
}

export function createAgents(): Agents {
  const options = { keepAlive: true, maxSockets: 16, maxFreeSockets: 4 }
  return { http: new http.Agent(options), https: new https.Agent(options) }
}

/**
 * One exchange with the host over Node's own HTTP stack: it follows no redirect, sends no header that is not given, and
 * ends for good on a timeout, a cancel, or a body beyond the limit. Throws `AppError` only.
 */
export async function exchange(request: WireRequest, agents: Agents): Promise<WireAnswer> {
  const host = request.url.host
  const { limits, signal } = request
  if (signal?.aborted) throw cancelled()
  const sent = open(request, agents)
  const watch = watchdog(sent, limits, host)
  const onAbort = (): void => watch.fail(cancelled())
  signal?.addEventListener('abort', onAbort, { once: true })
  let received = 0
  let response: IncomingMessage | null = null
  try {
    response = await answered(sent, request, watch.phase)
    watch.response = response
    watch.phase('idle')
    const bytes = await collect(decoded(response), limits.maxBytes, (total) => {
      received = total
      watch.phase('idle')
    })
    if (!response.complete) throw truncated(host, received)
    return { status: response.statusCode ?? 0, headers: response.headers, bytes }
  } catch (error) {
    if (watch.reason) throw watch.reason
    if (error instanceof AppError) throw error
    throw broken(error, host, received, response !== null)
  } finally {
    watch.stop()
    signal?.removeEventListener('abort', onAbort)
    if (!response?.complete) sent.destroy()
  }
}

function broken(error: unknown, host: string, received: number, hadHeaders: boolean): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (hadHeaders && (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE')) return truncated(host, received)
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR__ERROR')) {
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

function open(request: WireRequest, agents: Agents): ClientRequest {
  const secure = request.url.protocol === 'https:'
  const options = { method: request.method, headers: { ...request.headers } }
  if (!secure) return http.request(request.url, { ...options, agent: agents.http })
  // The handshake is judged by judgeCertificate before the request is written; Node's own verdict is part of that.
  return https.request(request.url, { ...options, agent: false, rejectUnauthorized: false })
}

function answered(
  sent: ClientRequest,
  request: WireRequest,
  phase: (next: TimeoutPhase) => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once('response', resolve)
    sent.once('error', reject)
    let interim = 0
    sent.on('information', () => {
      interim += 1
      if (interim > 20)
        sent.destroy(Object.assign(new Error('too many interim answers'), { code: 'HPE_INTERIM_FLOOD' }))
    })
    sent.once('socket', (socket) => {
      const write = (): void => {
        phase('idle')
        sent.end(request.body ?? undefined)
      }
      if (request.url.protocol === 'https:') {
        const tls = socket as TLSSocket
        tls.once('secureConnect', () => {
          const objection = judgeCertificate(tls, request.tlsFingerprint, request.url.host)
          if (objection) sent.destroy(objection)
          else write()
        })
      } else if (socket.connecting) socket.once('connect', write)
      else write()
    })
  })
}

interface Watchdog {
  phase(next: TimeoutPhase): void
  fail(reason: AppError): void
  stop(): void
  reason: AppError | null
  /** Set once the head has arrived, so that a timer can end the body as well. */
  response: IncomingMessage | null
}

/** Connect, idle and total timers of one exchange; the first to fire ends it with its reason. */
function watchdog(sent: ClientRequest, limits: Limits, host: string): Watchdog {
  const limit = { connect: limits.connectTimeoutMs, idle: limits.idleTimeoutMs, total: limits.totalTimeoutMs }
  const dog: Watchdog = {
    reason: null,
    response: null,
    phase(next) {
      clearTimeout(step)
      if (dog.reason === null) step = setTimeout(() => dog.fail(timeoutFailure(next, limit[next], host)), limit[next])
    },
    fail(reason) {
      if (dog.reason !== null) return
      dog.reason = reason
      sent.destroy(reason)
      dog.response?.destroy(reason)
    },
    stop() {
      clearTimeout(step)
      clearTimeout(total)
    },
  }
  let step = setTimeout(() => dog.fail(timeoutFailure('connect', limit.connect, host)), limit.connect)
  const total = setTimeout(() => dog.fail(timeoutFailure('total', limit.total, host)), limit.total)
  return dog
}
