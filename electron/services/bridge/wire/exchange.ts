// Makes single HTTP exchanges: sockets, TLS, time limits, headers and bodies.
// Retries, checks of access and recording are in bridge/client.
// Read this file first, then body-stream.ts and relay-exchange.ts.
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import type { TLSSocket } from 'node:tls'
import { AppError, createCancelledError } from '../../../../shared/errors.ts'
import { loadHttps, type AgentPair, type HttpAgents } from './http-agents.ts'
import { startDeadline, type Deadline } from './deadline.ts'
import { createBodyStream, type StreamedBody } from './body-stream.ts'
import {
  collectBody,
  createDecodedStream,
  createKeptDecodedStream,
  decodeGzipWithTrailingBytes,
  getContentEncoding,
  isDecodingError,
} from './body-decoder.ts'
import { BodyPrefix } from './body-prefix.ts'
import { getNodeErrorCode, toExchangeError, toSocketError } from './wire-errors.ts'
import { outlineJson } from './json-outline.ts'
import { checkCertificate } from './certificate.ts'
import { sendFileBody, sendSourceBody, type SourceBody } from './source-body.ts'
import type { ExchangeTrace } from '../exchange-trace.ts'
import type { FileBody, RequestLimits } from '../types.ts'

export interface WireRequest {
  readonly url: URL
  readonly method: string
  /** A list is sent as one line per value. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** Path and query byte for byte, in place of those of `url`. */
  readonly path?: string
  readonly body: Buffer | null
  /** A file that is sent as the body; null if `body` is sent. */
  readonly file: FileBody | null
  /** A body that is sent as it arrives, in place of `body`. */
  readonly bodySource?: SourceBody | undefined
  readonly tlsFingerprint: string | null
  readonly limits: RequestLimits
  readonly signal?: AbortSignal | undefined
  /** The request may be resent if a kept socket turns out to be dead. */
  readonly isRepeatable: boolean
  /** An `error` member marks an error even with a success status. */
  readonly isJsonExpected: boolean
  /** Called before the first byte: from then on the request may have reached the host. */
  readonly onWrite?: () => void
  readonly trace?: ExchangeTrace
  /** Called before a resend after a dead kept socket. Returns the trace of the resend. */
  readonly onResend?: (failure: AppError) => ExchangeTrace
  /** Called with each decoded piece of a body that is read as a stream. */
  readonly onPiece?: (piece: Buffer) => void
}

export interface WireResponse {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Decoded bytes; only the beginning of an error longer than `MAX_ERROR_BYTES`. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isTruncated: boolean
  /** The reason why `bytes` are those that were received: they do not decode. */
  readonly decodingError?: AppError
}

/** A response whose body has not been read yet. */
export interface WireStream extends StreamedBody {
  readonly status: number
  readonly headers: IncomingMessage['headers']
}

export interface DecodedWireStream extends WireStream {
  /** True if the body is as received because it does not decode; known with its first byte. */
  readonly isUndecodable: () => boolean
}

/** Number of interim responses (1xx) that are accepted before the final response. */
const MAX_INTERIM_RESPONSES = 20

/**
 * Makes one exchange with the host over Node's own HTTP stack. It follows no redirects and sends
 * only the headers of `request`. A timeout, a cancel or a body beyond the limit ends the exchange
 * without a resend. Throws `AppError` only.
 */
export function sendWireRequest(request: WireRequest, agents: HttpAgents): Promise<WireResponse> {
  return sendWithResend(request, agents.keepAlive, agents.singleUse, readWholeResponse)
}

/**
 * Like `sendWireRequest`, but resolves with the head of the response; the caller then reads the
 * body. The total limit covers only the head, because the user decides how long to watch a video.
 * The idle limit still applies to the body.
 */
export function openWireStream(request: WireRequest, agents: HttpAgents): Promise<DecodedWireStream> {
  return sendWithResend(request, agents.streaming, agents.singleUse, async (response) => {
    const { stream, isUndecodable } = createDecodedStream(response)
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      isUndecodable,
      ...createBodyStream(response, stream, request),
    }
  })
}

