import { z } from 'zod'
import { wireErrorSchema, createRefusedError } from '../errors.ts'
import { commandDraftSchema } from '../operations/prepared-write.ts'
import { operationStates } from '../operations/operation-events.ts'
import { operationVerdictSchema } from '../operations/operation-verdict.ts'
import type { Endpoint } from '../bridge/endpoints/endpoint.ts'
import { isPlainSegment } from '../bridge/endpoints/path-template.ts'
import { trafficFilterSchema } from '../traffic/traffic-filter.ts'
import type { IpcInput, MethodName, IpcOutput } from './index.ts'
import { operationFilterSchema } from './operations.ts'

const offset = z.number().int().nonnegative()
const limit = z.number().int().min(1).max(200)
const seq = z.number().int().positive()

/** Bytes of one piece of a body. */
const MAX_BODY_CHUNK_BYTES = 1_000_000

/** What an agent may ask the running app about what was recorded. Nothing of it changes anything, here or on the host. */
const agentQuerySchema = z.discriminatedUnion('ask', [
  z.strictObject({ ask: z.literal('findings'), offset, limit }),
  z.strictObject({ ask: z.literal('exchanges'), filter: trafficFilterSchema, offset, limit }),
  z.strictObject({ ask: z.literal('exchange'), seq }),
  z.strictObject({ ask: z.literal('body'), seq, side: z.enum(['request', 'response']), start: offset }),
  z.strictObject({ ask: z.literal('operations'), filter: operationFilterSchema.extend({ limit }) }),
  z.strictObject({ ask: z.literal('operation'), id: z.string().min(1).max(100) }),
])
export type AgentQuery = z.infer<typeof agentQuerySchema>

/** A method of the contract, in the same process or another. */
export type IpcCallFunction = <M extends MethodName>(method: M, input: IpcInput<M>) => Promise<IpcOutput<M>>

/** Answers a query by the methods that the page uses; `toBase64` is the platform's. Throws what they throw. */
export async function runAgentQuery(
  call: IpcCallFunction,
  query: AgentQuery,
  toBase64: (bytes: ArrayBuffer) => string,
): Promise<unknown> {
  switch (query.ask) {
    case 'findings':
      return call('findings.list', { offset: query.offset, limit: query.limit })
    case 'exchanges':
      return findExchanges(call, query)
    case 'exchange': {
      const { seq } = query
      const [detail, { findings }] = await Promise.all([
        call('traffic.exchange', { seq }),
        call('findings.of', { seq }),
      ])
      return { ...detail, findings }
    }
    case 'body': {
      const { seq, side, start } = query
      const { bytes } = await call('traffic.body', { seq, side, start, end: start + MAX_BODY_CHUNK_BYTES })
      return { base64: toBase64(bytes) }
    }
    case 'operations':
      return call('operations.list', query.filter)
    case 'operation':
      return call('operations.get', { id: query.id })
  }
}

/** The newest first. */
async function findExchanges(
  call: IpcCallFunction,
  { filter, offset, limit }: Extract<AgentQuery, { ask: 'exchanges' }>,
): Promise<unknown> {
  const sort = { by: 'time', descending: true } as const
  const { bytes, meta } = await call('traffic.find', { filter, sort })
  const seqs = [...new Uint32Array(bytes).subarray(offset, offset + limit)]
  const { rows } = await call('traffic.rows', { seqs })
  return { rows, total: meta.total, incomplete: meta.incomplete }
}

type Row = Pick<Endpoint, 'id' | 'access' | 'returnsSecret' | 'createsProfile' | 'isUpload'>

/**
 * Whether an agent may propose this write: neither what hands out a token nor what takes a file, nor the host's own channel for agents, which
 * could call whatever this leaves out.
 */
export const isProposable = ({ id, access, returnsSecret, createsProfile, isUpload }: Row): boolean =>
  access !== 'read' && !returnsSecret && !createsProfile && !isUpload && id !== 'mcp.post'

/** Throws `PARAM_SEGMENT` for an id of an agent's path that a panel could not send either, such as `../../pair`. */
export function assertPlainSegments(params: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(params)) {
    if (value === '' || isPlainSegment(value)) continue
    throw createRefusedError(
      'PARAM_SEGMENT',
      `The parameter "${name}" must be one segment of a path, without dots alone, slashes or backslashes, also when it is decoded. Nothing was sent.`,
      { name },
    )
  }
}

/** File of the data directory, for its owner only, that says where the running app takes proposals. */
export const AGENT_SOCKET_FILE = 'agents.json'

export const agentSocketSchema = z.strictObject({
  /** A socket, or a named pipe of Windows. */
  path: z.string().min(1).max(500),
  /** Whoever can read this file may propose. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
})
export type AgentSocket = z.infer<typeof agentSocketSchema>

/** The first line of an agent: whoever does not send it is not listened to. */
export const agentKeySchema = agentSocketSchema.pick({ key: true })
export const MAX_KEY_LINE_BYTES = 200

/** A write that an agent would like to be made: its second line, the last. It holds no token, and gets none. */
const proposalSchema = z.strictObject({
  /** Name of the agent, as it gives it. */
  agent: z.string().min(1).max(100),
  /** The host that it means. */
  baseUrl: z.string().min(1).max(2000),
  draft: commandDraftSchema.pick({ endpoint: true, params: true, query: true, body: true }),
  /** How long the outcome is waited for once it was sent, in milliseconds. */
  settleMs: z.number().int().min(0).max(600_000),
})
export type Proposal = z.infer<typeof proposalSchema>
/** What an agent sends after its key. */
export const agentRequestSchema = z.union([proposalSchema, z.strictObject({ query: agentQuerySchema })])
export type AgentRequest = z.infer<typeof agentRequestSchema>
/** No write that a person could review comes close. */
export const MAX_PROPOSAL_BYTES = 500_000

/** What became of a write that a person let through. */
const outcomeSchema = z.strictObject({
  operationId: z.string(),
  state: z.enum(operationStates),
  verdict: operationVerdictSchema.shape.code,
  /** Of the host's answer; null without one. */
  status: z.number().int().nullable(),
  /** Code of the host's error, or of what kept the answer from coming. */
  code: z.string().nullable(),
  /** What is kept of the body, as JSON text. */
  answer: z.string().nullable(),
  cut: z.boolean(),
})
export type Outcome = z.infer<typeof outcomeSchema>

/** What the app answers, each on a line of its own; `ended`, `value` and `refused` are the last. */
export const agentMessageSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('waiting') }),
  z.strictObject({ kind: z.literal('sent') }),
  z.strictObject({ kind: z.literal('ended'), outcome: outcomeSchema }),
  /** What was asked for with a query. */
  z.strictObject({ kind: z.literal('value'), value: z.unknown() }),
  z.strictObject({ kind: z.literal('refused'), error: wireErrorSchema }),
])
export type AgentMessage = z.infer<typeof agentMessageSchema>
