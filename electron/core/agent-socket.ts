import { findingClasses } from '../../shared/protocol/finding.ts'
import { z } from 'zod'
import { wireErrorSchema, createRefusedError, type AppError } from '../../shared/errors.ts'
import { commandDraftSchema } from '../../shared/operations/prepared-write.ts'
import { operationStates } from '../../shared/operations/operation-events.ts'
import { operationVerdictSchema } from '../../shared/operations/operation-verdict.ts'
import type { Endpoint } from '../../shared/bridge/endpoints/endpoint.ts'
import { isPlainSegment } from '../../shared/bridge/endpoints/path-template.ts'
import { findInitiatorPlace, formatInitiatorPlace } from '../../shared/traffic/call-initiator.ts'
import type { RecordedWrite } from '../../shared/snapshots/cause.ts'
import { trafficFilterSchema } from '../../shared/traffic/traffic-filter.ts'
import type { IpcInput, MethodName, IpcOutput } from '../../shared/ipc/index.ts'
import { operationFilterSchema } from '../../shared/ipc/operations.ts'

const offsetSchema = z.number().int().nonnegative()
const limitSchema = z.number().int().min(1).max(200)
const seqSchema = z.number().int().positive()

const MAX_BODY_CHUNK_BYTES = 1_000_000

/** Agents ask for records of the running app. No query changes anything. */
const agentQuerySchema = z.discriminatedUnion('ask', [
  z.strictObject({ ask: z.literal('source') }),
  z.strictObject({
    ask: z.literal('findings'),
    offset: offsetSchema,
    limit: limitSchema,
    class: z.enum(findingClasses).optional(),
  }),
  z.strictObject({
    ask: z.literal('exchanges'),
    filter: trafficFilterSchema,
    offset: offsetSchema,
    limit: limitSchema,
  }),
  z.strictObject({ ask: z.literal('exchange'), seq: seqSchema }),
  z.strictObject({
    ask: z.literal('body'),
    seq: seqSchema,
    side: z.enum(['request', 'response']),
    start: offsetSchema,
  }),
  z.strictObject({ ask: z.literal('operations'), filter: operationFilterSchema.extend({ limit: limitSchema }) }),
  z.strictObject({ ask: z.literal('operation'), id: z.string().min(1).max(100) }),
  z.strictObject({
    ask: z.literal('changes'),
    topicid: z.string().min(1).max(500),
    /** Epoch milliseconds; without it, the snapshot before the newest one is compared. */
    since: z.number().optional(),
    offset: offsetSchema,
    limit: limitSchema,
  }),
])
export type AgentQuery = z.infer<typeof agentQuerySchema>

export interface QuerySource {
  /** Title of the recording that the app shows in place of a host; null if it shows none. */
  readonly recording: string | null
}

/** Calls a method of the IPC contract, in this process or in the service process. */
export type IpcCallFunction = <M extends MethodName>(method: M, input: IpcInput<M>) => Promise<IpcOutput<M>>

/**
 * Runs a query with the methods that the page uses.
 * @param toBase64 encodes bytes with the means of the platform
 * @throws the errors of these methods
 */
export async function runAgentQuery(
  call: IpcCallFunction,
  query: AgentQuery,
  toBase64: (bytes: ArrayBuffer) => string,
): Promise<unknown> {
  switch (query.ask) {
    case 'source': {
      // The thread of traffic has then judged what it was sent before.
      const [{ recording }] = await Promise.all([call('app.info', {}), call('traffic.info', {})])
      return { recording: recording?.title ?? null } satisfies QuerySource
    }
    case 'findings':
      return call('findings.list', { offset: query.offset, limit: query.limit, class: query.class })
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
    case 'changes':
      return findChanges(call, query)
  }
}

/** Finds recorded exchanges that match a query, newest first. */
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

/**
 * Compares the newest whole snapshot of a study set with the last one until a time.
 * @throws SNAPSHOT_UNKNOWN if none is kept
 */
