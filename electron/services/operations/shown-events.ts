import type { Transition } from '../../../shared/bridge/operation.ts'
import type { OperationEvent } from '../../../shared/bridge/operation-states.ts'

/** Events of one record that are shown at the most. */
const MOST = 600
const FIRST = 100

interface Shown {
  readonly events: OperationEvent[]
  readonly transitions: Transition[]
  /** Events that are kept and not shown. */
  readonly dropped: number
}

/** The first events, the last ones, and every one that led to another state; the places of the transitions are places among these. */
export function shownEvents(all: readonly OperationEvent[], transitions: readonly Transition[]): Shown {
  if (all.length <= MOST) return { events: [...all], transitions: [...transitions], dropped: 0 }
  const turning = new Set(transitions.map(({ event }) => event))
  const kept = all.flatMap((_, place) =>
    place < FIRST || place >= all.length - (MOST - FIRST) || turning.has(place) ? [place] : [],
  )
  const placeOf = new Map(kept.map((place, shown) => [place, shown]))
  return {
    events: kept.flatMap((place) => all[place] ?? []),
    transitions: transitions.map((one) => ({ ...one, event: placeOf.get(one.event) ?? 0 })),
    dropped: all.length - kept.length,
  }
}
