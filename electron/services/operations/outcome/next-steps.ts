import type { OperationState } from '../../../../shared/operations/operation-events.ts'

/** Events and actions possible in a state, which is derived in `derived-operation.ts`. */
interface NextSteps {
  /** The outcome may still change. */
  readonly isOpen: boolean
  /** The host may be polled for the outcome. False while the response itself is expected. */
  readonly canPoll: boolean
  /** The state says how the command ended, so that later changes have other causes. */
  readonly isConclusive: boolean
  /** The host may be working on the command, even if it is no longer watched here. */
  readonly mayBeRunning: boolean
  readonly canReadBack: boolean
  /** Its ticket cannot be used again, because the host may have executed the command. */
  readonly isTicketSpent: boolean
  /** The user is notified of the change to this state. */
  readonly needsAttention: boolean
}

const BEFORE_RESPONSE = {
  isOpen: false,
  canPoll: false,
  isConclusive: false,
  mayBeRunning: false,
  canReadBack: false,
  isTicketSpent: true,
  needsAttention: false,
} as const satisfies NextSteps
const AWAITED = { ...BEFORE_RESPONSE, isOpen: true, mayBeRunning: true } as const satisfies NextSteps
const UNKNOWN = { ...AWAITED, canPoll: true, canReadBack: true, needsAttention: true } as const satisfies NextSteps
const ENDED = {
  ...BEFORE_RESPONSE,
  isConclusive: true,
  canReadBack: true,
  needsAttention: true,
} as const satisfies NextSteps

const NEXT_STEPS: Readonly<Record<OperationState, NextSteps>> = {
  prepared: BEFORE_RESPONSE,
  sent: AWAITED,
  pending: { ...AWAITED, canPoll: true },
  'not-sent': { ...BEFORE_RESPONSE, isTicketSpent: false, needsAttention: true },
  'unknown-no-answer': UNKNOWN,
  'unknown-app-ended': UNKNOWN,
  // The run of the host that knew the command is over, or has lost its record.
  'unknown-host-restart': { ...UNKNOWN, mayBeRunning: false },
  'unknown-no-record': { ...UNKNOWN, mayBeRunning: false },
  'given-up': { ...UNKNOWN, isOpen: false, canPoll: false },
  settled: ENDED,
  recorded: ENDED,
  persisted: ENDED,
  unconfirmed: ENDED,
  conflict: ENDED,
  refused: { ...ENDED, isTicketSpent: false },
}

export function getNextSteps(state: OperationState): NextSteps {
  return NEXT_STEPS[state]
}

/** True if the time from sending the command to this state is how long the host took for it. */
export function hasDuration(state: OperationState): boolean {
  return getNextSteps(state).isConclusive || state === 'unknown-no-answer'
}
