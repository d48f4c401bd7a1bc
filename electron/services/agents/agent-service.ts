// Takes writes and queries that agents send over a socket, and shows the writes to a person.
// How a write is sent is in services/operations; the command line for agents is in cli.
// Read this file first, then listener.ts and client.ts.
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { createHostMatcher } from '../../../shared/bridge/host-matcher.ts'
import { createCancelledError, createRefusedError, AppError, toWireError } from '../../../shared/errors.ts'
import { toVisibleName } from '../../../shared/format/invisible-characters.ts'
import type { AgentProposal, PendingProposal } from '../../../shared/ipc/agents.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'
import {
  runAgentQuery,
  type IpcCallFunction,
  assertPlainSegments,
  isProposable,
  type AgentMessage,
  type ProposalOutcome,
  type Proposal,
  agentKeySchema,
  agentRequestSchema,
  MAX_KEY_LINE_BYTES,
  MAX_PROPOSAL_BYTES,
  AGENT_SOCKET_FILE,
  type AgentRequest,
  type AgentSocket,
} from '../../core/agent-socket.ts'
import { AskQueue } from '../ask-queue.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { Bus } from '../bus.ts'
import type { Log } from '../files/log.ts'
import { getConnectedHost } from '../bridge/connection/connected-host.ts'
import type { Operations } from '../operations/operations.ts'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { tryRemoveFile, writeAtomic } from '../files/atomic-file.ts'
import { JsonLineReader } from './json-line-reader.ts'
import { NodeAbortController } from '../../core/node-abort.ts'

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
type AgentRequestHandler = (
  request: AgentRequest,
  sendMessage: (message: AgentMessage) => void,
  signal: AbortSignal,
) => Promise<AgentMessage>

/**
 * Takes requests of agents at a socket that only this user can reach, one request per connection,
 * and writes the socket's address into the data directory. Throws the errors of the system.
 * @returns a function that stops the listener.
 */
