import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'
import type { RelayRequest } from '../../../electron/services/bridge/relay-types.ts'
import type { ExchangeStart, ExchangeEnd, ExchangeRecorder } from '../../../electron/services/bridge/types.ts'
import { getSmallRead } from './test-client.ts'

/** An exchange as the recorder received it, tokens included. */
export interface RecordedExchange {
  readonly start: ExchangeStart
  readonly end: ExchangeEnd
}

export function createListeningRecorder(
  mediaBytes = 1024 * 1024,
): ExchangeRecorder & { readonly exchanges: RecordedExchange[] } {
  const exchanges: RecordedExchange[] = []
  return {
    exchanges,
    getMaxStreamedBytes: () => mediaBytes,
    recordStart: () => undefined,
    recordEnd: (begun, ended) => void exchanges.push({ start: begun, end: ended }),
  }
}

/** Creates a request of another program, as the relay receives it. */
export const createRelayRequest = (more: Partial<RelayRequest> = {}): RelayRequest => ({
  endpoint: getSmallRead(),
  method: 'GET',
  rawPath: '/capabilities',
  headers: [],
  body: null,
  length: null,
  origin: { kind: 'recorded', label: 'test' },
  signal: new AbortController().signal,
  isMasked: false,
  ...more,
})

export interface LoopbackServer {
  readonly port: number
  readonly baseUrl: string
  close(): Promise<void>
}

/**
 * A server over Node's HTTP that answers as `serve` likes; `onContinue` replaces its reply to
 * `Expect: 100-continue`.
 */
export async function startHttpServer(
  serve: (request: IncomingMessage, response: ServerResponse) => void,
  onContinue?: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LoopbackServer> {
  const server = http.createServer({ requestTimeout: 0 }, serve)
  if (onContinue) server.on('checkContinue', onContinue)
  return startListening(server, () => server.closeAllConnections())
}

/** Starts a server that handles the raw connection. */
export async function startSocketServer(serve: (socket: Socket) => void): Promise<LoopbackServer> {
  const sockets = new Set<Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    serve(socket)
  })
  return startListening(server, () => sockets.forEach((socket) => socket.destroy()))
}

async function startListening(server: net.Server, cut: () => void): Promise<LoopbackServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/bridge/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}
