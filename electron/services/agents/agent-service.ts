// Takes writes and queries that agents send over a socket, and shows the writes to a person.
// How a write is sent is in services/operations; the command line for agents is in cli.
// Read this file first, then listener.ts and client.ts.
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { createHostMatcher } from '../../../shared/bridge/host-matcher.ts'
import { createCancelledError, createRefusedError } from '../../../shared/errors.ts'
import { toVisibleName } from '../../../shared/format/invisible-characters.ts'
import type { AgentProposal, PendingProposal } from '../../../shared/ipc/agents.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'
import {
  runAgentQuery,
  type IpcCallFunction,
  assertPlainSegments,
  isProposable,
  type AgentMessage,
  type ProposalOutcome,
  type Proposal,
} from '../../../shared/ipc/agent-socket.ts'
import { AskQueue } from '../ask-queue.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { Bus } from '../bus.ts'
import type { Log } from '../files/log.ts'
import { getConnectedHost } from '../bridge/connection/connected-host.ts'
import type { Operations } from '../operations/operations.ts'
import { listenToAgents, type AgentRequestHandler } from './listener.ts'

interface Options {
  readonly dataDir: string
  readonly bus: Bus
  readonly log: Log
  readonly connection: Connection
  readonly operations: Pick<Operations, 'prepare' | 'drop' | 'send'>
  readonly getRecord: (id: string) => Operation
  /** Removes every known token from a text. */
  readonly conceal: (text: string) => string
}

/**
 * Takes writes that agents propose. Each is shown to a person as it would be sent, and goes through
 * the gate only when they approve it.
 */
export interface AgentService {
  listAsks(): PendingProposal[]
  /**
   * Returns a proposal as it would be sent.
   * @throws ASK_UNKNOWN when the proposal no longer waits
   */
  getAsk(id: string): AgentProposal
  /** @throws ASK_UNKNOWN when the proposal no longer waits */
  decide(id: string, send: boolean): void
  /**
   * Starts taking proposals, and queries that `call` handles. If that is not possible, the log says
   * why.
   */
  listen(call: IpcCallFunction): Promise<void>
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
    { agent: agentName, baseUrl, draft, settleMs }: Proposal,
    sendMessage: (message: AgentMessage) => void,
    signal: AbortSignal,
  ): Promise<AgentMessage> {
    // A person decides by this name, so characters that could disguise the name are replaced by
    // their codes.
    const agent = toVisibleName(conceal(agentName)) || 'unnamed'
    assertProposable(draft)
    const host = getConnectedHost(connection)
    if (!createHostMatcher(host.target.baseUrl)(baseUrl)) {
      throw createRefusedError(
        'OTHER_HOST',
        'The app is connected to another host than the agent. Nothing was sent: connect it to the same one, then propose again.',
      )
    }
    const prepared = operations.prepare({ ...draft, caller: 'agent' })
    sendMessage({ kind: 'waiting' })
    const decision = await askQueue.waitForDecision({ agent, prepared }, signal)
    if (decision !== 'send') operations.drop(prepared.ticket)
    if (decision === 'full')
      throw createRefusedError('TOO_MANY_WAIT', 'Too many writes of agents wait already. Nothing was sent.')
    if (decision === 'gone') throw createCancelledError()
    if (decision !== 'send')
      throw createRefusedError('REFUSED_BY_PERSON', 'The person who was asked refused it. Nothing was sent.')
    sendMessage({ kind: 'sent' })
    const origin = { kind: 'agent' as const, label: agent }
    const operation = await operations.send(prepared.ticket, { origin, onResponse: () => undefined })
    const finishedOperation = await waitForEnd(operation, settleMs, signal)
    return JSON.parse(conceal(JSON.stringify({ kind: 'ended', outcome: toOutcome(finishedOperation) }))) as AgentMessage
  }

  async function waitForEnd(record: Operation, ms: number, signal: AbortSignal): Promise<Operation> {
    const { id } = record.summary
    if (!isBeingWatched(record)) return record
    return new Promise((resolve) => {
      const finish = (): void => {
        unsubscribe()
        clearTimeout(timer)
        signal.removeEventListener('abort', finish)
        resolve(getRecord(id))
      }
      const unsubscribe = bus.subscribe(({ topic }) => {
        if (topic === 'operations.changed' && !isBeingWatched(getRecord(id))) finish()
      })
      const timer = setTimeout(finish, ms)
      signal.addEventListener('abort', finish, { once: true })
      // The command may have ended before the subscription began.
      if (!isBeingWatched(getRecord(id))) finish()
    })
  }

  return {
    listAsks: listPendingProposals,
    getAsk: (id) => askQueue.get(id),
    decide: (id, send) => askQueue.decide(id, send ? 'send' : 'refuse'),
    async listen(call) {
      const handleRequest: AgentRequestHandler = async (request, sendMessage, signal) =>
        'query' in request
          ? { kind: 'value', value: await runAgentQuery(call, request.query, toBase64) }
          : propose(request, sendMessage, signal)
      try {
        stopListening = await listenToAgents(dataDir, handleRequest)
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

const toBase64 = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString('base64')

/**
 * @throws NOT_PROPOSABLE when the endpoint is not one that agents may propose
 * @throws PARAM_SEGMENT when an id is ambiguous in a path, because hosts would read it differently
 */
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

const isBeingWatched = ({ summary }: Operation): boolean =>
  summary.tracking === 'polling' || summary.tracking === 'paused-offline'

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
