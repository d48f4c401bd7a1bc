import { once } from 'node:events'
import { lstatSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
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
  agentMessageSchema,
  agentSocketSchema,
  MAX_PROPOSAL_BYTES,
  outcomeSchema,
  toAuthorization,
} from '../../core/agent-socket.ts'
import { AppError, createCancelledError, fromWireError, createRefusedError } from '../../../shared/errors.ts'
import { ipcMethods, type IpcOutput } from '../../../shared/ipc/index.ts'
import { readRegularFile } from '../../system/regular-file.ts'

/** Larger than the longest message: a part of a body, or the numbers of all recorded exchanges. */
const MAX_MESSAGE_CHARS = 20_000_000

interface Options {
  /** The data directory of the running app. */
  readonly dataDir: string
  /** Withdraws the proposal. If the write was already sent, only the wait ends. */
  readonly signal: AbortSignal
}

interface ProposalOptions extends Options {
  readonly proposal: Proposal
  readonly onStage: (stage: ProposalStage) => void
}

/**
 * Proposes a write to the running app, where a person decides.
 * @throws PROPOSAL_TOO_LARGE, APP_NOT_RUNNING, MEETING_UNSAFE, CANCELLED, and the errors with which
 *   the app refuses
 */
export async function proposeToApp({ proposal, onStage, ...options }: ProposalOptions): Promise<ProposalOutcome> {
  return outcomeSchema.parse(await sendRequest(proposal, options, onStage))
}

/** The function throws APP_NOT_RUNNING, MEETING_UNSAFE, CANCELLED, and the app's refusals. */
export function createAppCalls(options: Options): AgentCallFunction {
  return async (method, input) => {
    const value = await sendRequest({ method, input }, options)
    if (!ipcMethods[method].isBinary) return value as IpcOutput<typeof method>
    const { meta, bytes } = value as { meta: unknown; bytes: string }
    return { meta, bytes: new Uint8Array(Buffer.from(bytes, 'base64')).buffer } as IpcOutput<typeof method>
  }
}

async function sendRequest(
  agentRequest: AgentRequest,
  { dataDir, signal }: Options,
  onStage: (stage: ProposalStage) => void = () => undefined,
): Promise<unknown> {
  if (signal.aborted) throw createCancelledError()
  const body = JSON.stringify(agentRequest)
  if (Buffer.byteLength(body) > MAX_PROPOSAL_BYTES) throw createTooLargeError()
  const { path: socketPath, key } = readAgentSocket(dataDir)
  const headers = { Host: AGENT_SOCKET_HOST_HEADER, Authorization: toAuthorization(key) }
  try {
    const request = http.request({ socketPath, method: 'POST', headers, agent: false, signal })
    request.on('error', () => undefined)
    request.end(body)
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    for await (const message of readMessages(response)) {
      if (message.kind === 'ended') return message.value
      if (message.kind === 'refused') throw fromWireError(message.error)
      onStage(message.kind)
    }
    throw createAppEndedError()
  } catch (error) {
    if (signal.aborted) throw createCancelledError()
    if (error instanceof AppError) throw error
    throw (error as NodeJS.ErrnoException).syscall === 'connect'
      ? createNotRunningError(dataDir)
      : createAppEndedError()
  }
}

async function* readMessages(response: http.IncomingMessage): AsyncGenerator<AgentMessage> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk
    if (text.length > MAX_MESSAGE_CHARS) throw createAppEndedError()
    if (!chunk.includes('\n')) continue
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) yield agentMessageSchema.parse(JSON.parse(line))
  }
}

/** The file is trusted only if nobody else can have written it or read the key. */
function readAgentSocket(dataDir: string): AgentSocket {
  const ownUid = process.getuid?.()
  try {
    const { stats, text } = readRegularFile(path.join(dataDir, AGENT_SOCKET_FILE), { maxBytes: 10_000 })
    const agentSocket = parseAgentSocket(text)
    if (ownUid === undefined) return agentSocket
    const isPrivate = stats.uid === ownUid && (stats.mode & 0o077) === 0
    const socketStats = isPrivate ? lstatSync(agentSocket.path) : null
    if (socketStats?.isSocket() === true && socketStats.uid === ownUid) return agentSocket
  } catch (error) {
    throw error instanceof AppError ? error : createNotRunningError(dataDir)
  }
  throw createUnsafeError()
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
