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
  type Outcome,
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
  /** A record as it is now. */
  readonly getRecord: (id: string) => Operation
  /** Removes every known token from a text. */
  readonly conceal: (text: string) => string
}

/** Writes that agents propose: each is shown to a person as it would be sent, and goes through the one gate once they let it. */
export interface AgentService {
  listAsks(): PendingProposal[]
  /** One of them, as it would be sent. Throws `ASK_UNKNOWN`. */
  getAsk(id: string): AgentProposal
  /** Throws `ASK_UNKNOWN`. */
  decide(id: string, send: boolean): void
  /** Takes proposals, and questions that `call` answers, from now on; where that is not possible, the log says why. */
  listen(call: IpcCallFunction): Promise<void>
  close(): Promise<void>
}

export function createAgentService({
  dataDir,
  bus,
  log,
  connection,
  operations,
  getRecord: recordOf,
  conceal,
}: Options): AgentService {
  const asks = new AskQueue<Pick<AgentProposal, 'agent' | 'prepared'>>(() =>
    bus.publish('agents.changed', { asks: waiting() }),
  )
  const waiting = (): PendingProposal[] => asks.all.map(({ id, at, agent }) => ({ id, at, agent }))
  let stop: (() => Promise<void>) | null = null

  async function propose(
    { agent: name, baseUrl, draft, settleMs }: Proposal,
    tell: (message: AgentMessage) => void,
    signal: AbortSignal,
  ): Promise<AgentMessage> {
    // It is shown where a person decides: nothing in it may pass for something else.
    const agent = toVisibleName(conceal(name)) || 'unnamed'
    assertProposable(draft)
    const here = getConnectedHost(connection)
    if (!createHostMatcher(here.target.baseUrl)(baseUrl)) {
      throw createRefusedError(
        'OTHER_HOST',
        'The app is connected to another host than the agent. Nothing was sent: connect it to the same one, then propose again.',
      )
    }
    const prepared = operations.prepare({ ...draft, caller: 'agent' })
    tell({ kind: 'waiting' })
    const decided = await asks.waitForDecision({ agent, prepared }, signal)
    if (decided !== 'send') operations.drop(prepared.ticket)
    if (decided === 'full')
      throw createRefusedError('TOO_MANY_WAIT', 'Too many writes of agents wait already. Nothing was sent.')
    if (decided === 'gone') throw createCancelledError()
    if (decided !== 'send')
      throw createRefusedError('REFUSED_BY_PERSON', 'The person who was asked refused it. Nothing was sent.')
    tell({ kind: 'sent' })
    const origin = { kind: 'agent' as const, label: agent }
    const sent = await operations.send(prepared.ticket, { origin, onResponse: () => undefined })
    const settled = await untilSettled(sent, settleMs, signal)
    return JSON.parse(conceal(JSON.stringify({ kind: 'ended', outcome: outcomeOf(settled) }))) as AgentMessage
  }

  async function untilSettled(record: Operation, ms: number, signal: AbortSignal): Promise<Operation> {
    const { id } = record.summary
    if (!isOpen(record)) return record
    return new Promise((resolve) => {
      const end = (): void => {
        unsubscribe()
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve(recordOf(id))
      }
      const unsubscribe = bus.subscribe(({ topic }) => {
        if (topic === 'operations.changed' && !isOpen(recordOf(id))) end()
      })
      const timer = setTimeout(end, ms)
      signal.addEventListener('abort', end, { once: true })
      // It may have ended before anybody listened.
      if (!isOpen(recordOf(id))) end()
    })
  }

  return {
    listAsks: waiting,
    getAsk: (id) => asks.get(id),
    decide: (id, send) => asks.decide(id, send ? 'send' : 'refuse'),
    async listen(call) {
      const serve: AgentRequestHandler = async (request, tell, signal) =>
        'query' in request
          ? { kind: 'value', value: await runAgentQuery(call, request.query, toBase64) }
          : propose(request, tell, signal)
      try {
        stop = await listenToAgents(dataDir, serve)
      } catch (error) {
        log.warn('agents cannot propose writes', { reason: error instanceof Error ? error.message : String(error) })
      }
    },
    async close() {
      await stop?.()
      stop = null
    },
  }
}

const toBase64 = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString('base64')

/** Only what the contract has, with ids that a host can read in one way only. Throws `NOT_PROPOSABLE`, `PARAM_SEGMENT`. */
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

const isOpen = ({ summary }: Operation): boolean =>
  summary.tracking === 'polling' || summary.tracking === 'paused-offline'

function outcomeOf({ summary, events }: Operation): Outcome {
  const answer = events.find((event) => event.kind === 'answer')
  return {
    operationId: summary.id,
    state: summary.state,
    verdict: summary.verdict.code,
    status: answer?.status ?? null,
    code: summary.errorCode ?? summary.failureCode,
    answer: answer === undefined ? null : JSON.stringify(answer.body),
    cut: answer?.cut ?? false,
  }
}
