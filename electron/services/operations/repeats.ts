import type { OperationEvent } from '../../../shared/bridge/operation-states.ts'

/**
 * An observation as it is kept after these events: what a host says again at the next look is kept once, with the time of each. It leads to
 * no other state than the look before it, which says the same.
 */
export function unrepeated(event: OperationEvent, events: readonly OperationEvent[]): OperationEvent {
  if (event.kind !== 'observation') return event
  const before = lastLook(events)
  if (before === null || said(before) !== said(event)) return event
  return { ...event, body: null, asBefore: true }
}

/** The look that ends the record and still has its body; null where something else was seen since. */
function lastLook(events: readonly OperationEvent[]) {
  for (const event of events.toReversed()) {
    if (event.kind !== 'observation') return null
    if (event.asBefore !== true) return event
  }
  return null
}

const said = ({ source, status, body, matches }: Extract<OperationEvent, { kind: 'observation' }>): string =>
  JSON.stringify([source, status, matches, body])