/** Turns a response whose head has arrived into a result. */
export type ResponseHandler<T> = (response: IncomingMessage, request: WireRequest, progress: Progress) => Promise<T>

/** Other requests than repeatable ones never use a kept socket. Throws `AppError` only. */
export async function sendWithResend<T>(
  request: WireRequest,
  keptAgents: AgentPair,
  newAgents: AgentPair,
  handleResponse: ResponseHandler<T>,
): Promise<T> {
  if (!request.isRepeatable) return send(request, newAgents, handleResponse)
  try {
    return await send(request, keptAgents, handleResponse)
  } catch (error) {
    if (!(error instanceof DeadSocketError)) throw error
    const trace = request.onResend?.(toSocketError(error.cause, request.url.host)) ?? request.trace
    return send({ ...request, ...(trace ? { trace } : {}) }, newAgents, handleResponse)
  }
}

/** The host closed a kept socket without a response. Whether it received the request is unknown. */
class DeadSocketError extends Error {}

async function send<T>(request: WireRequest, agents: AgentPair, handleResponse: ResponseHandler<T>): Promise<T> {
  const { url, limits, signal } = request
  if (signal?.aborted) throw createCancelledError()
  request.trace?.markStarted()
  const clientRequest = createClientRequest(request, agents)
  const progress: Progress = { response: null, receivedBytes: 0 }
  let fail: (reason: AppError) => void = () => undefined
  // A separate promise lets a timer or a cancel end the wait in every state of Node's request.
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  const deadline = startDeadline(limits, url.host, fail)
  const onAbort = (): void => fail(createCancelledError())
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([failure, receive(clientRequest, request, deadline, progress, handleResponse)])
  } catch (error) {
    request.trace?.markEnded()
    progress.response?.destroy()
    clientRequest.destroy()
    if (error instanceof AppError) throw error
    if (progress.response === null && clientRequest.reusedSocket && isClosedError(error))
      throw new DeadSocketError('', { cause: error })
    throw toExchangeError(error, url.host, progress.response && progress.receivedBytes)
  } finally {
    deadline.stop()
    signal?.removeEventListener('abort', onAbort)
  }
}

interface Progress {
  response: IncomingMessage | null
  receivedBytes: number
}

async function receive<T>(
  clientRequest: ClientRequest,
  request: WireRequest,
  deadline: Deadline,
  progress: Progress,
  handleResponse: ResponseHandler<T>,
): Promise<T> {
  const response = await awaitResponseHead(clientRequest, request, deadline)
  progress.response = response
  request.trace?.markResponseHead(response)
  return handleResponse(response, request, progress)
}

const readWholeResponse: ResponseHandler<WireResponse> = async (
  response,
  { url, limits: { maxBytes }, isJsonExpected, trace },
  progress,
) => {
  const { statusCode: status = 0, headers } = response
  const isSuccess = status >= 200 && status < 300
  const isError = (beginning: Uint8Array): boolean =>
    !isSuccess || (isJsonExpected && outlineJson(beginning).errorOffset !== null)
  const limits = { maxBytes: isSuccess ? maxBytes : Infinity, isError }
  const onBytes = (total: number, buffer: Uint8Array): void => {
    progress.receivedBytes = total
    trace?.markReceived(buffer, total)
  }
  const encoding = getContentEncoding(headers)
  const received = new BodyPrefix(maxBytes)
  const { bytes, isTruncated, decodingError }: Omit<WireResponse, 'status' | 'headers'> = await collectBody(
    createKeptDecodedStream(response, received),
    limits,
    response,
    onBytes,
  ).catch(async (error: unknown) => {
    if (!isDecodingError(error)) throw error
    await finished(response.resume()).catch((closed: unknown) => {
      if (!received.isTruncated) throw closed
    })
    const decoded = received.isTruncated ? null : decodeGzipWithTrailingBytes(encoding, received.bytes, maxBytes)
    return {
      bytes: new Uint8Array(decoded ?? received.bytes ?? []),
      isTruncated: received.isTruncated,
      ...(decoded
        ? {}
        : {
            decodingError: error instanceof AppError ? error : toExchangeError(error, url.host, received.receivedBytes),
          }),
    }
  })
  // The rest of a truncated body is not needed.
  if (isTruncated) response.destroy()
  else if (!response.complete) throw createClosedError()
  return { status, headers, bytes, isTruncated, ...(decodingError ? { decodingError } : {}) }
}

