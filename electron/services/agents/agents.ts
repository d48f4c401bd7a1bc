import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { hostAt } from '../../../shared/bridge/same-host.ts'
import { cancelled, refused } from '../../../shared/errors.ts'
import { toVisibleName } from '../../../shared/format/invisible.ts'
import type { AgentAsk, WaitingAsk } from '../../../shared/ipc/agents.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'
import {
  answerQuery,
  type CallMethod,
  assertPlainSegments,
  isProposable,
  type AgentMessage,
  type Outcome,
  type Proposal,
} from '../../../shared/ipc/agent-socket.ts'
import { Asks } from '../asks.ts'
import type { Connection } from '../bridge/connection/connection.ts'
import type { Bus } from '../bus.ts'
import type { Log } from '../files/log.ts'
import { hereOf } from '../bridge/connection/connected-host.ts'
import type { Operations } from '../operations/operations.ts'
import { listenToAgents, type Serve } from './listener.ts'

interface Options {
  readonly dataDir: string
  readonly bus: Bus
  readonly log: Log
  readonly connection: Connection
  readonly operations: Pick<Operations, 'prepare' | 'drop' | 'send'>
  /** A record as it is now. */
  readonly recordOf: (id: string) => Operation
  /** Removes every known token from a text. */
  readonly conceal: (text: string) => string
}

/** Writes that agents propose: each is shown to a person as it would be sent, and goes through the one gate once they let it. */
export interface Agents {
  asks(): WaitingAsk[]
  /** One of them, as it would be sent. Throws `ASK_UNKNOWN`. */
  ask(id: string): AgentAsk
  /** Throws `ASK_UNKNOWN`. */
  decide(id: string, send: boolean): void
  /** Takes proposals, and questions that `call` answers, from now on; where that is not possible, the log says why. */
  listen(call: CallMethod): Promise<void>
  close(): Promise<void>
}

export function createAgents({ dataDir, bus, log, connection, operations, recordOf, conceal }: Options): Agents {
  const asks = new Asks<Pick<AgentAsk, 'agent' | 'prepared'>>(() => bus.publish('agents.changed', { asks: waiting() }))
  const waiting = (): WaitingAsk[] => asks.all.map(({ id, at, agent }) => ({ id, at, agent }))
  let stop: (() => Promise<void>) | null = null

  async function propose(
    { agent: name, baseUrl, draft, settleMs }: Proposal,
    tell: (message: AgentMessage) => void,
    signal: AbortSignal,
  ): Promise<AgentMessage> {
    // It is shown where a person decides: nothing in it may pass for something else.
    const agent = toVisibleName(conceal(name)) || 'unnamed'
    assertProposable(draft)
    const here = hereOf(connection)
    if (!hostAt(here.target.baseUrl)(baseUrl)) {
      throw refused(
        'OTHER_HOST',
        'The app is connected to another host than the agent. Nothing was sent: connect it to the same one, then propose again.',
      )
    }
    const prepared = operations.prepare({ ...draft, caller: 'agent' })
    tell({ kind: 'waiting' })
    const decided = await asks.wait({ agent, prepared }, signal)
    if (decided !== 'send') operations.drop(prepared.ticket)
    if (decided === 'full') throw refused('TOO_MANY_WAIT', 'Too many writes of agents wait already. Nothing was sent.')
    if (decided === 'gone') throw cancelled()
    if (decided !== 'send') throw refused('REFUSED_BY_PERSON', 'The person who was asked refused it. Nothing was sent.')
    tell({ kind: 'sent' })
    const origin = { kind: 'agent' as const, label: agent }
    const sent = await operations.send(prepared.ticket, { origin, onAnswer: () => undefined })
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
    asks: waiting,
    ask: (id) => asks.get(id),
    decide: (id, send) => asks.decide(id, send ? 'send' : 'refuse'),
    async listen(call) {
      const serve: Serve = async (request, tell, signal) =>
        'query' in request
          ? { kind: 'value', value: await answerQuery(call, request.query, toBase64) }
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
    throw refused('NOT_PROPOSABLE', 'This is no write of the contract that an agent can propose. Nothing was sent.')
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
