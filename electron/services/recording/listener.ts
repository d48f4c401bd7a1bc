import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createRefusedError } from '../../../shared/errors.ts'
import { MAX_RELAY_BUFFER_BYTES } from '../bridge/wire/relay-exchange.ts'

/** Time limits in milliseconds, and counts. */
export interface ListenerLimits {
  /** To the end of the headers; checked every `checkMs`. */
  readonly headersTimeoutMs: number
  readonly checkIntervalMs: number
  /** Between two requests on one connection. */
  readonly idleTimeoutMs: number
  /** Connections that have not shown a key; beyond that the oldest makes room. */
  readonly maxStrangers: number
  /** All connections. */
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
  /** The connection showed a key, and no longer counts as a stranger. */
  admit(socket: Socket): void
  close(): Promise<void>
}

type Serve = (request: IncomingMessage, response: ServerResponse, waits: boolean) => void

/**
 * Listens on 127.0.0.1. How long a body takes is up to whoever reads it; everything before has a limit, so that nobody keeps connections by
 * doing nothing. Throws `PORT_TAKEN`, `PORT_FORBIDDEN`.
 */
export async function startListener(wanted: number, serve: Serve, limits: ListenerLimits): Promise<RecordingListener> {
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
  // Insertion order: the first is the oldest.
  const strangers = new Set<Socket>()
  server.on('connection', (socket) => {
    strangers.add(socket)
    socket.once('close', () => strangers.delete(socket))
    const [oldest] = strangers
    if (strangers.size > limits.maxStrangers) oldest?.destroy()
  })
  server.on('request', (request, response) => serve(request, response, false))
  server.on('checkContinue', (request, response) => serve(request, response, true))
  // Another expectation is the host's to judge.
  server.on('checkExpectation', (request, response) => serve(request, response, false))
  server.on('upgrade', (_request, socket) => socket.destroy())
  server.on('connect', (_request, socket) => socket.destroy())
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(wanted, error)))
    server.listen(wanted, '127.0.0.1', resolve)
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

function cannotListen(port: number, error: NodeJS.ErrnoException): Error {
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