async function findChanges(
  call: IpcCallFunction,
  { topicid, since, offset, limit }: Extract<AgentQuery, { ask: 'changes' }>,
): Promise<unknown> {
  const { snapshots } = await call('snapshots.list', { topicid })
  const wholeSnapshots = snapshots.filter(({ gaps }) => gaps.length === 0)
  const choices = wholeSnapshots.length > 0 ? wholeSnapshots : snapshots
  const [after] = choices
  if (!after) throw createNoSnapshotError()
  // The same study set on another host is not an earlier state of this one.
  const states = choices.filter(({ host }) => host === after.host)
  const before = since === undefined ? states[1] : states.find(({ endedAt }) => endedAt <= since)
  const comparison = await call('snapshots.compare', {
    topicid,
    before: (before ?? states.at(-1) ?? after).id,
    after: after.id,
    layout: 'list',
    offset,
    limit,
  })
  const rows: unknown[] = []
  for (const row of comparison.rows) {
    if (row.row !== 'change') continue
    const writes: unknown[] = []
    for (const write of row.cause.writes) writes.push(await withRecord(call, write))
    rows.push({ ...row, cause: { ...row.cause, writes } })
  }
  // Without an earlier snapshot the changes are only those since the oldest one, and without a
  // later one nobody knows what has changed since.
  const facts = { coversSince: before !== undefined, readSince: since === undefined || after.seenAt >= since }
  return { ...comparison, ...facts, rows }
}

/** Adds by what the record of a call is found, and the line of a panel that made the call. */
async function withRecord(call: IpcCallFunction, write: RecordedWrite): Promise<unknown> {
  const { exchangeId } = write
  if (exchangeId === null) return write
  const detail = await call('traffic.exchange', { id: exchangeId }).catch(() => null)
  const place = detail?.initiator ? findInitiatorPlace(detail.initiator) : null
  return { ...write, seq: detail?.row.seq ?? null, line: place && formatInitiatorPlace({ ...place, column: null }) }
}

const createNoSnapshotError = (): AppError =>
  createRefusedError(
    'SNAPSHOT_UNKNOWN',
    'No snapshot of this study set is kept. The running app keeps one of each card listing that it reads, for example when the study set is opened.',
  )

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
  /** Only programs that can read this file can propose, because the app requires the key. */
  key: z.string().regex(/^[0-9a-f]{64}$/),
})
export type AgentSocket = z.infer<typeof agentSocketSchema>

/** The first line that an agent sends; without it, the app closes the connection. */
export const agentKeySchema = agentSocketSchema.pick({ key: true })
export const MAX_KEY_LINE_BYTES = 200

/** The second and last line that an agent sends, to propose a write. It contains no token. */
const proposalSchema = z.strictObject({
  /** The agent chooses this name itself. */
  agent: z.string().min(1).max(100),
  /** Base URL of the host that the agent is connected to. */
  baseUrl: z.string().min(1).max(2000),
  draft: commandDraftSchema.pick({ endpoint: true, params: true, query: true, body: true }),
  /** Milliseconds for which the app waits for the outcome after sending. */
  settleMs: z.number().int().min(0).max(600_000),
})
export type Proposal = z.infer<typeof proposalSchema>
/** The request that follows the key on the second line. */
export const agentRequestSchema = z.union([proposalSchema, z.strictObject({ query: agentQuerySchema })])
export type AgentRequest = z.infer<typeof agentRequestSchema>
/** No write that a person could review comes close to this size. */
export const MAX_PROPOSAL_BYTES = 500_000

/** The outcome of a write that a person approved. */
const outcomeSchema = z.strictObject({
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

/** Messages from the app to an agent, one per line; `ended`, `value` and `refused` are the last. */
export const agentMessageSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('waiting') }),
  z.strictObject({ kind: z.literal('sent') }),
  z.strictObject({ kind: z.literal('ended'), outcome: outcomeSchema }),
  z.strictObject({ kind: z.literal('value'), value: z.unknown() }),
  z.strictObject({ kind: z.literal('refused'), error: wireErrorSchema }),
])
export type AgentMessage = z.infer<typeof agentMessageSchema>
