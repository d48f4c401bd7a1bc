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

/** How many agents may be connected, and how long one may take for its lines. */
const MAX_CONNECTIONS = 30
const LINES_TIMEOUT_MS = 10_000
/** Of all proposals together, from their first byte until nobody waits for them: as values they take many times as much memory. */
const MAX_WAITING_BYTES = 1_000_000

/** Sees a request of an agent through; `tell` says how far it is. `signal` is aborted when the agent withdraws it or goes away. */
export type AgentRequestHandler = (
  request: AgentRequest,
  tell: (message: AgentMessage) => void,
  signal: AbortSignal,
) => Promise<AgentMessage>

/**
 * Takes requests of agents at a socket that only this user can reach, one a connection, and writes down in the data directory where that is. Throws
 * what the system throws. Returns a function that ends it.
 */
export async function listenToAgents(dataDir: string, serve: AgentRequestHandler): Promise<() => Promise<void>> {
  const meeting = file(dataDir)
  const key = randomBytes(32).toString('hex')
  // Short, wherever the data directory is: the path of a socket may have a hundred characters.
  const folder = process.platform === 'win32' ? null : mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-'))
  const at =
    folder === null
      ? String.raw`\\.\pipe\bridge-inspector-${randomBytes(16).toString('hex')}`
      : path.join(folder, 'agents')
  const sockets = new Set<net.Socket>()
  const waiting = new Map<net.Socket, number>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    void attend(socket, { key, serve, waiting })
  })
  server.maxConnections = MAX_CONNECTIONS
  const close = async (): Promise<void> => {
    tryRemoveFile(meeting)
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(at, resolve)
    })
    // Nobody listens there any more once the system has gone down.
    writeAtomic(meeting, JSON.stringify({ path: at, key } satisfies AgentSocket), { backup: 'none', isDurable: false })
  } catch (error) {
    await close()
    throw error
  }
  return close
}

const file = (dataDir: string): string => path.join(dataDir, AGENT_SOCKET_FILE)

interface Attended {
  readonly key: string
  readonly serve: AgentRequestHandler
  /** Bytes of the requests that are read or wait, by connection. */
  readonly waiting: Map<net.Socket, number>
}

/** One connection: the key and a request in, then what becomes of it. */
async function attend(socket: net.Socket, { key, serve, waiting }: Attended): Promise<void> {
  const gone = new AbortController()
  const late = setTimeout(() => socket.destroy(), LINES_TIMEOUT_MS)
  socket.on('error', () => undefined)
  socket.once('close', () => {
    gone.abort()
    clearTimeout(late)
  })
  const tell = (message: AgentMessage): void => void (socket.writable && socket.write(`${JSON.stringify(message)}\n`))
  const lines = new JsonLineReader(socket)
  let hasKey = false
  try {
    const first = agentKeySchema.safeParse(await lines.next(MAX_KEY_LINE_BYTES))
    // Whoever has no key learns nothing, not even why.
    hasKey = first.success && isSame(first.data.key, key)
    if (!hasKey) return void socket.destroy()
    const line = await lines.next(MAX_PROPOSAL_BYTES, (bytes) => {
      waiting.set(socket, bytes)
      assertFits(waiting)
    })
    const given = agentRequestSchema.safeParse(line)
    if (!given.success) return void socket.destroy()
    clearTimeout(late)
    // Reading on is how the end of the connection is noticed; nothing more is expected.
    void lines.next(0).then(
      () => socket.destroy(),
      () => socket.destroy(),
    )
    tell(await serve(given.data, tell, gone.signal))
    socket.end()
  } catch (error) {
    if (!hasKey || !(error instanceof AppError) || error.code === 'LINE_INVALID') return void socket.destroy()
    tell({ kind: 'refused', error: toWireError(error) })
    socket.end()
    waiting.delete(socket)
    // What is still on its way would break the connection before the agent has read why.
    await lines.drain().catch(() => undefined)
  } finally {
    waiting.delete(socket)
  }
}

/** Throws `TOO_MANY_WAIT`. */
function assertFits(waiting: ReadonlyMap<net.Socket, number>): void {
  const total = [...waiting.values()].reduce((sum, bytes) => sum + bytes, 0)
  if (total <= MAX_WAITING_BYTES) return
  throw createRefusedError('TOO_MANY_WAIT', 'Too much that agents propose waits already. Nothing was sent.')
}

function isSame(given: string, key: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(key)]
  return one.byteLength === other.byteLength && timingSafeEqual(one, other)
}
