import type { CommandKind } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { getCommandKind } from '../../../../shared/bridge/endpoints/index.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import {
  updateFacts,
  isForOtherRequest,
  isRefusal,
  NO_FACTS,
  hasRequestedRecord,
  type OperationFacts,
  judgeOutcome,
} from './reported-facts.ts'
import { getMember, isObject } from '../../../../shared/json/object.ts'
import {
  unacceptedStates,
  type OperationEvent,
  type OperationState,
} from '../../../../shared/operations/operation-events.ts'

export interface Transition {
  readonly state: OperationState
  readonly at: number
  /** Place of the event that led there. */
  readonly event: number
}

export interface DerivedOperation {
  readonly state: OperationState
  readonly transitions: readonly Transition[]
  readonly facts: OperationFacts
}

/**
 * The one state machine of operations (spec §2 acknowledgements, §3, §4 pencil-commit and pencil-result, §7). Pure: the same events give
 * the same state, whatever a host puts into its bodies. An event that leads nowhere leaves the state unchanged.
 *
 * | from | event | to |
 * |---|---|---|
 * | (none) | intent | prepared |
 * | (none) | observation (a watched request id) | as from a pending one |
 * | (none) | record-gone (a watched request id) | unknown-no-record |
 * | prepared | sent | sent |
 * | prepared | app-ended, failure | not-sent |
 * | sent | answer: error object, or 4xx; not 5xx, not a timeout | conflict (the request id is in use with another target) · refused |
 * | sent | answer: otherwise no 2xx, or no acknowledgement of this request although one was promised | unknown-no-answer |
 * | sent | answer: success | pending (pencil, session) · persisted or unconfirmed (others: depending on whether their row calls it done, `judgeOutcome`) |
 * | sent | failure | not-sent · unknown-no-answer (`reached: maybe`) |
 * | sent | app-ended | unknown-app-ended |
 * | pending, unknown-*, given-up | observation that says the outcome | settled · recorded (session record that names this request) |
 * | unknown-* | any other observation | pending |
 * | pending, unknown-* | host-restarted | unknown-host-restart |
 * | pending, unknown-* | record-gone | unknown-no-record (if said by the run that it was meant for) · unknown-host-restart |
 * | pending, unknown-* | given-up | given-up |
 * | given-up | resumed | what it was before |
 *
 * An event that names another request id does not concern this operation. A request that is on its way (sent) may still be answered,
 * whatever else is seen. settled, recorded, persisted, unconfirmed, conflict, refused and not-sent are final: what comes later changes
 * facts, never the state. `asked`: names of the parameters and members that were sent, if known.
 */
export function deriveOperation(
  endpointId: string,
  events: readonly OperationEvent[],
  requestId: string | null = null,
  asked: ReadonlySet<string> | null = null,
): DerivedOperation {
  const kind = getCommandKind(endpointId)
  let state: OperationState = 'prepared'
  let before: OperationState = 'pending'
  let facts = NO_FACTS
  const transitions: Transition[] = []
  events.forEach((event, place) => {
    const next = step({ endpointId, kind, state, before, first: transitions.length === 0, requestId, asked }, event)
    // A command that the host refused has no outcome: what the host holds under its request id belongs to another one.
    const foreign = event.kind === 'observation' && transitions.length > 0 && unacceptedStates.has(state)
    if (!foreign) facts = updateFacts(facts, event, requestId)
    if (next === null || (next === state && transitions.length > 0)) return
    if (next === 'given-up') before = state
    state = next
    transitions.push({ state, at: event.at, event: place })
  })
  return { state, transitions, facts }
}

const open: ReadonlySet<OperationState> = new Set([
  'pending',
  'unknown-no-answer',
  'unknown-host-restart',
  'unknown-no-record',
  'unknown-app-ended',
])

/** Whether an outcome may still come: such a record is looked at again. */
export const isOpenState = (state: OperationState): boolean => state === 'sent' || open.has(state)

interface Where {
  readonly endpointId: string
  readonly kind: CommandKind
  readonly state: OperationState
  /** The state in which it was given up. */
  readonly before: OperationState
  readonly first: boolean
  readonly requestId: string | null
  readonly asked: ReadonlySet<string> | null
}

function step(
  { endpointId, kind, state, before, first, requestId, asked }: Where,
  event: OperationEvent,
): OperationState | null {
  switch (event.kind) {
    case 'intent':
      return first ? 'prepared' : null
    case 'sent':
      return first || state === 'prepared' ? 'sent' : null
    case 'answer':
      return state === 'sent' ? answered({ endpointId, kind, requestId, asked }, event) : null
    case 'failure':
      if (state === 'prepared' && !first) return 'not-sent'
      return state === 'sent' ? (event.reached === 'no' ? 'not-sent' : 'unknown-no-answer') : null
    case 'app-ended':
      return state === 'sent' ? 'unknown-app-ended' : state === 'prepared' && !first ? 'not-sent' : null
    case 'observation':
      return first || open.has(state) || state === 'given-up' ? observed(kind, state, event, requestId) : null
    case 'record-gone':
      if (first) return 'unknown-no-record'
      if (!open.has(state)) return null
      // A known restart stands: a later run cannot have a record of it.
      return event.sameRun === true && state !== 'unknown-host-restart' ? 'unknown-no-record' : 'unknown-host-restart'
    case 'host-restarted':
      return open.has(state) || first ? 'unknown-host-restart' : null
    case 'given-up':
      return open.has(state) ? 'given-up' : null
    case 'resumed':
      return state === 'given-up' ? before : null
    case 'read-back':
      return null
  }
}

type Answer = Extract<OperationEvent, { kind: 'answer' }>
type Observation = Extract<OperationEvent, { kind: 'observation' }>

type Asked = Pick<Where, 'endpointId' | 'kind' | 'requestId' | 'asked'>

function answered({ endpointId, kind, requestId, asked }: Asked, answer: Answer): OperationState {
  const { status, body, requestIdTaken } = answer
  const code = errorCodeOf(body)
  if (isRefusal(status, code)) {
    // Only another target is a conflict; an unfinished operation in the window is a refusal. The contract shows neither code nor status for
    // them (spec §4, §7), so what is known about the request id decides.
    return requestIdTaken === true ? 'conflict' : 'refused'
  }
  // A redirect, an error on the host's way, or an error page from something in between: nobody said what became of the command.
  if (status < 200 || status >= 300) return 'unknown-no-answer'
  if (kind !== 'plain') return isObject(body) && !isForOtherRequest(body, requestId) ? 'pending' : 'unknown-no-answer'
  return judgeOutcome(endpointId, body, asked).done === 'yes' ? 'persisted' : 'unconfirmed'
}

/** Only a real answer says anything: a busy host's refusal to be asked is no outcome. */
function observed(
  kind: CommandKind,
  state: OperationState,
  look: Observation,
  requestId: string | null,
): OperationState | null {
  const { body, source, matches } = look
  if (!hasRequestedRecord(look, requestId)) return null
  if (source === 'session-record') {
    if (kind !== 'session') return null
    return matches === true ? 'recorded' : null
  }
  if (kind !== 'pencil') return null
  if (getMember(body, 'settled') === true) return 'settled'
  return state === 'given-up' ? null : 'pending'
}
