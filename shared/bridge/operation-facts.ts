import type { OperationEvent } from './operation-states.ts'

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

export const nothingSaid: OperationFacts = {
  persisted: null,
  settled: null,
  outcome: null,
  persistedSnapshotVerified: null,
  snapshotCurrent: null,
  errorCode: null,
  windowId: null,
}

/** Facts of the last answer or `pencil-result` that said them; what was read back says nothing about the command itself. */
export function factsAfter(facts: OperationFacts, event: OperationEvent): OperationFacts {
  if (event.kind !== 'answer' && !(event.kind === 'observation' && event.source === 'pencil-result' && says(event))) {
    return facts
  }
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

/** Whether a look was answered with what was looked for: a refusal of the look is nothing of the operation. */
export function says({ status, body }: Extract<OperationEvent, { kind: 'observation' }>): boolean {
  return status >= 200 && status < 300 && isObject(body) && errorCodeOf(body) === null
}

/** Code of the `error` in a body (spec §7); the empty text where it has none, null where there is no error. */
export function errorCodeOf(body: unknown): string | null {
  const error = member(body, 'error')
  if (error === undefined || error === null) return null
  const code = member(error, 'code')
  return typeof code === 'string' ? code : ''
}

/** An own member of an object, whatever the host sent. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return Reflect.get(value, name)
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
