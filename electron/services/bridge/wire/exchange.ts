import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { AppError, createCancelledError } from '../../../../shared/errors.ts'
import { loadHttps, type AgentPair, type HttpAgents } from './http-agents.ts'
import { startDeadline, type Deadline } from './deadline.ts'
import { createBodyStream, type StreamedBody } from './body-stream.ts'
import { collectBody, createDecodedStream } from './body-decoder.ts'
import { getNodeErrorCode, toExchangeError, toSocketError } from './wire-errors.ts'
import { outlineJson } from './json-outline.ts'
import { checkCertificate } from './certificate.ts'
import { sendFileBody, sendSourceBody, type SourceBody } from './source-body.ts'
import type { ExchangeTrace } from '../exchange-trace.ts'
import type { FileBody, RequestLimits } from '../types.ts'

/** One request as it goes over the wire. */
export interface WireRequest {
  readonly url: URL
  readonly method: string
  /** A list is sent as one line for each. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Path and query byte for byte, in place of those of `url`. */
  readonly path?: string
  readonly body: Buffer | null
  /** A file that is the body; null = `body` is. */
  readonly file: FileBody | null
  /** A body that is sent as it arrives, in place of `body`. */
  readonly bodySource?: SourceBody | undefined
  readonly tlsFingerprint: string | null
  readonly limits: RequestLimits
  readonly signal?: AbortSignal | undefined
  /** Whether the request may be sent once more if a kept socket turns out to be dead. */
  readonly isRepeatable: boolean
  /** JSON was promised, so an `error` member marks an answer as an error whatever its status. */
  readonly isJsonExpected: boolean
  /** Called before the first byte of the request is written: from then on it may have reached the host. */
  readonly onWrite?: () => void
  /** Notes what the exchange was like. */
  readonly trace?: ExchangeTrace
  /** Called when a kept socket was dead and the request is sent once more; returns what notes that exchange. */
  readonly onResend?: (failure: AppError) => ExchangeTrace
  /** Called with each decoded piece of a body that is read as a stream. */
  readonly onPiece?: (piece: Buffer) => void
}

export interface WireResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Decoded bytes; of an error longer than `ERROR_BYTES`, only the beginning. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isTruncated: boolean
}

/** An answer whose body has not been read yet. */
export interface WireStream extends StreamedBody {
  readonly status: number
  readonly headers: IncomingMessage['headers']
}

/** How many interim answers (1xx) are accepted before the final one. */
const MAX_INTERIM = 20

/**
 * One exchange with the host over Node's own HTTP stack. It follows no redirects, sends no header that it was not given, and ends for
 * good on a timeout, a cancel, or a body beyond the limit. Throws `AppError` only.
 */
export function sendWireRequest(request: WireRequest, agents: HttpAgents): Promise<WireResponse> {
  return sendWithResend(request, agents.keepAlive, agents.singleUse, whole)
}

/**
 * Like `exchange`, but resolves with the head of the answer; the caller then reads the body. The total limit covers only the head,
 * because the user decides how long to watch a video. Bytes that do not come while they are wanted still time out.
 */
export function openWireStream(request: WireRequest, agents: HttpAgents): Promise<WireStream> {
  return sendWithResend(request, agents.streaming, agents.singleUse, async (response) => {
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      ...createBodyStream(response, createDecodedStream(response), request),
    }
  })
}

/** What to make of an answer once its head has arrived. */
export type ResponseHandler<T> = (response: IncomingMessage, request: WireRequest, progress: Progress) => Promise<T>

/** Sends it over a kept socket where it may be sent once more, else over a new one. Throws `AppError` only. */
export async function sendWithResend<T>(
  request: WireRequest,
  kept: AgentPair,
  fresh: AgentPair,
  take: ResponseHandler<T>,
): Promise<T> {
  if (!request.isRepeatable) return send(request, fresh, take)
  try {
    return await send(request, kept, take)
  } catch (error) {
    if (!(error instanceof DeadSocket)) throw error
    const trace = request.onResend?.(toSocketError(error.cause, request.url.host)) ?? request.trace
    return send({ ...request, ...(trace ? { trace } : {}) }, fresh, take)
  }
}

/** The host closed a kept socket and answered nothing. Whether it has seen the request is not known. */
class DeadSocket extends Error {}

async function send<T>(request: WireRequest, agents: AgentPair, take: ResponseHandler<T>): Promise<T> {
  const { url, limits, signal } = request
  if (signal?.aborted) throw createCancelledError()
  request.trace?.markStarted()
  const sent = open(request, agents)
  const progress: Progress = { response: null, received: 0 }
  let end: (why: AppError) => void = () => undefined
  // A separate promise: a timer or a cancel ends the wait whatever state Node's request is in.
  const ended = new Promise<never>((_, reject) => {
    end = reject
  })
  const deadline = startDeadline(limits, url.host, end)
  const onAbort = (): void => end(createCancelledError())
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([ended, receive(sent, request, deadline, progress, take)])
  } catch (error) {
    request.trace?.markEnded()
    progress.response?.destroy()
    sent.destroy()
    if (error instanceof AppError) throw error
    if (progress.response === null && sent.reusedSocket && isHangUp(error)) throw new DeadSocket('', { cause: error })
    throw toExchangeError(error, url.host, progress.response && progress.received)
  } finally {
    deadline.stop()
    signal?.removeEventListener('abort', onAbort)
  }
}

