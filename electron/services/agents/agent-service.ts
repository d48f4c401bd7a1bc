// Takes writes and calls that agents send over a socket, and shows the writes to a person.
// How a write is sent is in services/operations; the command line for agents is in cli.
// Read this file first, then client.ts.
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { createHostMatcher } from '../../../shared/bridge/host-matcher.ts'
import { createCancelledError, createRefusedError, AppError } from '../../../shared/errors.ts'
import { toVisibleName } from '../../../shared/format/invisible-characters.ts'
import type { AgentProposal, PendingProposal } from '../../../shared/ipc/agents.ts'
import { isWatched, type Operation } from '../../../shared/ipc/operations.ts'
import {
  type AgentCallFunction,
  type AgentMessage,
  type AgentRequest,
  type AgentSocket,
  type Proposal,
  type ProposalOutcome,
  type ProposalStage,
  AGENT_SOCKET_HOST_HEADER,
  AGENT_SOCKET_FILE,
  agentRequestSchema,
  assertPlainSegments,
  isProposable,
  MAX_PROPOSAL_BYTES,
  toAuthorization,
} from '../../core/agent-socket.ts'
import { AskQueue } from '../ask-queue.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { Bus } from '../bus.ts'
import type { Log } from '../files/log.ts'
import { getConnectedHost } from '../bridge/connection/connected-host.ts'
import type { Operations } from '../operations/operations.ts'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { tryRemoveFile, writeAtomic } from '../files/atomic-file.ts'
import { NodeAbortController } from '../../core/node-abort.ts'
import { closeServer } from '../../system/connection-limiter.ts'

const MAX_CONNECTIONS = 30
/** The limits of what a client without the key can make the app read. */
const serverOptions: http.ServerOptions = {
  maxHeaderSize: 1_000,
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  requireHostHeader: false,
}
/** Limits all proposals that are read or wait: their parsed values take far more memory. */
const MAX_WAITING_BYTES = 1_000_000
/** How long an agent hears of the outcome of a sent write. */
const OUTCOME_TIMEOUT_MS = 120_000

/**
 * Handles a request of an agent. `signal` is aborted when the agent withdraws the request or
 * disconnects.
 */
type AgentRequestHandler = (
  request: AgentRequest,
  onStage: (stage: ProposalStage) => void,
  signal: AbortSignal,
) => Promise<unknown>

/**
 * Takes requests of agents over HTTP at a socket that only this user can reach, one request per
 * connection, and writes the socket's address into the data directory. Throws the errors of the
 * system.
 * @returns a function that stops the listener.
 */
async function listenToAgents(dataDir: string, handleRequest: AgentRequestHandler): Promise<() => Promise<void>> {
  const addressFile = path.join(dataDir, AGENT_SOCKET_FILE)
  const key = randomBytes(32).toString('hex')
  // The path of a socket is limited to a hundred characters, hence not in the data directory.
  const folder = process.platform === 'win32' ? null : mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-'))
  const socketPath =
    folder === null
      ? String.raw`\\.\pipe\bridge-inspector-${randomBytes(16).toString('hex')}`
      : path.join(folder, 'agents')
  const waiting = { bytes: 0 }
  const server = http.createServer(serverOptions, (request, response) => {
    // A client without the key gets no response, not even a reason.
    if (isFromAgent(request, key)) void serveRequest(request, response, handleRequest, waiting)
    else request.socket.destroy()
  })
  server.maxConnections = MAX_CONNECTIONS
  server.maxRequestsPerSocket = 1
  server.on('clientError', (_error, socket) => socket.destroy())
  // Node would answer an expectation before the key is checked.
  server.on('checkContinue', ({ socket }) => socket.destroy())
  server.on('checkExpectation', ({ socket }) => socket.destroy())
  const close = async (): Promise<void> => {
    tryRemoveFile(addressFile)
    await closeServer(server)
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(socketPath, resolve)
    })
    // Nothing listens at the socket after a crash, which the file need not survive.
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

/** True for a request with the key. A browser would send an `Origin`, or a page's `Host`. */
function isFromAgent({ headers }: http.IncomingMessage, key: string): boolean {
  if (headers.origin !== undefined || headers.host !== AGENT_SOCKET_HOST_HEADER) return false
  const [received, expected] = [Buffer.from(headers.authorization ?? ''), Buffer.from(toAuthorization(key))]
  return received.byteLength === expected.byteLength && timingSafeEqual(received, expected)
}

