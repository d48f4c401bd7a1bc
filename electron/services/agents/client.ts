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
  type Outcome,
  type Proposal,
  type AgentQuery,
} from '../../../shared/ipc/agent-socket.ts'
import { AppError, createCancelledError, fromWireError, createRefusedError } from '../../../shared/errors.ts'
import { readRegularFile } from '../../system/regular-file.ts'
import { JsonLineReader } from './json-line-reader.ts'

/** More than the longest message: what is kept of an answer's body, and what stands around it. */
const MAX_MESSAGE_BYTES = 5_000_000

interface Options {
  /** The data directory that the running app keeps. */
  readonly dataDir: string
  /** Withdraws a proposal; once it was sent, only its outcome is no longer waited for. */
  readonly signal: AbortSignal
}

interface ProposalOptions extends Options {
  readonly proposal: Proposal
  readonly onMessage: (message: AgentMessage) => void
}

/**
 * Hands a write to the running app, where a person decides. Throws `PROPOSAL_TOO_LARGE`, `APP_NOT_RUNNING`, `MEETING_UNSAFE`, what the app
 * refuses with, and `CANCELLED`.
 */
export async function proposeToApp({ proposal, onMessage, ...options }: ProposalOptions): Promise<Outcome> {
  for await (const message of exchange(proposal, options)) {
    if (message.kind === 'ended') return message.outcome
    onMessage(message)
  }
  throw ended()
}

/** Asks the running app what it has recorded. Throws `APP_NOT_RUNNING`, `MEETING_UNSAFE`, what the app refuses with, and `CANCELLED`. */
export async function queryApp(query: AgentQuery, options: Options): Promise<unknown> {
  for await (const message of exchange({ query }, options)) {
    if (message.kind === 'value') return message.value
  }
  throw ended()
}

/** What the app answers to one request. */
async function* exchange(request: AgentRequest, { dataDir, signal }: Options): AsyncGenerator<AgentMessage> {
  if (signal.aborted) throw createCancelledError()
  const text = JSON.stringify(request)
  if (Buffer.byteLength(text) > MAX_PROPOSAL_BYTES) throw tooLarge()
  const { path: socketPath, key } = meetingIn(dataDir)
  const socket = net.connect(socketPath)
  const withdraw = (): void => void socket.destroy()
  signal.addEventListener('abort', withdraw, { once: true })
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('error', reject)
      socket.once('close', () => reject(notRunning(dataDir)))
    }).catch((error: unknown) => {
      throw error instanceof AppError ? error : notRunning(dataDir)
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
    throw error instanceof AppError ? error : ended()
  } finally {
    signal.removeEventListener('abort', withdraw)
    socket.destroy()
  }
}

/** Where the app takes proposals. Nobody else may have written that down, or be able to read the key. */
function meetingIn(dataDir: string): AgentSocket {
  let text: string
  try {
    const found = readRegularFile(path.join(dataDir, AGENT_SOCKET_FILE), { maxBytes: 10_000 })
    if (process.getuid && (found.stats.uid !== process.getuid() || (found.stats.mode & 0o077) !== 0)) throw unsafe()
    text = found.text
  } catch (error) {
    throw error instanceof AppError ? error : notRunning(dataDir)
  }
  const meeting = parsed(text)
  if (process.getuid) {
    const stats = lstatSync(meeting.path, { throwIfNoEntry: false })
    if (!stats) throw notRunning(dataDir)
    if (!stats.isSocket() || stats.uid !== process.getuid()) throw unsafe()
  }
  return meeting
}

function parsed(text: string): AgentSocket {
  try {
    return agentSocketSchema.parse(JSON.parse(text))
  } catch {
    throw unsafe()
  }
}

const notRunning = (dataDir: string): AppError =>
  createRefusedError(
    'APP_NOT_RUNNING',
    `A person has to confirm this write, and Bridge Inspector is not running with the data directory ${dataDir}. Nothing was sent. Start it (bridge-inspector), connect it to this host, then propose again.`,
  )

const tooLarge = (): AppError =>
  createRefusedError(
    'PROPOSAL_TOO_LARGE',
    `A write that an agent proposes may have ${MAX_PROPOSAL_BYTES / 1_000} KB, because a person reviews it. Nothing was sent.`,
  )

const unsafe = (): AppError =>
  createRefusedError(
    'MEETING_UNSAFE',
    `${AGENT_SOCKET_FILE} in the data directory is not as the app writes it. Nothing was sent.`,
  )

const ended = (): AppError =>
  new AppError({
    kind: 'offline',
    code: 'APP_ENDED',
    message:
      'The app ended before it said what became of the write. Look there whether it was sent before proposing it again.',
    retryable: false,
  })
