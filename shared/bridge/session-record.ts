import { parseHostTime } from './host-time.ts'
import { isObject, getMember } from '../json/object.ts'

/** Limits of the search for session records, so that a huge response cannot take long. */
const MAX_DEPTH = 5
const MAX_RECORDS = 200

type SessionRecord = Readonly<Record<string, unknown>>

/** Hosts use several names: the contract does not show the shape of a session record. */
interface SessionFacts {
  readonly runId: string | null
  readonly attemptId: string | null
  readonly requestId: string | null
  readonly questionId: string | null
  readonly state: string | null
  readonly isPaused: boolean
}

const memberNames = {
  runId: ['runId', 'run_id', 'run.id', 'run.runId'],
  attemptId: ['attemptId', 'attempt_id', 'currentAttemptId', 'attempt.id', 'attempt.attemptId'],
  requestId: ['requestId', 'request_id', 'lastRequestId'],
  questionId: ['questionId', 'question_id', 'currentQuestionId', 'question.id', 'attempt.questionId'],
  state: ['state', 'status', 'phase', 'run.state', 'attempt.state'],
  paused: ['paused', 'isPaused'],
} as const

/** Finds the first of these members with a value. A dot leads into a nested object. */
function findFirstValue(record: unknown, candidates: readonly string[]): unknown {
  for (const name of candidates) {
    const value = name.split('.').reduce(getMember, record)
    if (value !== undefined && value !== null && !isObject(value)) return value
  }
  return null
}

function idOf(record: unknown, candidates: readonly string[]): string | null {
  const value = findFirstValue(record, candidates)
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : null
}

function parseSessionFacts(record: unknown): SessionFacts {
  const state = idOf(record, memberNames.state)
  const requestId = findFirstValue(record, memberNames.requestId)
  return {
    runId: idOf(record, memberNames.runId),
    attemptId: idOf(record, memberNames.attemptId),
    requestId: typeof requestId === 'string' ? requestId : null,
    questionId: idOf(record, memberNames.questionId),
    state,
    isPaused: findFirstValue(record, memberNames.paused) === true || /^(?:paus|suspend)/i.test(state ?? ''),
  }
}

/** Facts about a command by which its session record is found. */
interface SessionCommand {
  readonly requestId: string | null
  /** The attempt id in the host's acknowledgement of the command. */
  readonly attemptId: unknown
  /** The record before the command; `{ session: null }` if none, null if not read. */
  readonly recordBefore: unknown
  /** The parsed body that was sent. */
  readonly body?: unknown
  readonly isPause?: boolean
}

/**
 * Finds the record of the practice session in `GET /writing/context` (spec §4): an object that
 * names a run and an attempt, a request or a state, at any depth. If there are several, the record
 * that `command` wrote wins, so that an older record cannot hide it; otherwise the latest record of
 * the command's run, or the first if the records have no time.
 * @returns null if the host has a member for a session but no session; undefined if the response
 *   has no record
 */
export function findSessionRecord(
  context: unknown,
  command?: SessionCommand,
): Record<string, unknown> | null | undefined {
  const session = getMember(context, 'session')
  const records: Record<string, unknown>[] = []
  collectRecords(session, MAX_DEPTH, records)
  collectRecords(context, MAX_DEPTH, records)
  const writtenRecord = command && records.find((record) => matchSessionRecord(record, command) === true)
  if (writtenRecord) return writtenRecord
  if (session === null) return null
  const runId = idOf(command?.body, memberNames.runId)
  const recordsOfRun = runId === null ? [] : records.filter((record) => parseSessionFacts(record).runId === runId)
  const latest = (recordsOfRun.length > 0 ? recordsOfRun : records).reduce<Record<string, unknown> | undefined>(
    (best, record) => (best === undefined || timeOf(record) > timeOf(best) ? record : best),
    undefined,
  )
  if (latest) return latest
  if (isObject(session)) return session
  return hasEmptyPlace(context, 2) ? null : undefined
}

