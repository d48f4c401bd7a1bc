import { z } from 'zod'
import { proposeToApp } from '../../electron/services/agents/client.ts'
import type { ProposalOutcome, Proposal } from '../../electron/core/agent-socket.ts'
import type { KnownEndpoint } from '../../shared/bridge/endpoints/index.ts'
import { AppError, createRefusedError } from '../../shared/errors.ts'
import { verdictTexts } from '../../shared/operations/operation-verdict.ts'
import {
  toJsonSchema,
  defineTool,
  createInputSchema,
  parseInput,
  proposableRows,
  toRequestParts,
  type Tool,
  type ToolContext,
} from './tools.ts'

/** Time for a person to decide. A reviewed write is valid for as long. */
const DECISION_TIMEOUT_MS = 10 * 60_000
/** Interval between progress messages to a waiting client. */
const PROGRESS_INTERVAL_MS = 10_000

const endpointSchema = z.enum(proposableRows.map(({ id }) => id))
const getProposableRow = (id: string): KnownEndpoint => {
  const row = proposableRows.find((proposable) => proposable.id === id)
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
  output: '{endpoint, does, method, path, cannotBeUndone, arguments: JSON schema}',
  async run({ responses }, { endpoint: id }) {
    const row = getProposableRow(id)
    const value = {
      endpoint: id,
      does: row.summary,
      method: row.method,
      path: row.path,
      cannotBeUndone: row.isIrreversible,
      arguments: toJsonSchema(createInputSchema(row)),
    }
    return responses.createResult(id, JSON.stringify(value))
  },
})

const proposeWrite = defineTool({
  name: 'write_propose',
  description:
    'Proposes a write: a person sees it in the running app and sends or refuses it; confirm is added there. Answers with what became of it. write_describe says what it takes',
  input: z.strictObject({
    endpoint: endpointSchema.describe('Id of a write of the contract'),
    arguments: z.record(z.string(), z.unknown()).describe('Parameters by name, and body'),
  }),
  output: '{status, verdict, says, …}: says is what became of it in words',
  isReadOnly: false,
  async run(context, { endpoint: id, arguments: values }) {
    const row = getProposableRow(id)
    const input = parseInput(createInputSchema(row), values, `Nothing was sent. write_describe says what ${id} takes.`)
    const outcome = await propose(context, toRequestParts(row, input))
    const value = { ...outcome, says: verdictTexts[outcome.verdict] }
    const isError = outcome.status === null || outcome.status >= 400
    return { ...context.responses.createResult(`outcome of ${id}`, JSON.stringify(value)), isError }
  },
})

/** A person sends or refuses each write in the running app. */
export const writeTools: readonly Tool[] = [describeWrite, proposeWrite]

async function propose(
  { session: { call, state }, agent, signal, onProgress }: ToolContext,
  draft: Proposal['draft'],
): Promise<ProposalOutcome> {
  const baseUrl = state.profile?.baseUrl
  if (baseUrl === undefined) throw createRefusedError('NOT_CONNECTED', 'No host is connected. Nothing was sent.')
  const { dataDir } = await call('app.info', {})
  const decisionTimeout = new AbortController()
  let timer: NodeJS.Timeout | null = setTimeout(() => decisionTimeout.abort(), DECISION_TIMEOUT_MS)
  let message = 'handing it to the app'
  const progressTimer = setInterval(() => onProgress(message), PROGRESS_INTERVAL_MS)
  const onDecided = (): void => {
    if (timer) clearTimeout(timer)
    timer = null
  }
  try {
    return await proposeToApp({
      dataDir,
      proposal: { agent: agent.slice(0, 100) || 'unnamed', baseUrl, draft },
      signal: AbortSignal.any([signal, decisionTimeout.signal]),
      onStage(stage) {
        message =
          stage === 'waiting' ? 'waiting for a person to confirm it in the app' : 'sent, waiting for the outcome'
        if (stage === 'sent') onDecided()
        onProgress(message)
      },
    })
  } catch (error) {
    if (!decisionTimeout.signal.aborted || !(error instanceof AppError)) throw error
    throw createRefusedError(
      'NOT_DECIDED',
      'Nobody decided within ten minutes. The proposal was withdrawn, and nothing was sent.',
    )
  } finally {
    onDecided()
    clearInterval(progressTimer)
  }
}
