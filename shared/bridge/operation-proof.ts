import type { Verdict } from '../ipc/operations.ts'
import { commandKind, type Derived } from './operation.ts'
import { effectOf } from './operation-effect.ts'
import { isObject } from './operation-facts.ts'
import type { OperationEvent } from './operation-states.ts'

/** A member of what was read back that differs. */
export interface Change {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

/** What the command could have touched, as it was before and as it was read last; empty where either is missing. */
export function changesOf(events: readonly OperationEvent[]): readonly Change[] {
  const { before, after } = readBacks(events)
  if (!before || !after) return []
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
}

function readBacks(events: readonly OperationEvent[]) {
  let before: Record<string, unknown> | null = null
  let after: Record<string, unknown> | null = null
  for (const event of events) {
    if (event.kind !== 'read-back' || !isObject(event.facts)) continue
    if (event.when === 'before') before = event.facts
    else after = event.facts
  }
  return { before, after }
}

/**
 * What proves, or does not prove, that a write is in the host: the acknowledgement, every observation and what was read back
 * independently, joined into one verdict. An acknowledgement alone is never more than accepted (spec §3 rule 1). `body`: the JSON text as
 * it was sent.
 */
export function verdictOf(
  endpointId: string,
  derived: Derived,
  events: readonly OperationEvent[],
  body: string | null,
): Verdict {
  const { persisted, outcome, persistedSnapshotVerified, snapshotCurrent } = derived.facts
  const code = codeOf(endpointId, derived, events, body)
  return { code, persisted, outcome, persistedSnapshotVerified, snapshotCurrent }
}

function codeOf(
  endpointId: string,
  { state, facts }: Derived,
  events: readonly OperationEvent[],
  body: string | null,
): Verdict['code'] {
  const { before, after } = readBacks(events)
  const compared = before !== null && after !== null
  const changed = compared && changesOf(events).length > 0
  switch (state) {
    case 'prepared':
    case 'sent':
      return 'in-progress'
    case 'not-sent':
      return 'nothing-sent'
    case 'pending':
    case 'given-up':
      return commandKind(endpointId) === 'session' ? sessionCode(events) : 'accepted-only'
    case 'recorded':
      return 'session-recorded'
    case 'settled':
      if (facts.persistedSnapshotVerified === null) return 'settled-unverified'
      return facts.persistedSnapshotVerified ? 'saved-and-verified' : 'settled-not-saved'
    case 'persisted': {
      const effect = after && effectOf(endpointId, { body: parsed(body), answer: answerOf(events), before, after })
      return effect === true ? 'saved-and-verified' : effect === false ? 'saved-but-differs' : 'saved-unverified'
    }
    case 'unconfirmed':
    case 'unknown-no-answer':
    case 'unknown-host-restart':
    case 'unknown-app-ended':
      if (namesOther(events)) return 'session-other'
      return compared ? (changed ? 'unknown-changed' : 'unknown-unchanged') : 'unknown-not-read-back'
    case 'conflict':
    case 'refused':
      return compared ? (changed ? 'refused-changed' : 'refused-unchanged') : 'refused'
  }
}

/** A session command writes the session record alone; it is confirmed by reading that again, where the host has a route for it. */
function sessionCode(events: readonly OperationEvent[]): Verdict['code'] {
  if (namesOther(events)) return 'session-other'
  const none = events.some((event) => event.kind === 'given-up' && event.by === 'no-confirmation')
  return none ? 'no-confirmation-exists' : 'accepted-only'
}

/** The session record was read again and names another command. */
const namesOther = (events: readonly OperationEvent[]): boolean =>
  events.some((event) => event.kind === 'observation' && event.matches === false)

const answerOf = (events: readonly OperationEvent[]): unknown => events.find((event) => event.kind === 'answer')?.body

function parsed(body: string | null): unknown {
  if (body === null) return null
  try {
    return JSON.parse(body) as unknown
  } catch {
    return null
  }
}
