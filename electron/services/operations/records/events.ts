import type { Transition } from '../outcome/derived-operation.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'

/**
 * An observation as it is kept after these events: when a host says the same at the next look, the body is kept only once, with the time
 * of each look. It leads to the same state as the look before it.
 */
export function mergeRepeatedObservation(event: OperationEvent, events: readonly OperationEvent[]): OperationEvent {
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

/** Maximum number of events of one record that are shown. */
const MAX_SHOWN_EVENTS = 600
const FIRST = 100
/** Maximum JSON characters of all bodies of one record; of later ones only the beginning is shown. */
const MAX_SHOWN_CHARS = 4_000_000
const BEGINNING = 2_000

interface Shown {
  readonly events: OperationEvent[]
  readonly transitions: Transition[]
  /** Number of events that are kept but not shown. */
  readonly dropped: number
}

/** The first events, the last ones, and every one that led to another state; the transitions refer to places among these. */
export function selectShownEvents(all: readonly OperationEvent[], transitions: readonly Transition[]): Shown {
  if (all.length <= MAX_SHOWN_EVENTS) return { events: bounded(all), transitions: [...transitions], dropped: 0 }
  const turning = new Set(transitions.map(({ event }) => event))
  const kept = all.flatMap((_, place) =>
    place < FIRST || place >= all.length - (MAX_SHOWN_EVENTS - FIRST) || turning.has(place) ? [place] : [],
  )
  const placeOf = new Map(kept.map((place, shown) => [place, shown]))
  return {
    events: bounded(kept.flatMap((place, at) => whole(all, place, at > 0 && kept[at - 1] !== place - 1))),
    transitions: transitions.map((one) => ({ ...one, event: placeOf.get(one.event) ?? 0 })),
    dropped: all.length - kept.length,
  }
}

/** The event at a place. After a gap, the body that it repeats is in the gap, so that event is included. */
function whole(all: readonly OperationEvent[], place: number, afterGap: boolean): OperationEvent[] {
  const event = all[place]
  if (!event) return []
  if (!afterGap || event.kind !== 'observation' || event.asBefore !== true) return [event]
  const first = all.slice(0, place).findLast((one) => one.kind === 'observation' && one.asBefore !== true)
  if (first?.kind !== 'observation') return [event]
  const { at, exchangeId } = event
  return [{ ...first, at, exchangeId }]
}

/** A page gets only so much, whatever a host has said; everything it said stays in the journal. */
function bounded(events: readonly OperationEvent[]): OperationEvent[] {
  let left = MAX_SHOWN_CHARS
  return events.map((event) => {
    if (event.kind !== 'answer' && event.kind !== 'observation') return event
    const text = JSON.stringify(event.body) ?? ''
    left -= text.length
    return left >= 0 || text.length <= BEGINNING ? event : { ...event, body: text.slice(0, BEGINNING), cut: true }
  })
}
