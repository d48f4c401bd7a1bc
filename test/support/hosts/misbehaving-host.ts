import net, { type AddressInfo } from 'node:net'
import tls from 'node:tls'
import { Worker } from 'node:worker_threads'
import type { Behaviour, ReceivedRequest } from './behaviours.ts'
import type { TestCertificate } from './certificates.ts'

export interface MisbehavingHost {
  /** `http(s)://127.0.0.1:PORT/bridge/v1` */
  readonly baseUrl: string
  readonly port: number
  /** Requests that arrived in full. */
  readonly requests: readonly ReceivedRequest[]
  /** Every byte that arrived (over TLS: after decryption), whether or not it became a request. */
  getReceivedBytes(): Buffer
  /**
   * Connections accepted so far, those that are open now, and those that resumed an earlier TLS
   * session.
   */
  countConnections(): { accepted: number; open: number; resumed: number }
  setBehaviour(next: Behaviour): void
  /** Applies from the next connection. */
  useCertificate(certificate: TestCertificate): void
  close(): Promise<void>
}

/** Starts a raw server on loopback that parses requests and responds by `behaviour`. */
export async function startMisbehavingHost(
  behaviour: Behaviour,
  options: { certificate?: TestCertificate; port?: number } = {},
): Promise<MisbehavingHost> {
  let current = behaviour
  let accepted = 0
  let resumed = 0
  const requests: ReceivedRequest[] = []
  const arrived: Buffer[] = []
  const sockets = new Set<net.Socket>()

  function serve(socket: net.Socket): void {
    let pending = Buffer.alloc(0)
    socket.on('error', () => undefined)
    if (socket instanceof tls.TLSSocket && socket.isSessionReused()) resumed += 1
    socket.on('data', (bytes: Buffer) => {
      arrived.push(bytes)
      pending = Buffer.concat([pending, bytes])
      for (let parsed = parseRequest(pending); parsed !== null; parsed = parseRequest(pending)) {
        pending = pending.subarray(parsed.length)
        requests.push(parsed.request)
        void current(socket, parsed.request)
      }
    })
  }

  const { certificate, port: requestedPort = 0 } = options
  const server = certificate ? tls.createServer(certificate, serve) : net.createServer(serve)
  server.on('connection', (socket: net.Socket) => {
    accepted += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(requestedPort, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo

  return {
    baseUrl: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}/bridge/v1`,
    port,
    requests,
    getReceivedBytes: () => Buffer.concat(arrived),
    countConnections: () => ({ accepted, open: sockets.size, resumed }),
    setBehaviour: (next) => {
      current = next
    },
    useCertificate: (next) => (server as tls.Server).setSecureContext(next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function parseRequest(bytes: Buffer): { request: ReceivedRequest; length: number } | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const head = bytes.toString('latin1', 0, end)
  const [line = '', ...lines] = head.split('\r\n')
  const [method = '', path = ''] = line.split(' ')
  const headers = lines.map((text) => {
    const colon = text.indexOf(':')
    return [text.slice(0, colon), text.slice(colon + 1).trim()] as const
  })
  const announced = Number(headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1] ?? 0)
  const length = end + 4 + announced
  if (bytes.length < length) return null
  return { request: { head, method, path, headers, body: bytes.subarray(end + 4, length) }, length }
}

const DEAF_SERVER_SOURCE = `
  const { parentPort } = require('node:worker_threads')
  const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

/** A port that accepts no connection, so that clients wait. Its queue is full and never emptied. */
export async function startDeafPort(): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const worker = new Worker(DEAF_SERVER_SOURCE, { eval: true })
  const port = await new Promise<number>((resolve) => worker.once('message', resolve))
  const fillers: net.Socket[] = []
  // The loop runs until a connection has to wait, because the system queues a few.
  for (let inQueue = true; inQueue;) {
    const filler = net.connect({ port, host: '127.0.0.1' }).on('error', () => undefined)
    fillers.push(filler)
    inQueue = await Promise.race([
      new Promise<boolean>((resolve) => filler.once('connect', () => resolve(true))),
      // After a pause of this process, timers come before the connections that were made meanwhile.
      new Promise<boolean>((resolve) => setTimeout(() => setImmediate(() => resolve(false)), 300)),
    ])
  }
  return {
    baseUrl: `http://127.0.0.1:${port}/bridge/v1`,
    async close() {
      for (const socket of fillers) socket.destroy()
      await worker.terminate()
    },
  }
}

/** The same on a port that a scan of this machine checks (42340 to 42359), if one is free. */
export async function startMisbehavingHostOnKnownPort(behaviour: Behaviour): Promise<MisbehavingHost> {
  for (let port = 42_359; port >= 42_340; port -= 1) {
    const host = await startMisbehavingHost(behaviour, { port }).catch(() => null)
    if (host) return host
  }
  throw new Error('every port from 42340 to 42359 is taken')
}
