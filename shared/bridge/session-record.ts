import { member } from './operation-facts.ts'
import { isObject } from '../json/object.ts'

/** How deep in the answer a session record is looked for. */
const DEPTH = 3

/**
 * The record of the practice session in `GET /writing/context`, whose shape the contract does not show (spec §4): the member `session`, else
 * the first object that names a run and an attempt or a request. `null`: the host has such a place and no session; undefined: nothing in
 * the answer is one.
 */
export function sessionRecordOf(context: unknown): Record<string, unknown> | null | undefined {
  const session = member(context, 'session')
  if (session === null) return null
  if (isObject(session)) return session
  return find(context, DEPTH)
}

function find(value: unknown, depth: number): Record<string, unknown> | undefined {
  if (!isObject(value)) return undefined
  const names = (name: string): boolean => typeof member(value, name) === 'string'
  if (names('runId') && (names('attemptId') || names('requestId'))) return value
  if (depth === 0) return undefined
  for (const inner of Object.values(value)) {
    const found = find(inner, depth - 1)
    if (found) return found
  }
  return undefined
}

/** What is known about a command besides its request id. */
export interface SessionCommand {
  readonly requestId: string | null
  /** Named by the acknowledgement. */
  readonly attemptId: unknown
  /** The session record before the command, if it was read. */
  readonly before: unknown
}

/**
 * Whether a session record is the one that a command wrote: by its request id, or else by the attempt that the acknowledgement named,
 * provided that attempt was not there before. Null if the record tells neither.
 */
export function matchesSession(
  record: Readonly<Record<string, unknown>>,
  { requestId, attemptId, before }: SessionCommand,
): boolean | null {
  const named = member(record, 'requestId')
  if (typeof named === 'string') return named === requestId
  const attempt = member(record, 'attemptId')
  if (typeof attempt !== 'string' || typeof attemptId !== 'string') return null
  if (attempt !== attemptId) return false
  // An attempt that was already running says nothing: pausing keeps it.
  return isObject(before) && member(before, 'attemptId') !== attempt ? true : null
}