async function listenToAgents(dataDir: string, handleRequest: AgentRequestHandler): Promise<() => Promise<void>> {
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

/** A connection sends the key and one request, and receives the messages about it. */
async function serveConnection(
  socket: net.Socket,
  { key, serve, waitingBytes: waiting }: ConnectionOptions,
): Promise<void> {
  const disconnected = new NodeAbortController()
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

interface Options {
  readonly dataDir: string
  readonly bus: Bus
  readonly log: Log
  readonly connection: Connection
  readonly operations: Pick<Operations, 'propose' | 'drop' | 'send'>
  readonly getRecord: (id: string) => Operation
  /** Removes every known token from a text. */
  readonly conceal: (text: string) => string
}

/**
 * Takes writes that agents propose. Each is shown to a person as it would be sent, and goes through
 * the gate only when they approve it.
 */
export interface AgentService {
  listAsks(): PendingProposal[]
  /**
   * Returns a proposal as it would be sent.
   * @throws ASK_UNKNOWN when the proposal no longer waits
   */
  getAsk(id: string): AgentProposal
  /** @throws ASK_UNKNOWN when the proposal no longer waits */
  decide(id: string, send: boolean): void
  /** Takes proposals, and queries that `call` handles. If that fails, the log says why. */
  listen(call: IpcCallFunction): Promise<void>
  close(): Promise<void>
}

export function createAgentService({
  dataDir,
  bus,
  log,
  connection,
  operations,
  getRecord,
  conceal,
}: Options): AgentService {
  const askQueue = new AskQueue<Pick<AgentProposal, 'agent' | 'prepared'>>(() =>
    bus.publish('agents.changed', { asks: listPendingProposals() }),
  )
  const listPendingProposals = (): PendingProposal[] => askQueue.all.map(({ id, at, agent }) => ({ id, at, agent }))
  let stopListening: (() => Promise<void>) | null = null

  async function propose(
    { agent: agentName, baseUrl, draft, settleMs }: Proposal,
    sendMessage: (message: AgentMessage) => void,
    signal: AbortSignal,
  ): Promise<AgentMessage> {
    // A person decides by this name, so characters that could disguise the name are replaced by
    // their codes.
    const agent = toVisibleName(conceal(agentName)) || 'unnamed'
    assertProposable(draft)
    const host = getConnectedHost(connection)
    if (!createHostMatcher(host.target.baseUrl)(baseUrl)) {
      throw createRefusedError(
        'OTHER_HOST',
        'The app is connected to another host than the agent. Nothing was sent: connect it to the same one, then propose again.',
      )
    }
    const prepared = operations.propose({ ...draft, caller: 'agent' })
    sendMessage({ kind: 'waiting' })
    const decision = await askQueue.waitForDecision({ agent, prepared }, signal)
    if (decision !== 'send') operations.drop(prepared.ticket)
    if (decision === 'full')
      throw createRefusedError('TOO_MANY_WAIT', 'Too many writes of agents wait already. Nothing was sent.')
    if (decision === 'gone') throw createCancelledError()
    if (decision !== 'send')
      throw createRefusedError('REFUSED_BY_PERSON', 'The person who was asked refused it. Nothing was sent.')
    sendMessage({ kind: 'sent' })
    const origin = { kind: 'agent' as const, label: agent }
    const operation = await operations.send(prepared.ticket, { origin, onResponse: () => undefined })
    const finishedOperation = await waitForEnd(operation, settleMs, signal)
    return JSON.parse(conceal(JSON.stringify({ kind: 'ended', outcome: toOutcome(finishedOperation) }))) as AgentMessage
  }

  async function waitForEnd(record: Operation, ms: number, signal: AbortSignal): Promise<Operation> {
    const { id } = record.summary
    if (!isBeingWatched(record)) return record
    return new Promise((resolve) => {
      const finish = (): void => {
        unsubscribe()
        clearTimeout(timer)
        signal.removeEventListener('abort', finish)
        resolve(getRecord(id))
      }
      const unsubscribe = bus.on('operations.changed', () => {
        if (!isBeingWatched(getRecord(id))) finish()
      })
      const timer = setTimeout(finish, ms)
      signal.addEventListener('abort', finish, { once: true })
      // The command may have ended before the subscription began.
      if (!isBeingWatched(getRecord(id))) finish()
    })
  }

  return {
    listAsks: listPendingProposals,
    getAsk: (id) => askQueue.get(id),
    decide: (id, send) => askQueue.decide(id, send ? 'send' : 'refuse'),
    async listen(call) {
      const handleRequest: AgentRequestHandler = async (request, sendMessage, signal) =>
        'query' in request
          ? { kind: 'value', value: await runAgentQuery(call, request.query, toBase64) }
          : propose(request, sendMessage, signal)
      try {
        stopListening = await listenToAgents(dataDir, handleRequest)
      } catch (error) {
        log.warn('agents cannot propose writes', { reason: error instanceof Error ? error.message : String(error) })
      }
    },
    async close() {
      await stopListening?.()
      stopListening = null
    },
  }
}

const toBase64 = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString('base64')

/**
 * @throws NOT_PROPOSABLE when the endpoint is not one that agents may propose
 * @throws PARAM_SEGMENT when an id is ambiguous in a path, because hosts would read it differently
 */
function assertProposable({ endpoint, params }: Proposal['draft']): void {
  const row = endpoints.find(({ id }) => id === endpoint)
  if (!row || !isProposable(row)) {
    throw createRefusedError(
      'NOT_PROPOSABLE',
      'This is no write of the contract that an agent can propose. Nothing was sent.',
    )
  }
  assertPlainSegments(params)
}

const isBeingWatched = ({ summary }: Operation): boolean =>
  summary.tracking === 'polling' || summary.tracking === 'paused-offline'

function toOutcome({ summary, events }: Operation): ProposalOutcome {
  const response = events.find((event) => event.kind === 'answer')
  return {
    operationId: summary.id,
    state: summary.state,
    verdict: summary.verdict.code,
    status: response?.status ?? null,
    code: summary.errorCode ?? summary.failureCode,
    answer: response === undefined ? null : JSON.stringify(response.body),
    cut: response?.cut ?? false,
  }
}
