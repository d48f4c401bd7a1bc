import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type AppError, refused } from '../../shared/errors.ts'
import type { Door } from '../handlers/door.ts'
import { refuseHost } from './guard.ts'
import { answer, secure } from './headers.ts'
import { serveRoute } from './routes.ts'
import { createSession } from './session.ts'
import type { Assets } from './static.ts'

export interface BrowserHostOptions {
  readonly door: Door
  readonly assets: Assets
  /** 0 = any. */
  readonly port: number
  /** Only the loopback address is taken; there for the test that nothing else is. */
  readonly address?: string
  /** Told of requests that are passed on as errors; the development server needs its own way for upgrades. */
  readonly onUpgrade?: (request: http.IncomingMessage, socket: Socket, head: Buffer) => void
}

export interface BrowserHost {
  /** With the one-time key. */
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

/**
 * Serves the page and its calls on 127.0.0.1. Throws `ADDRESS_NOT_LOOPBACK` for any other address and `PORT_TAKEN`.
 */
export async function startBrowserHost(options: BrowserHostOptions): Promise<BrowserHost> {
  const address = options.address ?? '127.0.0.1'
  if (address !== '127.0.0.1') {
    throw refused('ADDRESS_NOT_LOOPBACK', 'The browser host listens on 127.0.0.1 only.')
  }
  const session = createSession()
  const server = http.createServer({ maxHeaderSize: 32 * 1024, requestTimeout: 60_000 })
  const port = await listen(server, options.port, address)
  server.on('request', (request, response) => {
    secure(response)
    const refusal = refuseHost(request, port)
    if (refusal) return answer(response, refusal.status, 'text/plain; charset=utf-8', refusal.reason)
    serveRoute({ ...options, session }, request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else answer(response, 500, 'text/plain; charset=utf-8', 'Something went wrong.')
    })
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  server.on('upgrade', (request, socket, head) => {
    if (options.onUpgrade && !refuseHost(request, port)) options.onUpgrade(request, socket as Socket, head)
    else socket.destroy()
  })
  return {
    url: `http://127.0.0.1:${port}/?key=${session.key}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function listen(server: http.Server, port: number, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? portTaken(port) : error)
    })
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port))
  })
}

const portTaken = (port: number): AppError =>
  refused('PORT_TAKEN', `Port ${port} is taken by another program. Choose another with --port, or 0 for any.`, { port })