const createClosedError = (): Error => Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })

const isClosedError = (error: unknown): boolean => ['ECONNRESET', 'EPIPE'].includes(getNodeErrorCode(error))

function createClientRequest(request: WireRequest, agents: AgentPair): ClientRequest {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, toMutable(value)] as const)
  const path = request.path === undefined ? {} : { path: request.path }
  const options = { method: request.method, headers: Object.fromEntries(headers), ...path }
  if (request.url.protocol !== 'https:') return http.request(request.url, { ...options, agent: agents.http })
  // Node's verdict is not ignored: `checkCertificate` reads it before the first byte is sent.
  return loadHttps().request(request.url, { ...options, agent: agents.https(), rejectUnauthorized: false })
}

const toMutable = (value: string | readonly string[]): string | string[] =>
  typeof value === 'string' ? value : [...value]

const handshakeDone = new WeakSet<Socket>()

/**
 * Sends the request once the connection is up, and resolves with the head of the response. Over TLS
 * the certificate is checked before any byte of the request is written, even on kept sockets,
 * because the pin may have changed.
 */
function awaitResponseHead(
  clientRequest: ClientRequest,
  request: WireRequest,
  deadline: Deadline,
): Promise<IncomingMessage> {
  const { url, tlsFingerprint, body, file, bodySource, onWrite, trace } = request
  return new Promise((resolve, reject) => {
    let hasResponse = false
    clientRequest.once('response', (response) => {
      hasResponse = true
      resolve(response)
    })
    clientRequest.on('error', reject)
    // A response that switches protocols ends with `close` and without an error.
    clientRequest.once('close', () => {
      if (!hasResponse) reject(createClosedError())
    })
    refuseInterimFlood(clientRequest)
    clientRequest.once('socket', (socket) => {
      trace?.markSocketAssigned(socket)
      const write = (): void => {
        trace?.markConnected(clientRequest, clientRequest.reusedSocket)
        onWrite?.()
        deadline.recordProgress()
        // Bytes of head and compressed body count too: such a host is slow, not silent.
        socket.on('data', deadline.recordProgress)
        clientRequest.once('close', () => socket.off('data', deadline.recordProgress))
        if (file) sendFileBody(clientRequest, file, deadline.recordProgress)
        else if (bodySource) sendSourceBody(clientRequest, bodySource, deadline.recordProgress)
        else clientRequest.end(body ?? undefined)
      }
      const writeIfTrusted = (): void => {
        handshakeDone.add(socket)
        const certificateError = checkCertificate(socket as TLSSocket, tlsFingerprint, url.host)
        if (certificateError) clientRequest.destroy(certificateError)
        else write()
      }
      const isSecure = url.protocol === 'https:'
      if (isSecure ? handshakeDone.has(socket) : !socket.connecting) {
        if (isSecure) writeIfTrusted()
        else write()
        return
      }
      deadline.startConnecting()
      socket.once(isSecure ? 'secureConnect' : 'connect', isSecure ? writeIfTrusted : write)
    })
  })
}

function refuseInterimFlood(clientRequest: ClientRequest): void {
  let interimCount = 0
  clientRequest.on('information', () => {
    interimCount += 1
    if (interimCount > MAX_INTERIM_RESPONSES)
      clientRequest.destroy(Object.assign(new Error('1xx flood'), { code: 'HPE_INTERIM_FLOOD' }))
  })
}
