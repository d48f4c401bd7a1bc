import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { wireErrorSchema, type WireError } from '../../../shared/errors.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'

/** Returns the error because of which the host did not respond; null once it has responded. */
export function findDeliveryFailure({ summary, events }: Operation): WireError | null {
  if (summary.errorCode !== null || events.some(({ kind }) => kind === 'answer')) return null
  const last = events.findLast((event) => event.kind === 'failure')
  if (last?.kind !== 'failure') return null
  // The journal is also written by other versions of this program, so the error is parsed.
  const parsed = wireErrorSchema.safeParse(last.error)
  return parsed.success ? parsed.data : null
}

/** The host's own code, or that of a failed attempt to reach it; null without a failure. */
export function findErrorCode(operation: Operation): string | null {
  return operation.summary.errorCode ?? findDeliveryFailure(operation)?.code ?? null
}

/** True if the host responded to the write, but not with JSON as the contract says. */
export function hasUnreadableResponse({ summary, events }: Operation): boolean {
  const response = events.findLast((event) => event.kind === 'answer')
  const isJsonExpected = findEndpointById(summary.endpoint)?.response.kind === 'json'
  return response?.kind === 'answer' && isJsonExpected && (response.body === null || response.body === undefined)
}

/** A failed attempt is recorded as *sent* before *not-sent*, but never passed that state. */
export function listPassedStates(transitions: Operation['transitions']): Operation['transitions'] {
  return transitions.filter(({ state }, index) => !(state === 'sent' && transitions[index + 1]?.state === 'not-sent'))
}
