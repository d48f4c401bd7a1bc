import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { refused } from '../../../shared/errors.ts'
import { RELAY_AHEAD } from '../bridge/wire/relay-exchange.ts'

/** Time limits in milliseconds, and counts. */
export interface ListenerLimits {
  /** To the end of the headers; checked every `checkMs`. */
  readonly headersMs: number
  readonly checkMs: number
  /** Between two requests on one connection. */
  readonly idleMs: number
  /** Connections that have not shown a key; beyond that the oldest makes room. */
  readonly strangers: number
  /** All connections. */
  readonly connections: number
}

export const listenerLimits: ListenerLimits = {
  headersMs: 10_000,
  checkMs: 1_000,
  idleMs: 15_000,
  strangers: 64,
  connections: 256,
}

export interface Listener {
  readonly port: number
  /** The connection showed a key, and no longer counts as a stranger. */
  letIn(socket: Socket): void
  close(): Promise<void>
}

type Serve = (request: IncomingMessage, response: ServerResponse, waits: boolean) => void

/**
 * Listens on 127.0.0.1. How long a body takes is up to whoever reads it; everything before has a limit, so that nobody keeps connections by
 * doing nothing. Throws `PORT_TAKEN`, `PORT_FORBIDDEN`.
 */
export async function listen(wanted: number, serve: Serve, limits: ListenerLimits): Promise<Listener> {
  const server = http.createServer({
    highWaterMark: RELAY_AHEAD,
    maxHeaderSize: 32 * 1024,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.idleMs,
    requestTimeout: 0,
    connectionsCheckingInterval: limits.checkMs,
    requireHostHeader: false,
  })
  server.maxConnections = limits.connections
  // Insertion order: the first is the oldest.
  const strangers = new Set<Socket>()
  server.on('connection', (socket) => {
    strangers.add(socket)
    socket.once('close', () => strangers.delete(socket))
    const [oldest] = strangers
    if (strangers.size > limits.strangers) oldest?.destroy()
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
    letIn: (socket) => void strangers.delete(socket),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function cannotListen(port: number, error: NodeJS.ErrnoException): Error {
  if (error.code === 'EADDRINUSE')
    return refused('PORT_TAKEN', `Port ${port} is already in use by another program. Choose another one.`, { port })
  if (error.code === 'EACCES')
    return refused('PORT_FORBIDDEN', `This user is not allowed to listen on port ${port}. Choose another one.`, {
      port,
    })
  return error
}
