import { told } from '../fate/effect.ts'
import type { Derived } from '../fate/state.ts'
import type { OperationEvent, OperationState } from '../../../../shared/operations/events.ts'
import { filledText, member } from '../../../../shared/json/object.ts'

/** States that say how long it took: what the host said last, or that it said nothing in time. */
const ended: ReadonlySet<OperationState> = new Set([...told, 'unknown-no-answer'])

/** Milliseconds from the sending of a command to what is known of its end; null while that is open, and without a sending. */
export function durationOf(
  { state, transitions }: Pick<Derived, 'state' | 'transitions'>,
  events: readonly OperationEvent[],
): number | null {
  const sent = events.find(({ kind }) => kind === 'sent')
  const last = transitions.at(-1)
  if (!sent || !last || !ended.has(state)) return null
  // The clock may have been set back in between.
  return Math.max(0, last.at - sent.at)
}

/** Code of what kept a command or its answer from getting through; null once the host has answered. */
export function failureCodeIn(events: readonly OperationEvent[]): string | null {
  if (events.some(({ kind }) => kind === 'answer')) return null
  const last = events.findLast((event) => event.kind === 'failure')
  return last?.kind === 'failure' ? filledText(member(last.error, 'code')) : null
}
