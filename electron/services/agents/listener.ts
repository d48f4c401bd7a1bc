import { randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {
  agentKeySchema,
  agentRequestSchema,
  MAX_KEY_LINE_BYTES,
  MAX_PROPOSAL_BYTES,
  AGENT_SOCKET_FILE,
  type AgentMessage,
  type AgentRequest,
  type AgentSocket,
} from '../../../shared/ipc/agent-socket.ts'
import { AppError, createRefusedError, toWireError } from '../../../shared/errors.ts'
import { tryRemoveFile, writeAtomic } from '../files/atomic-file.ts'
import { JsonLineReader } from './json-line-reader.ts'

const MAX_CONNECTIONS = 30
const LINES_TIMEOUT_MS = 10_000
/**
 * Limit for all proposals together that are being read or wait for a decision, because their parsed
 * values take many times as much memory.
 */
const MAX_WAITING_BYTES = 1_000_000

/**
 * Handles a request of an agent. `sendMessage` reports progress; `signal` is aborted when the agent
 * withdraws the request or disconnects.
 */
export type AgentRequestHandler = (
  request: AgentRequest,
  sendMessage: (message: AgentMessage) => void,
  signal: AbortSignal,
) => Promise<AgentMessage>

/**
 * Takes requests of agents at a socket that only this user can reach, one request per connection,
 * and writes the socket's address into the data directory. Throws the errors of the system.
 * @returns a function that stops the listener.
 */
export async function listenToAgents(
  dataDir: string,
  handleRequest: AgentRequestHandler,
): Promise<() => Promise<void>> {
  const addressFile = getAddressFile(dataDir)
  const key = randomBytes(32).toString('hex')
  // The path of a socket has a limit of about a hundred characters, so it is not in the data
  // directory.
  const folder = process.platform === 'win32' ? null : mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-'))
  const socketPath =
    folder === null
      ? String.raw`\\.\pipe\bridge-inspector-${randomBytes(16).toString('hex')}`
      : path.join(folder, 'agents')
  const sockets = new Set<net.Socket>()
  const waitingBytes = new Map<net.Socket, number>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    void serveConnection(socket, { key, serve: handleRequest, waitingBytes })
  })
  server.maxConnections = MAX_CONNECTIONS
  const close = async (): Promise<void> => {
    tryRemoveFile(addressFile)
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(socketPath, resolve)
    })
    // The file need not survive a crash of the system, because nothing listens at the socket
    // afterwards.
    writeAtomic(addressFile, JSON.stringify({ path: socketPath, key } satisfies AgentSocket), {
      backup: 'none',
      isDurable: false,
    })
  } catch (error) {
    await close()
    throw error
  }
  return close
}

const getAddressFile = (dataDir: string): string => path.join(dataDir, AGENT_SOCKET_FILE)

interface ConnectionOptions {
  readonly key: string
  readonly serve: AgentRequestHandler
  /** Bytes of the requests that are being read or wait, by connection. */
  readonly waitingBytes: Map<net.Socket, number>
}

/**
 * Serves one connection, which sends the key and one request, and receives the messages about it.
 */
async function serveConnection(
  socket: net.Socket,
  { key, serve, waitingBytes: waiting }: ConnectionOptions,
): Promise<void> {
  const disconnected = new AbortController()
  const linesTimer = setTimeout(() => socket.destroy(), LINES_TIMEOUT_MS)
  socket.on('error', () => undefined)
  socket.once('close', () => {
    disconnected.abort()
    clearTimeout(linesTimer)
  })
  const sendMessage = (message: AgentMessage): void =>
    void (socket.writable && socket.write(`${JSON.stringify(message)}\n`))
  const lines = new JsonLineReader(socket)
  let hasKey = false
  try {
    const keyLine = agentKeySchema.safeParse(await lines.next(MAX_KEY_LINE_BYTES))
    // A client without the key gets no response, not even a reason.
    hasKey = keyLine.success && isSameKey(keyLine.data.key, key)
    if (!hasKey) return void socket.destroy()
    const line = await lines.next(MAX_PROPOSAL_BYTES, (bytes) => {
      waiting.set(socket, bytes)
      assertFits(waiting)
    })
    const request = agentRequestSchema.safeParse(line)
    if (!request.success) return void socket.destroy()
    clearTimeout(linesTimer)
    // A further read detects the end of the connection; a second line is an error.
    void lines.next(0).then(
      () => socket.destroy(),
      () => socket.destroy(),
    )
    sendMessage(await serve(request.data, sendMessage, disconnected.signal))
    socket.end()
  } catch (error) {
    if (!hasKey || !(error instanceof AppError) || error.code === 'LINE_INVALID') return void socket.destroy()
    sendMessage({ kind: 'refused', error: toWireError(error) })
    socket.end()
    waiting.delete(socket)
    // Unread bytes would reset the connection before the agent has read the reason.
    await lines.drain().catch(() => undefined)
  } finally {
    waiting.delete(socket)
  }
}

/** @throws TOO_MANY_WAIT when the waiting proposals are too large together */
function assertFits(waitingBytes: ReadonlyMap<net.Socket, number>): void {
  const total = [...waitingBytes.values()].reduce((sum, bytes) => sum + bytes, 0)
  if (total <= MAX_WAITING_BYTES) return
  throw createRefusedError('TOO_MANY_WAIT', 'Too much that agents propose waits already. Nothing was sent.')
}

function isSameKey(received: string, key: string): boolean {
  const [receivedBytes, keyBytes] = [Buffer.from(received), Buffer.from(key)]
  return receivedBytes.byteLength === keyBytes.byteLength && timingSafeEqual(receivedBytes, keyBytes)
}
