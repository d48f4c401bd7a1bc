// Derives the state and the verdict of an operation from its events. Nothing here sends a request
// or changes a record. Read this file first, then verdict.ts and effect.ts.
import type { CommandKind } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { getCommandKind } from '../../../../shared/bridge/endpoints/index.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { getNextSteps } from './next-steps.ts'
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
  /** Index of the event that led to this state. */
  readonly event: number
}

export interface DerivedOperation {
  readonly state: OperationState
  readonly transitions: readonly Transition[]
  readonly facts: OperationFacts
}

/**
 * The state machine of operations (spec §2 acknowledgements, §3, §4 pencil-commit and pencil-
 * result, §7). It is pure: the same events give the same state, whatever a host puts into its
 * bodies. An event that leads nowhere leaves the state unchanged.
 *
 * | from | event | to |
 * |---|---|---|
 * | (none) | intent | prepared |
 * | (none) | observation (a watched request id) | as from a pending one |
 * | (none) | record-gone (a watched request id) | unknown-no-record |
 * | prepared | sent | sent |
 * | prepared | app-ended, failure | not-sent |
 * | sent | error object or 4xx, but not 5xx and not a timeout | conflict (1) · refused |
 * | sent | no 2xx otherwise, or not the promised acknowledgement | unknown-no-answer |
 * | sent | successful response | pending (pencil, session) · persisted, unconfirmed (2) |
 * | sent | acknowledgement of a session command with `settled: true` | settled |
 * | sent | failure | not-sent · unknown-no-answer (`reached: maybe`) |
 * | sent | app-ended | unknown-app-ended |
 * | pending, unknown-*, given-up | observation of the outcome | settled · recorded (3) |
 * | unknown-* | any other observation | pending |
 * | pending, unknown-* | host-restarted | unknown-host-restart |
 * | pending, unknown-* | record-gone | unknown-no-record (4) · unknown-host-restart |
 * | pending, unknown-* | given-up | given-up |
 * | given-up | resumed | what it was before |
 *
 * (1) The request id is in use with another target. (2) All other commands, by `judgeOutcome`.
 * (3) A session record that names this request. (4) Reported by the run that the command was meant
 * for.
 *
 * An event that names another request id does not concern this operation. A request that is on its
 * way (sent) may still get its response, whatever else is observed. settled, recorded, persisted,
 * unconfirmed, conflict, refused and not-sent are final: later events change facts, never the
 * state.
 * @param sentNames names of the parameters and members that were sent; null if unknown.
 */
export function deriveOperation(
  endpointId: string,
  events: readonly OperationEvent[],
  requestId: string | null = null,
  sentNames: ReadonlySet<string> | null = null,
): DerivedOperation {
  const kind = getCommandKind(endpointId)
  let state: OperationState = 'prepared'
  let stateBeforeGivingUp: OperationState = 'pending'
  let facts = NO_FACTS
  const transitions: Transition[] = []
  events.forEach((event, index) => {
    const next = getNextState(
      { endpointId, kind, state, stateBeforeGivingUp, isFirst: transitions.length === 0, requestId, sentNames },
      event,
    )
    // The host's record under the request id of a refused command belongs to a different command.
    const isForeign = event.kind === 'observation' && transitions.length > 0 && unacceptedStates.has(state)
    if (!isForeign) facts = updateFacts(facts, event, requestId)
    if (next === null || (next === state && transitions.length > 0)) return
    if (next === 'given-up') stateBeforeGivingUp = state
    state = next
    transitions.push({ state, at: event.at, event: index })
  })
  return { state, transitions, facts }
}

interface StepContext {
  readonly endpointId: string
  readonly kind: CommandKind
  readonly state: OperationState
  /** The state in which watching was given up. */
  readonly stateBeforeGivingUp: OperationState
  readonly isFirst: boolean
  readonly requestId: string | null
  readonly sentNames: ReadonlySet<string> | null
}

function getNextState(
  { endpointId, kind, state, stateBeforeGivingUp, isFirst, requestId, sentNames }: StepContext,
  event: OperationEvent,
): OperationState | null {
  switch (event.kind) {
    case 'intent':
      return isFirst ? 'prepared' : null
    case 'sent':
      return isFirst || state === 'prepared' ? 'sent' : null
    case 'answer':
      return state === 'sent' ? getStateAfterResponse({ endpointId, kind, requestId, sentNames }, event) : null
    case 'failure':
      if (state === 'prepared' && !isFirst) return 'not-sent'
      return state === 'sent' ? (event.reached === 'no' ? 'not-sent' : 'unknown-no-answer') : null
    case 'app-ended':
      return state === 'sent' ? 'unknown-app-ended' : state === 'prepared' && !isFirst ? 'not-sent' : null
    case 'observation':
      return isFirst || getNextSteps(state).canPoll || state === 'given-up'
        ? getStateAfterObservation(kind, state, event, requestId)
        : null
    case 'record-gone':
      if (isFirst) return 'unknown-no-record'
      if (!getNextSteps(state).canPoll) return null
      // After a known restart, the later run cannot have a record of the command.
      return event.sameRun === true && state !== 'unknown-host-restart' ? 'unknown-no-record' : 'unknown-host-restart'
    case 'host-restarted':
      return getNextSteps(state).canPoll || isFirst ? 'unknown-host-restart' : null
    case 'given-up':
      return getNextSteps(state).canPoll ? 'given-up' : null
    case 'resumed':
      return state === 'given-up' ? stateBeforeGivingUp : null
    case 'read-back':
      return null
  }
}

type ResponseEvent = Extract<OperationEvent, { kind: 'answer' }>
type Observation = Extract<OperationEvent, { kind: 'observation' }>

type ResponseContext = Pick<StepContext, 'endpointId' | 'kind' | 'requestId' | 'sentNames'>

function getStateAfterResponse(
  { endpointId, kind, requestId, sentNames }: ResponseContext,
  response: ResponseEvent,
): OperationState {
  const { status, body, requestIdTaken } = response
  const code = errorCodeOf(body)
  if (isRefusal(status, code)) {
    // Only a different target is a conflict; an unfinished operation in the window is a refusal.
    // The contract shows neither their codes nor their statuses (spec §4, §7), so the facts about
    // the request id decide.
    return requestIdTaken === true ? 'conflict' : 'refused'
  }
  // A redirect, an error on the way to the host, or an error page of a proxy does not show whether
  // the host executed the command.
  if (status < 200 || status >= 300) return 'unknown-no-answer'
  if (kind !== 'plain') {
    if (!isObject(body) || isForOtherRequest(body, requestId)) return 'unknown-no-answer'
    // The values of an acknowledgement are examples (spec §2): a host may end the command at once.
    return kind === 'session' && getMember(body, 'settled') === true ? 'settled' : 'pending'
  }
  return judgeOutcome(endpointId, body, sentNames).done === 'yes' ? 'persisted' : 'unconfirmed'
}

/** Returns the new state, or null. A host that refuses the poll (busy) reports no outcome. */
function getStateAfterObservation(
  kind: CommandKind,
  state: OperationState,
  observation: Observation,
  requestId: string | null,
): OperationState | null {
  const { body, source, matches } = observation
  if (!hasRequestedRecord(observation, requestId)) return null
  if (source === 'session-record') {
    if (kind !== 'session') return null
    return matches === true ? 'recorded' : null
  }
  if (kind !== 'pencil') return null
  if (getMember(body, 'settled') === true) return 'settled'
  return state === 'given-up' ? null : 'pending'
}
