import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeServer } from '../system/connection-limiter.ts'

/** A server on 127.0.0.1 that can restart at its port, as a host does. */
export interface LoopbackServer {
  readonly port: number
  /** Closes the port for `gapMs`, then listens again. A restart under way is not begun again. */
  restart(onClosed: () => void, gapMs?: number): Promise<void>
  close(): Promise<void>
}

/** Rejects if the port is in use. With 0, the system chooses one. */
export async function startLoopbackServer(serve: http.RequestListener, requestedPort: number): Promise<LoopbackServer> {
  const createServer = (): http.Server => http.createServer({ keepAliveTimeout: 5_000 }, serve)
  let server = createServer()
  const port = await listen(server, requestedPort)
  let restarting: Promise<void> | null = null

  async function restartServer(onClosed: () => void, gapMs: number): Promise<void> {
    await closeServer(server)
    onClosed()
    await new Promise((resolve) => setTimeout(resolve, gapMs))
    server = createServer()
    await listen(server, port)
  }

  return {
    port,
    restart(onClosed, gapMs = 1_000) {
      restarting ??= restartServer(onClosed, gapMs).finally(() => {
        restarting = null
      })
      return restarting
    },
    async close() {
      await restarting?.catch(() => undefined)
      await closeServer(server)
    },
  }
}

function listen(server: http.Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
