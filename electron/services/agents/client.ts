import { lstatSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import {
  agentMessageSchema,
  MAX_PROPOSAL_BYTES,
  AGENT_SOCKET_FILE,
  agentSocketSchema,
  type AgentMessage,
  type AgentRequest,
  type AgentSocket,
  type ProposalOutcome,
  type Proposal,
  type AgentQuery,
} from '../../core/agent-socket.ts'
import { AppError, createCancelledError, fromWireError, createRefusedError } from '../../../shared/errors.ts'
import { readRegularFile } from '../../system/regular-file.ts'
import { JsonLineReader } from './json-line-reader.ts'

/** Larger than the longest message, which contains the recorded part of a response's body. */
const MAX_MESSAGE_BYTES = 5_000_000

interface Options {
  /** The data directory of the running app. */
  readonly dataDir: string
  /** Withdraws the proposal. If the write was already sent, only the wait ends. */
  readonly signal: AbortSignal
}

interface ProposalOptions extends Options {
  readonly proposal: Proposal
  readonly onMessage: (message: AgentMessage) => void
}

/**
 * Proposes a write to the running app, where a person decides.
 * @throws PROPOSAL_TOO_LARGE, APP_NOT_RUNNING, MEETING_UNSAFE, CANCELLED, and the errors with which
 *   the app refuses
 */
export async function proposeToApp({ proposal, onMessage, ...options }: ProposalOptions): Promise<ProposalOutcome> {
  for await (const message of sendRequest(proposal, options)) {
    if (message.kind === 'ended') return message.outcome
    onMessage(message)
  }
  throw createAppEndedError()
}

/**
 * Reads recorded data from the running app.
 * @throws APP_NOT_RUNNING, MEETING_UNSAFE, CANCELLED, and the errors with which the app refuses
 */
export async function queryApp(query: AgentQuery, options: Options): Promise<unknown> {
  for await (const message of sendRequest({ query }, options)) {
    if (message.kind === 'value') return message.value
  }
  throw createAppEndedError()
}

async function* sendRequest(request: AgentRequest, { dataDir, signal }: Options): AsyncGenerator<AgentMessage> {
  if (signal.aborted) throw createCancelledError()
  const text = JSON.stringify(request)
  if (Buffer.byteLength(text) > MAX_PROPOSAL_BYTES) throw createTooLargeError()
  const { path: socketPath, key } = readAgentSocket(dataDir)
  const socket = net.connect(socketPath)
  const onAbort = (): void => void socket.destroy()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
      socket.once('close', () => reject(createNotRunningError(dataDir)))
    }).catch((error: unknown) => {
      throw error instanceof AppError ? error : createNotRunningError(dataDir)
    })
    socket.on('error', () => undefined)
    socket.write(`${JSON.stringify({ key })}\n${text}\n`)
    const lines = new JsonLineReader(socket)
    for (;;) {
      const line = await lines.next(MAX_MESSAGE_BYTES)
      if (line === undefined) return
      const message = agentMessageSchema.parse(line)
      if (message.kind === 'refused') throw fromWireError(message.error)
      yield message
    }
  } catch (error) {
    if (signal.aborted) throw createCancelledError()
    throw error instanceof AppError ? error : createAppEndedError()
  } finally {
    signal.removeEventListener('abort', onAbort)
    socket.destroy()
  }
}

/**
 * Reads the address of the socket at which the app takes proposals. The file is trusted only if
 * nobody else can have written it or read the key.
 */
function readAgentSocket(dataDir: string): AgentSocket {
  let text: string
  try {
    const file = readRegularFile(path.join(dataDir, AGENT_SOCKET_FILE), { maxBytes: 10_000 })
    if (process.getuid && (file.stats.uid !== process.getuid() || (file.stats.mode & 0o077) !== 0))
      throw createUnsafeError()
    text = file.text
  } catch (error) {
    throw error instanceof AppError ? error : createNotRunningError(dataDir)
  }
  const agentSocket = parseAgentSocket(text)
  if (process.getuid) {
    const stats = lstatSync(agentSocket.path, { throwIfNoEntry: false })
    if (!stats) throw createNotRunningError(dataDir)
    if (!stats.isSocket() || stats.uid !== process.getuid()) throw createUnsafeError()
  }
  return agentSocket
}

function parseAgentSocket(text: string): AgentSocket {
  try {
    return agentSocketSchema.parse(JSON.parse(text))
  } catch {
    throw createUnsafeError()
  }
}

const createNotRunningError = (dataDir: string): AppError =>
  createRefusedError(
    'APP_NOT_RUNNING',
    `A person has to confirm this write, and Bridge Inspector is not running with the data directory ${dataDir}. Nothing was sent. Start it (bridge-inspector), connect it to this host, then propose again.`,
  )

const createTooLargeError = (): AppError =>
  createRefusedError(
    'PROPOSAL_TOO_LARGE',
    `A write that an agent proposes may have ${MAX_PROPOSAL_BYTES / 1_000} KB, because a person reviews it. Nothing was sent.`,
  )

const createUnsafeError = (): AppError =>
  createRefusedError(
    'MEETING_UNSAFE',
    `${AGENT_SOCKET_FILE} in the data directory is not as the app writes it. Nothing was sent.`,
  )

const createAppEndedError = (): AppError =>
  new AppError({
    kind: 'offline',
    code: 'APP_ENDED',
    message:
      'The app ended before it said what became of the write. Look there whether it was sent before proposing it again.',
    retryable: false,
  })
