import { isObject, member } from '../json/object.ts'
import { sentTime } from '../format/sent-time.ts'

/** How deep to look for session records, and how many of them to consider. */
const DEPTH = 5
const MOST_RECORDS = 200

/**
 * The record of the practice session in `GET /writing/context`, whose shape the contract does not show (spec §4): an object that names a run
 * and an attempt or a request, wherever it is. If there are several, it is the one that `command` wrote, so that an older one cannot hide it;
 * otherwise the latest, if they carry a time, or else the first, with `session` before all others. `null`: the host has a place for it but no
 * session; undefined: nothing in the answer is one.
 */
export function sessionRecordOf(
  context: unknown,
  command?: SessionCommand,
): Record<string, unknown> | null | undefined {
  const session = member(context, 'session')
  const records: Record<string, unknown>[] = []
  collect(session, DEPTH, records)
  collect(context, DEPTH, records)
  const written = command && records.find((record) => matchesSession(record, command) === true)
  if (written) return written
  if (session === null) return null
  const latest = records.reduce<Record<string, unknown> | undefined>(
    (best, record) => (best === undefined || timeOf(record) > timeOf(best) ? record : best),
    undefined,
  )
  if (latest) return latest
  if (isObject(session)) return session
  return hasEmptyPlace(context, 2) ? null : undefined
}

function collect(value: unknown, depth: number, found: Record<string, unknown>[]): void {
  if (found.length >= MOST_RECORDS || typeof value !== 'object' || value === null) return
  if (isObject(value)) {
    const names = (name: string): boolean => typeof member(value, name) === 'string'
    if (names('runId') && (names('attemptId') || names('requestId'))) {
      if (!found.includes(value)) found.push(value)
      return
    }
  }
  if (depth > 0) for (const inner of Object.values(value)) collect(inner, depth - 1, found)
}

const times = ['updatedAt', 'at', 'lastModifiedAt', 'startedAt', 'createdAt']

function timeOf(record: Record<string, unknown>): number {
  for (const name of times) {
    const { at } = sentTime(member(record, name))
    if (at !== null) return at
  }
  return Number.NEGATIVE_INFINITY
}

function hasEmptyPlace(value: unknown, depth: number): boolean {
  if (!isObject(value)) return false
  if (member(value, 'session') === null) return true
  return depth > 0 && Object.values(value).some((inner) => hasEmptyPlace(inner, depth - 1))
}

/** What is known about a command besides its request id. */
interface SessionCommand {
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
