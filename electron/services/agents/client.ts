import { lstatSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import {
  agentMessageSchema,
  MAX_PROPOSAL_BYTES,
  MEETING_FILE,
  meetingSchema,
  type AgentMessage,
  type Meeting,
  type Outcome,
  type Proposal,
} from '../../../shared/agents/wire.ts'
import { AppError, cancelled, fromWire, refused } from '../../../shared/errors.ts'
import { readRegular } from '../../system/regular.ts'
import { JsonLineReader } from './lines.ts'

/** More than the longest message: what is kept of an answer's body, and what stands around it. */
const MAX_MESSAGE_BYTES = 5_000_000

interface Options {
  /** The data directory that the running app keeps. */
  readonly dataDir: string
  readonly proposal: Proposal
  /** Withdraws the proposal; once it was sent, only its outcome is no longer waited for. */
  readonly signal: AbortSignal
  readonly onMessage: (message: AgentMessage) => void
}

/**
 * Hands a write to the running app, where a person decides. Throws `PROPOSAL_TOO_LARGE`, `APP_NOT_RUNNING`, `MEETING_UNSAFE`, what the app
 * refuses with, and `CANCELLED`.
 */
export async function proposeToApp({ dataDir, proposal, signal, onMessage }: Options): Promise<Outcome> {
  if (signal.aborted) throw cancelled()
  const text = JSON.stringify(proposal)
  if (Buffer.byteLength(text) > MAX_PROPOSAL_BYTES) throw tooLarge()
  const { path: at, key } = meetingIn(dataDir)
  const socket = net.connect(at)
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
      if (line === undefined) throw ended()
      const message = agentMessageSchema.parse(line)
      if (message.kind === 'ended') return message.outcome
      if (message.kind === 'refused') throw fromWire(message.error)
      onMessage(message)
    }
  } catch (error) {
    if (signal.aborted) throw cancelled()
    throw error instanceof AppError ? error : ended()
  } finally {
    signal.removeEventListener('abort', withdraw)
    socket.destroy()
  }
}

/** Where the app takes proposals. Nobody else may have written that down, or be able to read the key. */
function meetingIn(dataDir: string): Meeting {
  let text: string
  try {
    const found = readRegular(path.join(dataDir, MEETING_FILE), { maxBytes: 10_000 })
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

function parsed(text: string): Meeting {
  try {
    return meetingSchema.parse(JSON.parse(text))
  } catch {
    throw unsafe()
  }
}

const notRunning = (dataDir: string): AppError =>
  refused(
    'APP_NOT_RUNNING',
    `A person has to confirm this write, and Bridge Inspector is not running with the data directory ${dataDir}. Nothing was sent. Start it (bridge-inspector), connect it to this host, then propose again.`,
  )

const tooLarge = (): AppError =>
  refused(
    'PROPOSAL_TOO_LARGE',
    `A write that an agent proposes may have ${MAX_PROPOSAL_BYTES / 1_000_000} MB, because a person reviews it. Nothing was sent.`,
  )

const unsafe = (): AppError =>
  refused('MEETING_UNSAFE', `${MEETING_FILE} in the data directory is not as the app writes it. Nothing was sent.`)

const ended = (): AppError =>
  new AppError({
    kind: 'offline',
    code: 'APP_ENDED',
    message:
      'The app ended before it said what became of the write. Look there whether it was sent before proposing it again.',
    retryable: false,
  })