interface Progress {
  response: IncomingMessage | null
  /** Decoded bytes of the body. */
  received: number
}

async function receive<T>(
  sent: ClientRequest,
  request: WireRequest,
  deadline: Deadline,
  progress: Progress,
  take: ResponseHandler<T>,
): Promise<T> {
  const response = await answered(sent, request, deadline)
  progress.response = response
  request.trace?.markResponseHead(response)
  return take(response, request, progress)
}

const whole: ResponseHandler<WireResponse> = async (
  response,
  { limits: { maxBytes }, isJsonExpected: json, trace },
  progress,
) => {
  const { statusCode: status = 0, headers } = response
  const ok = status >= 200 && status < 300
  const isError = (beginning: Uint8Array): boolean => !ok || (json && outlineJson(beginning).errorOffset !== null)
  const { bytes, isTruncated: cut } = await collectBody(
    createDecodedStream(response),
    { maxBytes: ok ? maxBytes : Infinity, isError },
    response,
    (total, buffer) => {
      progress.received = total
      trace?.markReceived(buffer, total)
    },
  )
  // Do not wait for the rest.
  if (cut) response.destroy()
  else if (!response.complete) throw hungUp()
  return { status, headers, bytes, isTruncated: cut }
}

const hungUp = (): Error => Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })

const isHangUp = (error: unknown): boolean => ['ECONNRESET', 'EPIPE'].includes(getNodeErrorCode(error))

function open(request: WireRequest, agents: AgentPair): ClientRequest {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, mutable(value)] as const)
  const path = request.path === undefined ? {} : { path: request.path }
  const options = { method: request.method, headers: Object.fromEntries(headers), ...path }
  if (request.url.protocol !== 'https:') return http.request(request.url, { ...options, agent: agents.http })
  // Node's verdict on the certificate is not ignored, only left to us: `judgeCertificate` reads it before the first byte is sent.
  return loadHttps().request(request.url, { ...options, agent: agents.https(), rejectUnauthorized: false })
}

const mutable = (value: string | readonly string[]): string | string[] =>
  typeof value === 'string' ? value : [...value]

/** Sockets whose handshake is complete. */
const handshakeDone = new WeakSet<Socket>()

/**
 * Sends the request once the connection is up, and resolves with the head of the answer. Over TLS the certificate is judged first, even
 * on kept sockets, because the pin may have changed: not a byte of the request is written before that.
 */
function answered(sent: ClientRequest, request: WireRequest, deadline: Deadline): Promise<IncomingMessage> {
  const { url, tlsFingerprint, body, file, bodySource: source, onWrite, trace } = request
  return new Promise((resolve, reject) => {
    let isAnswered = false
    sent.once('response', (response) => {
      isAnswered = true
      resolve(response)
    })
    sent.on('error', reject)
    // An answer that switches protocols ends like this, without an error of its own.
    sent.once('close', () => {
      if (!isAnswered) reject(hungUp())
    })
    refuseInterimFlood(sent)
    sent.once('socket', (socket) => {
      trace?.markSocketAssigned(socket)
      const write = (): void => {
        trace?.markConnected(sent, sent.reusedSocket)
        onWrite?.()
        deadline.recordProgress()
        // Bytes of the head and of a compressed body count too: a host that sends them is slow, not silent.
        socket.on('data', deadline.recordProgress)
        sent.once('close', () => socket.off('data', deadline.recordProgress))
        if (file) sendFileBody(sent, file, deadline.recordProgress)
        else if (source) sendSourceBody(sent, source, deadline.recordProgress)
        else sent.end(body ?? undefined)
      }
      const writeIfTrusted = (): void => {
        handshakeDone.add(socket)
        const objection = checkCertificate(socket as TLSSocket, tlsFingerprint, url.host)
        if (objection) sent.destroy(objection)
        else write()
      }
      const secure = url.protocol === 'https:'
      if (secure ? handshakeDone.has(socket) : !socket.connecting) {
        if (secure) writeIfTrusted()
        else write()
        return
      }
      deadline.startConnecting()
      socket.once(secure ? 'secureConnect' : 'connect', secure ? writeIfTrusted : write)
    })
  })
}

function refuseInterimFlood(sent: ClientRequest): void {
  let interim = 0
  sent.on('information', () => {
    interim += 1
    if (interim > MAX_INTERIM) sent.destroy(Object.assign(new Error('1xx flood'), { code: 'HPE_INTERIM_FLOOD' }))
  })
}
