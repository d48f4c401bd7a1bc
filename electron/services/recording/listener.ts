import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRefusedError } from '../../../shared/errors.ts'
import {
  createConnectionLimiter,
  type ConnectionLimiter,
  type ConnectionLimits,
} from '../../system/connection-limiter.ts'
import { MAX_RELAY_BUFFER_BYTES } from '../bridge/wire/relay-exchange.ts'

export interface RecordingListener {
  readonly port: number
  /** Its connections: call `admitConnection` with one that has shown a valid key. */
  readonly connections: ConnectionLimiter
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
  limits: ConnectionLimits,
): Promise<RecordingListener> {
  const server = http.createServer({
    highWaterMark: MAX_RELAY_BUFFER_BYTES,
    maxHeaderSize: 32 * 1024,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.idleMs,
    requestTimeout: 0,
    connectionsCheckingInterval: limits.checkIntervalMs,
    requireHostHeader: false,
  })
  const connections = createConnectionLimiter(limits)
  server.on('connection', (socket) => connections.addConnection(socket))
  const serve = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void => {
    response.once('close', connections.beginRequest(request.socket))
    handleRequest(request, response, expectsContinue)
  }
  server.on('request', (request, response) => serve(request, response, false))
  server.on('checkContinue', (request, response) => serve(request, response, true))
  // The host decides on expectations other than `100-continue`.
  server.on('checkExpectation', (request, response) => serve(request, response, false))
  server.on('upgrade', (_request, socket) => socket.destroy())
  server.on('connect', (_request, socket) => socket.destroy())
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(toListenError(port, error)))
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    connections,
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
