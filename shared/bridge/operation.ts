import type { OperationEvent, OperationState } from './operation-states.ts'

/** What the host said so far, in its own words; null = never said. */
export interface OperationFacts {
  readonly persisted: boolean | null
  readonly settled: boolean | null
  readonly outcome: string | null
  readonly persistedSnapshotVerified: boolean | null
  readonly snapshotCurrent: boolean | null
  readonly errorCode: string | null
  readonly windowId: string | null
}

export interface Transition {
  readonly state: OperationState
  readonly at: number
  /** Place of the event that led there. */
  readonly event: number
}

export interface Derived {
  readonly state: OperationState
  readonly transitions: readonly Transition[]
  readonly facts: OperationFacts
}

/** How a command is answered: with an outcome to be asked for later, with a record to be read again, or at once. */
export type CommandKind = 'pencil' | 'session' | 'plain'

export function commandKind(endpointId: string): CommandKind {
  if (endpointId === 'writing.pencilCommit' || endpointId === 'writing.pencilResult') return 'pencil'
  return endpointId.startsWith('writing.session') ? 'session' : 'plain'
}

const nothingSaid: OperationFacts = {
  persisted: null,
  settled: null,
  outcome: null,
  persistedSnapshotVerified: null,
  snapshotCurrent: null,
  errorCode: null,
  windowId: null,
}

/**
 * The one state machine of operations (spec §2 acknowledgements, §3, §4 pencil-commit and pencil-result, §7). Pure: the same events give
 * the same state, whatever a host puts into its bodies.
 *
 * | from | event | to |
 * |---|---|---|
 * | (none) | intent | prepared |
 * | prepared | sent | sent |
 * | prepared | app-ended | not-sent |
 * | sent | answer: success | pending (pencil, session) · persisted or unconfirmed (others, by `persisted`) |
 * | sent | answer: error | conflict (pencil: the request id is in use with another target) · refused |
 * | sent | failure | not-sent · unknown-no-answer (`reached: maybe`) |
 * | sent | app-ended | unknown-app-ended |
 * | sent, pending, unknown-*, given-up | observation | settled when the host says so, else pending (a given-up record stays so) |
 * | pending, unknown-*, sent | host-restarted, record-gone | unknown-host-restart |
 * | pending, unknown-* | given-up | given-up |
 * | given-up | resumed | pending |
 *
 * settled, persisted, unconfirmed, conflict, refused and not-sent are final: what comes later changes facts, never them.
 */
export function deriveOperation(endpointId: string, events: readonly OperationEvent[]): Derived {
  const kind = commandKind(endpointId)
  let state: OperationState = 'prepared'
  let facts = nothingSaid
  const transitions: Transition[] = []
  events.forEach((event, place) => {
    const next = step(kind, state, event, transitions.length === 0)
    facts = learned(facts, event)
    if (next === null || (next === state && transitions.length > 0)) return
    state = next
    transitions.push({ state, at: event.at, event: place })
  })
  return { state, transitions, facts }
}

const open: ReadonlySet<OperationState> = new Set([
  'pending',
  'unknown-no-answer',
  'unknown-host-restart',
  'unknown-app-ended',
])

/** Whether an outcome may still come: such a record is looked at again. */
export const isOpen = (state: OperationState): boolean => state === 'sent' || open.has(state)

function step(kind: CommandKind, state: OperationState, event: OperationEvent, first: boolean): OperationState | null {
  switch (event.kind) {
    case 'intent':
      return first ? 'prepared' : null
    case 'sent':
      return first || state === 'prepared' ? 'sent' : null
    case 'answer':
      return state === 'sent' ? answered(kind, event) : null
    case 'failure':
      return state === 'sent' ? (event.reached === 'no' ? 'not-sent' : 'unknown-no-answer') : null
    case 'app-ended':
      return state === 'sent' ? 'unknown-app-ended' : state === 'prepared' ? 'not-sent' : null
    case 'observation':
      return observed(state, event, first)
    case 'record-gone':
    case 'host-restarted':
      return isOpen(state) || first ? 'unknown-host-restart' : null
    case 'given-up':
      return open.has(state) ? 'given-up' : null
    case 'resumed':
      return state === 'given-up' ? 'pending' : null
    case 'read-back':
      return null
  }
}

type Answer = Extract<OperationEvent, { kind: 'answer' }>
type Observation = Extract<OperationEvent, { kind: 'observation' }>

function answered(kind: CommandKind, { status, body }: Answer): OperationState {
  const code = errorCodeOf(body)
  if (code !== null || status >= 400) {
    // Only another target is a conflict; an unfinished operation of the window is a refusal (spec §4, §7: its code is not shown).
    return kind === 'pencil' && /conflict/i.test(code ?? '') ? 'conflict' : 'refused'
  }
  if (kind !== 'plain') return 'pending'
  return member(body, 'persisted') === true ? 'persisted' : 'unconfirmed'
}

function observed(state: OperationState, { body, source }: Observation, first: boolean): OperationState | null {
  if (!first && !isOpen(state) && state !== 'given-up') return null
  if (source === 'pencil-result' && member(body, 'settled') === true) return 'settled'
  return state === 'given-up' ? null : 'pending'
}

/** Facts of the last answer or observation that said them; a read-back says nothing about the command itself. */
function learned(facts: OperationFacts, event: OperationEvent): OperationFacts {
  if (event.kind !== 'answer' && event.kind !== 'observation') return facts
  if (event.kind === 'observation' && event.source !== 'pencil-result') return facts
  const { body } = event
  const flag = (name: string): boolean | null => {
    const value = member(body, name)
    return typeof value === 'boolean' ? value : null
  }
  const text = (name: string): string | null => {
    const value = member(body, name)
    return typeof value === 'string' ? value : null
  }
  return {
    persisted: flag('persisted') ?? facts.persisted,
    settled: flag('settled') ?? facts.settled,
    outcome: text('outcome') ?? facts.outcome,
    persistedSnapshotVerified: flag('persistedSnapshotVerified') ?? facts.persistedSnapshotVerified,
    snapshotCurrent: flag('snapshotCurrent') ?? facts.snapshotCurrent,
    errorCode: errorCodeOf(body) ?? facts.errorCode,
    windowId: text('windowId') ?? facts.windowId,
  }
}

function errorCodeOf(body: unknown): string | null {
  const error = member(body, 'error')
  if (error === undefined || error === null) return null
  const code = member(error, 'code')
  return typeof code === 'string' ? code : ''
}

/** An own member of an object, whatever the host sent. */
function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}
