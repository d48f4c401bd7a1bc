import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createRefusedError } from '../../../shared/errors.ts'
import { MAX_RELAY_BUFFER_BYTES } from '../bridge/wire/relay-exchange.ts'

export interface ListenerLimits {
  /** Maximum time until the end of the headers, checked every `checkIntervalMs`. */
  readonly headersTimeoutMs: number
  readonly checkIntervalMs: number
  /** Maximum time between two requests on one connection. */
  readonly idleTimeoutMs: number
  /**
   * Maximum number of connections that have not shown a valid key. Beyond it, the oldest one is
   * closed.
   */
  readonly maxStrangers: number
  readonly maxConnections: number
}

export const DEFAULT_LISTENER_LIMITS: ListenerLimits = {
  headersTimeoutMs: 10_000,
  checkIntervalMs: 1_000,
  idleTimeoutMs: 15_000,
  maxStrangers: 64,
  maxConnections: 256,
}

export interface RecordingListener {
  readonly port: number
  /**
   * Call when the connection has shown a valid key, so that it no longer counts towards
   * `maxStrangers`.
   */
  admit(socket: Socket): void
  close(): Promise<void>
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void

/**
 * Listens on 127.0.0.1. The handler sets the time limit of a body. Everything before the body has a
 * limit, so that idle clients cannot occupy all connections.
 * @throws PORT_TAKEN, PORT_FORBIDDEN
 */
export async function startListener(
  port: number,
  handleRequest: RequestHandler,
  limits: ListenerLimits,
): Promise<RecordingListener> {
  const server = http.createServer({
    highWaterMark: MAX_RELAY_BUFFER_BYTES,
    maxHeaderSize: 32 * 1024,
    headersTimeout: limits.headersTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    requestTimeout: 0,
    connectionsCheckingInterval: limits.checkIntervalMs,
    requireHostHeader: false,
  })
  server.maxConnections = limits.maxConnections
  // A set is in insertion order, so the first connection is the oldest.
  const strangers = new Set<Socket>()
  server.on('connection', (socket) => {
    strangers.add(socket)
    socket.once('close', () => strangers.delete(socket))
    const [oldest] = strangers
    if (strangers.size > limits.maxStrangers) oldest?.destroy()
  })
  server.on('request', (request, response) => handleRequest(request, response, false))
  server.on('checkContinue', (request, response) => handleRequest(request, response, true))
  // The host decides on expectations other than `100-continue`.
  server.on('checkExpectation', (request, response) => handleRequest(request, response, false))
  server.on('upgrade', (_request, socket) => socket.destroy())
  server.on('connect', (_request, socket) => socket.destroy())
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(port, error)))
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    admit: (socket) => void strangers.delete(socket),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function toListenError(port: number, error: NodeJS.ErrnoException): Error {
  if (error.code === 'EADDRINUSE')
    return createRefusedError('PORT_TAKEN', `Port ${port} is already in use by another program. Choose another one.`, {
      port,
    })
  if (error.code === 'EACCES')
    return createRefusedError(
      'PORT_FORBIDDEN',
      `This user is not allowed to listen on port ${port}. Choose another one.`,
      {
        port,
      },
    )
  return error
}
