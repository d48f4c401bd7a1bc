import type { Verdict } from '../ipc/operations.ts'
import { commandKind, type Derived } from './operation.ts'
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
    if (event.kind !== 'read-back' || !isFacts(event.facts)) continue
    if (event.when === 'before') before = event.facts
    else after = event.facts
  }
  return { before, after }
}

const isFacts = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * What proves, or does not prove, that a write is in the host: the acknowledgement, every observation and what was read back
 * independently, joined into one verdict. An acknowledgement alone is never more than accepted (spec §3 rule 1).
 */
export function verdictOf(endpointId: string, derived: Derived, events: readonly OperationEvent[]): Verdict {
  const { persisted, outcome, persistedSnapshotVerified, snapshotCurrent } = derived.facts
  return { code: codeOf(endpointId, derived, events), persisted, outcome, persistedSnapshotVerified, snapshotCurrent }
}

function codeOf(endpointId: string, { state, facts }: Derived, events: readonly OperationEvent[]): Verdict['code'] {
  const { before, after } = readBacks(events)
  const changed = changesOf(events).length > 0
  const compared = before !== null && after !== null
  switch (state) {
    case 'prepared':
    case 'sent':
      return 'in-progress'
    case 'not-sent':
      return 'nothing-sent'
    case 'pending':
    case 'given-up':
      return commandKind(endpointId) === 'session' ? sessionCode(events) : 'accepted-only'
    case 'settled':
      return facts.persistedSnapshotVerified === true ? 'saved-and-verified' : 'settled-not-saved'
    case 'persisted':
      return compared && changed ? 'saved-and-verified' : 'saved-unverified'
    case 'unconfirmed':
    case 'unknown-no-answer':
    case 'unknown-host-restart':
    case 'unknown-app-ended':
      return compared ? (changed ? 'unknown-changed' : 'unknown-unchanged') : 'unknown-not-read-back'
    case 'conflict':
    case 'refused':
      return compared ? (changed ? 'refused-changed' : 'refused-unchanged') : 'refused'
  }
}

/** A session command writes the session record alone; it is confirmed by reading that again, where the host has a route for it. */
function sessionCode(events: readonly OperationEvent[]): Verdict['code'] {
  return events.some(({ kind }) => kind === 'observation') ? 'saved-unverified' : 'no-confirmation-exists'
}