/** @param waiting size of all requests that are being read or wait */
async function serveRequest(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  handleRequest: AgentRequestHandler,
  waiting: { bytes: number },
): Promise<void> {
  const disconnected = new NodeAbortController()
  response.setHeader('Connection', 'close')
  response.once('close', () => disconnected.abort())
  const sendMessage = (message: AgentMessage): void =>
    void response.write(`${JSON.stringify(message, (_name, value: unknown) => encodeBytes(value))}\n`)
  try {
    const agentRequest = agentRequestSchema.parse(JSON.parse(await readBody(request, waiting)))
    const value = await handleRequest(agentRequest, (kind) => sendMessage({ kind }), disconnected.signal)
    sendMessage({ kind: 'ended', value })
  } catch (error) {
    if (!(error instanceof AppError)) return void response.destroy()
    sendMessage({ kind: 'refused', error: error.wire })
  }
  response.end()
}

function encodeBytes(value: unknown): unknown {
  return value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : value
}

/**
 * A body must announce its length, so that nothing is stored of one that does not fit, and input in
 * single bytes costs no more than whole.
 * @throws TOO_MANY_WAIT when the waiting requests are too large together
 */
async function readBody(request: http.IncomingMessage, waiting: { bytes: number }): Promise<string> {
  const length = Number(request.headers['content-length'] ?? Number.NaN)
  if (!(length <= MAX_PROPOSAL_BYTES)) throw new Error('too long')
  const isRefused = waiting.bytes + length > MAX_WAITING_BYTES
  const heldBytes = isRefused ? 0 : length
  waiting.bytes += heldBytes
  request.socket.once('close', () => (waiting.bytes -= heldBytes))
  const body = Buffer.alloc(heldBytes)
  let end = 0
  // A refused body is read too: unread bytes would reset the connection before the reason.
  for await (const chunk of request as AsyncIterable<Buffer>) end += chunk.copy(body, end)
  if (isRefused)
    throw createRefusedError('TOO_MANY_WAIT', 'Too much that agents propose waits already. Nothing was sent.')
  return body.toString()
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

/** Each write that an agent proposes is shown as it would be sent, and goes out if approved. */
export interface AgentService {
  listAsks(): PendingProposal[]
  /** @throws ASK_UNKNOWN when the proposal no longer waits */
  getAsk(id: string): AgentProposal
  /** @throws ASK_UNKNOWN when the proposal no longer waits */
  decide(id: string, send: boolean): void
  /** Takes proposals, and calls that `call` handles. If that fails, the log says why. */
  listen(call: AgentCallFunction): Promise<void>
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
    { agent: agentName, baseUrl, draft }: Proposal,
    onStage: (stage: ProposalStage) => void,
    signal: AbortSignal,
  ): Promise<ProposalOutcome> {
    // A person decides by this name: characters that could disguise it become codes.
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
    onStage('waiting')
    const decision = await askQueue.waitForDecision({ agent, prepared }, signal)
    if (decision !== 'send') operations.drop(prepared.ticket)
    if (decision === 'full')
      throw createRefusedError('TOO_MANY_WAIT', 'Too many writes of agents wait already. Nothing was sent.')
    if (decision === 'gone') throw createCancelledError()
    if (decision !== 'send')
      throw createRefusedError('REFUSED_BY_PERSON', 'The person who was asked refused it. Nothing was sent.')
    onStage('sent')
    const origin = { kind: 'agent' as const, label: agent }
    const operation = await operations.send(prepared.ticket, { origin, onResponse: () => undefined })
    const finishedOperation = await waitForEnd(operation, signal)
    return JSON.parse(conceal(JSON.stringify(toOutcome(finishedOperation)))) as ProposalOutcome
  }

  async function waitForEnd(record: Operation, signal: AbortSignal): Promise<Operation> {
    const { id } = record.summary
    if (!isWatched(record.summary)) return record
    return new Promise((resolve) => {
      const finish = (): void => {
        unsubscribe()
        clearTimeout(timer)
        signal.removeEventListener('abort', finish)
        resolve(getRecord(id))
      }
      const unsubscribe = bus.on('operations.changed', () => {
        if (!isWatched(getRecord(id).summary)) finish()
      })
      const timer = setTimeout(finish, OUTCOME_TIMEOUT_MS)
      signal.addEventListener('abort', finish, { once: true })
      // The command may have ended before the subscription began.
      if (!isWatched(getRecord(id).summary)) finish()
    })
  }

  return {
    listAsks: listPendingProposals,
    getAsk: (id) => askQueue.get(id),
    decide: (id, send) => askQueue.decide(id, send ? 'send' : 'refuse'),
    async listen(call) {
      try {
        stopListening = await listenToAgents(dataDir, (request, onStage, signal) =>
          // The dispatcher parses the input.
          'method' in request ? call(request.method, request.input as never) : propose(request, onStage, signal),
        )
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

/** @throws NOT_PROPOSABLE, and PARAM_SEGMENT for an id that hosts would read differently */
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
