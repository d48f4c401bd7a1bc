import { z } from 'zod'
import { proposeToApp } from '../../electron/services/agents/client.ts'
import type { Outcome, Proposal } from '../../shared/ipc/agent-socket.ts'
import type { KnownEndpoint } from '../../shared/bridge/endpoints/index.ts'
import { AppError, createRefusedError } from '../../shared/errors.ts'
import { getVerdictText } from '../writes/verdict.ts'
import {
  toJsonSchema,
  defineTool,
  createInputSchema,
  proposableRows,
  toRequest,
  type Tool,
  type ToolContext,
} from './tools.ts'

/** How long a person may take; what was reviewed is good for that long. */
const DECISION_TIMEOUT_MS = 10 * 60_000
/** How long the outcome of what was sent is waited for. */
const SETTLE_MS = 120_000
/** A client that waits is told this often that there is still something to wait for. */
const PROGRESS_INTERVAL_MS = 10_000

const endpoint = z.enum(proposableRows.map(({ id }) => id))
const rowOf = (id: string): KnownEndpoint => {
  const row = proposableRows.find((one) => one.id === id)
  if (row) return row
  throw createRefusedError(
    'NOT_PROPOSABLE',
    `There is no write ${id.slice(0, 100)} that can be proposed. Nothing was sent.`,
  )
}

const describeWrite = defineTool({
  name: 'write_describe',
  description: 'What a write of the contract takes: its parameters and the JSON schema of its body. Asks nothing',
  input: z.strictObject({ endpoint: z.string().max(300).describe('As in write_propose') }),
  async run({ responses: answers }, { endpoint: id }) {
    const row = rowOf(id)
    const value = {
      endpoint: id,
      does: row.summary,
      method: row.method,
      path: row.path,
      cannotBeUndone: row.isIrreversible,
      arguments: toJsonSchema(createInputSchema(row)),
    }
    return answers.createResult(id, JSON.stringify(value))
  },
})

const proposeWrite = defineTool({
  name: 'write_propose',
  description:
    'Proposes a write: a person sees it in the running app and sends or refuses it; confirm is added there. Answers with what became of it. write_describe says what it takes',
  input: z.strictObject({
    endpoint,
    arguments: z.record(z.string(), z.unknown()).describe('Parameters by name, and body'),
  }),
  isReadOnly: false,
  async run(context, { endpoint: id, arguments: values }) {
    const row = rowOf(id)
    const parsed = createInputSchema(row).safeParse(values)
    if (!parsed.success) {
      const places = parsed.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.')}: ${message}`)
      throw createRefusedError(
        'ARGUMENTS_INVALID',
        `${places.join('; ')}. Nothing was sent. write_describe says what ${id} takes.`,
      )
    }
    const outcome = await propose(context, toRequest(row, parsed.data))
    const value = { ...outcome, says: getVerdictText(outcome.verdict) }
    const isError = outcome.status === null || outcome.status >= 400
    return { ...context.responses.createResult(`outcome of ${id}`, JSON.stringify(value)), isError }
  },
})

/** Writes, each of which a person sends or refuses in the running app. */
export const writeTools: readonly Tool[] = [describeWrite, proposeWrite]

async function propose(
  { session: { call, state }, agent, signal, onProgress }: ToolContext,
  draft: Proposal['draft'],
): Promise<Outcome> {
  const baseUrl = state.profile?.baseUrl
  if (baseUrl === undefined) throw createRefusedError('NOT_CONNECTED', 'No host is connected. Nothing was sent.')
  const { dataDir } = await call('app.info', {})
  const late = new AbortController()
  let decision: NodeJS.Timeout | null = setTimeout(() => late.abort(), DECISION_TIMEOUT_MS)
  let message = 'handing it to the app'
  const reminder = setInterval(() => onProgress(message), PROGRESS_INTERVAL_MS)
  const onDecided = (): void => {
    if (decision) clearTimeout(decision)
    decision = null
  }
  try {
    return await proposeToApp({
      dataDir,
      proposal: { agent: agent.slice(0, 100) || 'unnamed', baseUrl, draft, settleMs: SETTLE_MS },
      signal: AbortSignal.any([signal, late.signal]),
      onMessage({ kind }) {
        message = kind === 'waiting' ? 'waiting for a person to confirm it in the app' : 'sent, waiting for the outcome'
        if (kind === 'sent') onDecided()
        onProgress(message)
      },
    })
  } catch (error) {
    if (!late.signal.aborted || !(error instanceof AppError)) throw error
    throw createRefusedError(
      'NOT_DECIDED',
      'Nobody decided within ten minutes. It was withdrawn, and nothing was sent.',
    )
  } finally {
    onDecided()
    clearInterval(reminder)
  }
}
