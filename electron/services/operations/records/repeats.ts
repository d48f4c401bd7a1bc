import type { OperationEvent } from '../../../../shared/operations/events.ts'

/**
 * An observation as it is kept after these events: when a host says the same at the next look, the body is kept only once, with the time
 * of each look. It leads to the same state as the look before it.
 */
export function unrepeated(event: OperationEvent, events: readonly OperationEvent[]): OperationEvent {
  if (event.kind !== 'observation') return event
  const before = lastLook(events)
  if (before === null || said(before) !== said(event)) return event
  return { ...event, body: null, asBefore: true }
}

/** The look at the end of the record that still has its body; null if something else was seen since. */
function lastLook(events: readonly OperationEvent[]) {
  for (const event of events.toReversed()) {
    if (event.kind !== 'observation') return null
    if (event.asBefore !== true) return event
  }
  return null
}

const said = ({ source, status, body, matches }: Extract<OperationEvent, { kind: 'observation' }>): string =>
  JSON.stringify([source, status, matches, body])
