import type { Transition } from '../outcome/derived-operation.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'

/**
 * Returns an observation in the form in which it is stored after these events. If a host repeats
 * its previous response, the body is dropped, because an earlier stored event has the same body.
 * Both events lead to the same state.
 */
export function mergeRepeatedObservation(event: OperationEvent, events: readonly OperationEvent[]): OperationEvent {
  if (event.kind !== 'observation') return event
  const previous = findLastObservation(events)
  if (previous === null || toComparisonKey(previous) !== toComparisonKey(event)) return event
  return { ...event, body: null, asBefore: true }
}

/** Null if the body was not kept, or an event of a different kind came after it. */
function findLastObservation(events: readonly OperationEvent[]) {
  for (const event of events.toReversed()) {
    if (event.kind !== 'observation') return null
    if (event.asBefore !== true) return event
  }
  return null
}

const toComparisonKey = ({ source, status, body, matches }: Extract<OperationEvent, { kind: 'observation' }>): string =>
  JSON.stringify([source, status, matches, body])

const MAX_SHOWN_EVENTS = 600
const FIRST_SHOWN_EVENTS = 100
/** Maximum JSON characters of all bodies of one record. Later bodies are cut to an excerpt. */
const MAX_SHOWN_CHARS = 4_000_000
const EXCERPT_CHARS = 2_000

/** Selects first, last and transitions' events; these refer to positions in the selection. */
export function selectShownEvents(events: readonly OperationEvent[], transitions: readonly Transition[]) {
  if (events.length <= MAX_SHOWN_EVENTS)
    return { events: limitBodies(events), transitions: [...transitions], dropped: 0 }
  const turningPoints = new Set(transitions.map(({ event }) => event))
  const positions = events.flatMap((_, position) =>
    position < FIRST_SHOWN_EVENTS ||
    position >= events.length - (MAX_SHOWN_EVENTS - FIRST_SHOWN_EVENTS) ||
    turningPoints.has(position)
      ? [position]
      : [],
  )
  const indexByPosition = new Map(positions.map((position, index) => [position, index]))
  return {
    events: limitBodies(
      positions.flatMap((position, index) =>
        restoreBody(events, position, index > 0 && positions[index - 1] !== position - 1),
      ),
    ),
    transitions: transitions.map((transition) => ({
      ...transition,
      event: indexByPosition.get(transition.event) ?? 0,
    })),
    dropped: events.length - positions.length,
  }
}

/** Includes a repeated body that is in a gap before the event. */
function restoreBody(events: readonly OperationEvent[], position: number, isAfterGap: boolean): OperationEvent[] {
  const event = events[position]
  if (!event) return []
  if (!isAfterGap || event.kind !== 'observation' || event.asBefore !== true) return [event]
  const original = events
    .slice(0, position)
    .findLast((earlier) => earlier.kind === 'observation' && earlier.asBefore !== true)
  if (original?.kind !== 'observation') return [event]
  const { at, exchangeId } = event
  return [{ ...original, at, exchangeId }]
}

/** Limits the bodies in one message. The journal keeps every body in full. */
function limitBodies(events: readonly OperationEvent[]): OperationEvent[] {
  let remainingChars = MAX_SHOWN_CHARS
  return events.map((event) => {
    if (event.kind !== 'answer' && event.kind !== 'observation') return event
    const text = JSON.stringify(event.body) ?? ''
    remainingChars -= text.length
    return remainingChars >= 0 || text.length <= EXCERPT_CHARS
      ? event
      : { ...event, body: text.slice(0, EXCERPT_CHARS), cut: true }
  })
}
