import { randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {
  MEETING_FILE,
  proposalSchema,
  type AgentMessage,
  type Meeting,
  type Proposal,
} from '../../../shared/agents/wire.ts'
import { AppError, toWire } from '../../../shared/errors.ts'
import { removeQuietly, writeAtomic } from '../files/atomic.ts'
import { jsonLines } from './lines.ts'

/** How many agents may be connected, and how long one may take for its line. */
const MOST_CONNECTIONS = 30
const PATIENCE_MS = 10_000

/** Sees a proposal through; `tell` says how far it is. `signal` is aborted when the agent withdraws it or goes away. */
export type Propose = (
  proposal: Omit<Proposal, 'key'>,
  tell: (message: AgentMessage) => void,
  signal: AbortSignal,
) => Promise<AgentMessage>

/**
 * Takes proposals at a socket that only this user can reach, one a connection, and writes down in the data directory where that is. Throws
 * what the system throws. Returns a function that ends it.
 */
export async function listenToAgents(dataDir: string, propose: Propose): Promise<() => Promise<void>> {
  const meeting = file(dataDir)
  const key = randomBytes(32).toString('hex')
  // Short, wherever the data directory is: the path of a socket may have a hundred characters.
  const folder = process.platform === 'win32' ? null : mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-'))
  const at =
    folder === null
      ? String.raw`\\.\pipe\bridge-inspector-${randomBytes(16).toString('hex')}`
      : path.join(folder, 'agents')
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    void attend(socket, key, propose)
  })
  server.maxConnections = MOST_CONNECTIONS
  const close = async (): Promise<void> => {
    removeQuietly(meeting)
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
    writeAtomic(meeting, JSON.stringify({ path: at, key } satisfies Meeting), { backup: 'none', lasting: false })
  } catch (error) {
    await close()
    throw error
  }
  return close
}

const file = (dataDir: string): string => path.join(dataDir, MEETING_FILE)

/** One connection: one line in, then what becomes of it. */
async function attend(socket: net.Socket, key: string, propose: Propose): Promise<void> {
  const gone = new AbortController()
  socket.on('error', () => undefined)
  socket.once('close', () => gone.abort())
  socket.setTimeout(PATIENCE_MS, () => socket.destroy())
  const tell = (message: AgentMessage): void => void (socket.writable && socket.write(`${JSON.stringify(message)}\n`))
  try {
    const lines = jsonLines(socket)
    const { value } = (await lines.next()) as IteratorResult<unknown>
    const given = proposalSchema.safeParse(value)
    // Whoever has no key learns nothing, not even why.
    if (!given.success || !isSame(given.data.key, key)) return void socket.destroy()
    socket.setTimeout(0)
    // Reading on is how the end of the connection is noticed; nothing more is expected.
    void lines.next().then(
      () => socket.destroy(),
      () => socket.destroy(),
    )
    tell(await propose(given.data, tell, gone.signal))
    socket.end()
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'LINE_INVALID') return void socket.destroy()
    tell({ kind: 'refused', error: toWire(error) })
    socket.end()
  }
}

function isSame(given: string, key: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(key)]
  return one.byteLength === other.byteLength && timingSafeEqual(one, other)
}
