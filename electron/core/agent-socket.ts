import { z } from 'zod'
import { wireErrorSchema, createRefusedError } from '../../shared/errors.ts'
import { commandDraftSchema } from '../../shared/operations/prepared-write.ts'
import { operationStates } from '../../shared/operations/operation-events.ts'
import { operationVerdictSchema } from '../../shared/operations/operation-verdict.ts'
import type { Endpoint } from '../../shared/bridge/endpoints/endpoint.ts'
import { isPlainSegment } from '../../shared/bridge/endpoints/path-template.ts'
import type { IpcInput, MethodName, IpcOutput } from '../../shared/ipc/index.ts'

/** Calls a method of the IPC contract, in this process or in the service process. */
export type IpcCallFunction = <M extends MethodName>(method: M, input: IpcInput<M>) => Promise<IpcOutput<M>>

/** Agents may call these methods in the running app. They read its records and change nothing. */
const agentMethods = [
  'app.info',
  'findings.list',
  'findings.of',
  'operations.get',
  'operations.list',
  'snapshots.compare',
  'snapshots.list',
  'traffic.body',
  'traffic.exchange',
  'traffic.find',
  'traffic.info',
  'traffic.rows',
] as const satisfies readonly MethodName[]
type AgentMethod = (typeof agentMethods)[number]
export type AgentCallFunction = <M extends AgentMethod>(method: M, input: IpcInput<M>) => Promise<IpcOutput<M>>

type Row = Pick<Endpoint, 'id' | 'access' | 'returnsSecret' | 'createsProfile' | 'isUpload'>

/**
 * True if an agent may propose this write. Endpoints that return a token or take a file are
 * excluded, and so is the host's own channel for agents, which could call any other route.
 */
export function isProposable({ id, access, returnsSecret, createsProfile, isUpload }: Row): boolean {
  return access !== 'read' && !returnsSecret && !createsProfile && !isUpload && id !== 'mcp.post'
}

/** @throws PARAM_SEGMENT when a value is not a single path segment, such as `../../pair` */
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

/** Readable only by its owner; has the address at which the app accepts proposals. */
export const AGENT_SOCKET_FILE = 'agents.json'

export const agentSocketSchema = z.strictObject({
  /** Path of a Unix socket or a Windows named pipe. */
  path: z.string().min(1).max(500),
  /** Only programs that can read this file can propose, because each request carries the key. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
})
export type AgentSocket = z.infer<typeof agentSocketSchema>
/** Every request to the socket names this host. */
export const AGENT_SOCKET_HOST_HEADER = 'bridge-inspector'
export function toAuthorization(key: string): string {
  return `Bearer ${key}`
}

/** A write that an agent proposes. It contains no token. */
const proposalSchema = z.strictObject({
  /** The agent chooses this name itself. */
  agent: z.string().min(1).max(100),
  baseUrl: z.string().min(1).max(2000),
  draft: commandDraftSchema.pick({ endpoint: true, params: true, query: true, body: true }),
})
export type Proposal = z.infer<typeof proposalSchema>
export const agentRequestSchema = z.union([
  proposalSchema,
  z.strictObject({ method: z.enum(agentMethods), input: z.unknown() }),
])
export type AgentRequest = z.infer<typeof agentRequestSchema>
/** No write that a person could review comes close to this size. */
export const MAX_PROPOSAL_BYTES = 500_000

/** The outcome of a write that a person approved. */
export const outcomeSchema = z.strictObject({
  operationId: z.string(),
  state: z.enum(operationStates),
  verdict: operationVerdictSchema.shape.code,
  /** The HTTP status is null without a response. */
  status: z.number().int().nullable(),
  /** Code of the host's error, or of the failure to get a response. */
  code: z.string().nullable(),
  /** JSON text of the stored part of the response body. */
  answer: z.string().nullable(),
  cut: z.boolean(),
})
export type ProposalOutcome = z.infer<typeof outcomeSchema>

/** Messages from the app to an agent, one per line; `ended` and `refused` are the last. */
export const agentMessageSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['waiting', 'sent']) }),
  z.strictObject({ kind: z.literal('ended'), value: z.unknown() }),
  z.strictObject({ kind: z.literal('refused'), error: wireErrorSchema }),
])
export type AgentMessage = z.infer<typeof agentMessageSchema>
export type ProposalStage = Extract<AgentMessage, { kind: 'waiting' | 'sent' }>['kind']
