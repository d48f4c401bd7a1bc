import type { Derived } from './operation.ts'
import type { OperationEvent, OperationState } from './operation-states.ts'
import { isObject } from '../json/object.ts'

/** A member that differs between two reads. */
export interface Change {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

type Facts = Readonly<Record<string, unknown>>

/** What a command could have touched: before it, when it had ended, and as last read; null if it was not read. */
export interface Reads {
  readonly before: Facts | null
  readonly after: Facts | null
  readonly last: Facts | null
}

/** States that say how the command ended: later changes are somebody else's doing. */
const told: ReadonlySet<OperationState> = new Set([
  'settled',
  'persisted',
  'unconfirmed',
  'recorded',
  'conflict',
  'refused',
])

/**
 * The read-backs of a record. If the end is known, the first one after it counts: an earlier one may have been too early, and a later one
 * shows what others did since. If it is unknown, the command may take effect at any time, and the last one counts.
 */
export function readsOf({ state, transitions }: Derived, events: readonly OperationEvent[]): Reads {
  const end = told.has(state) ? (transitions.at(-1)?.event ?? 0) : Number.POSITIVE_INFINITY
  let before: Facts | null = null
  let after: Facts | null = null
  let last: Facts | null = null
  events.forEach((event, place) => {
    if (event.kind !== 'read-back' || !isObject(event.facts)) return
    if (event.when === 'before') before = event.facts
    else {
      last = event.facts
      if (place > end) after ??= last
    }
  })
  return { before, after: end === Number.POSITIVE_INFINITY ? last : after, last }
}

/** What the command could have touched, before it and when it had ended; empty if either is missing. */
export const changesOf = ({ before, after }: Reads): readonly Change[] => between(before, after)

/** What has changed since the command ended. */
export const changesSince = ({ after, last }: Reads): readonly Change[] => between(after, last)

function between(left: Facts | null, right: Facts | null): Change[] {
  if (!left || !right || left === right) return []
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return names
    .map((field) => ({ field, before: own(left, field) ?? null, after: own(right, field) ?? null }))
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
}

const own = (facts: Facts, name: string): unknown => (Object.hasOwn(facts, name) ? facts[name] : undefined)