/** @returns null if the host names no run */
export function findSessionRunId(context: unknown): string | null {
  return (
    parseSessionFacts(findSessionRecord(context)).runId ??
    idOf(context, memberNames.runId) ??
    findNestedRunId(context, MAX_DEPTH)
  )
}

function findNestedRunId(value: unknown, depth: number): string | null {
  if (depth === 0 || typeof value !== 'object' || value === null) return null
  for (const inner of Object.values(value).slice(0, MAX_RECORDS)) {
    const runId = (isObject(inner) ? idOf(inner, memberNames.runId) : null) ?? findNestedRunId(inner, depth - 1)
    if (runId !== null) return runId
  }
  return null
}

function collectRecords(value: unknown, depth: number, records: Record<string, unknown>[]): void {
  if (records.length >= MAX_RECORDS || typeof value !== 'object' || value === null) return
  if (isObject(value)) {
    const { runId, attemptId, requestId, state } = parseSessionFacts(value)
    if (runId !== null && (attemptId ?? requestId ?? state) !== null) {
      if (!records.includes(value)) records.push(value)
      return
    }
  }
  if (depth > 0) for (const inner of Object.values(value)) collectRecords(inner, depth - 1, records)
}

const timeMembers = ['updatedAt', 'at', 'lastModifiedAt', 'startedAt', 'createdAt']

function timeOf(record: SessionRecord): number {
  for (const name of timeMembers) {
    const { timestamp } = parseHostTime(getMember(record, name))
    if (timestamp !== null) return timestamp
  }
  return Number.NEGATIVE_INFINITY
}

function hasEmptyPlace(value: unknown, depth: number): boolean {
  if (!isObject(value)) return false
  if (getMember(value, 'session') === null) return true
  return depth > 0 && Object.values(value).some((inner) => hasEmptyPlace(inner, depth - 1))
}

/**
 * True if a session record is the one that a command wrote. The record matches by its request id,
 * or, compared with the record before the command, by the acknowledged attempt, by the command's
 * resulting state, or by the run and question that were sent. False if it names another command,
 * attempt or run; null if neither is certain.
 */
export function matchSessionRecord(record: SessionRecord, command: SessionCommand): boolean | null {
  const current = parseSessionFacts(record)
  if (current.requestId !== null && current.requestId === command.requestId) return true
  const previous = isObject(command.recordBefore) ? parseSessionFacts(command.recordBefore) : null
  // A host that does not track requests may keep the id of an older request in the record.
  const namesOtherRequest = current.requestId !== null
  if (namesOtherRequest && previous?.requestId !== current.requestId) return false
  if (showsCommand(current, previous, command)) return true
  const attemptId = idOf(command, ['attemptId'])
  const isOtherAttempt = current.attemptId !== null && attemptId !== null && current.attemptId !== attemptId
  return namesOtherRequest || isOtherAttempt ? false : null
}

function showsCommand(current: SessionFacts, previous: SessionFacts | null, command: SessionCommand): boolean {
  if (previous === null) return false
  const { isPause = false, body } = command
  const sentIds = { runId: idOf(body, memberNames.runId), questionId: idOf(body, memberNames.questionId) }
  if (sentIds.runId !== null && current.runId !== null && current.runId !== sentIds.runId) return false
  const isOfRun = sentIds.runId !== null && current.runId === sentIds.runId
  const wasOfRun = previous.runId === current.runId
  if (isPause) return isOfRun && current.isPaused && !(wasOfRun && previous.isPaused)
  const attemptId = idOf(command, ['attemptId'])
  if (attemptId !== null && current.attemptId !== null) {
    if (current.attemptId !== attemptId) return false
    // An attempt that was already running proves nothing.
    if (previous.attemptId !== current.attemptId) return true
  }
  if (
    !isOfRun ||
    current.isPaused ||
    (sentIds.questionId !== null && current.questionId !== null && current.questionId !== sentIds.questionId)
  )
    return false
  const isNew = !wasOfRun || previous.questionId !== current.questionId || previous.attemptId !== current.attemptId
  return isNew || previous.isPaused || previous.state !== current.state
}
