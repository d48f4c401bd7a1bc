import { parseHostTime } from './host-time.ts'
import { isObject, getMember } from '../json/object.ts'

/** How deep to look for session records, and how many of them to consider. */
const MAX_DEPTH = 5
const MAX_RECORDS = 200

type SessionRecord = Readonly<Record<string, unknown>>

/**
 * What a session record says, by the names that a host may give it: the contract does not show its shape.
 */
interface SessionFacts {
  readonly runId: string | null
  readonly attemptId: string | null
  readonly requestId: string | null
  readonly questionId: string | null
  readonly state: string | null
  readonly isPaused: boolean
}

const names = {
  runId: ['runId', 'run_id', 'run.id', 'run.runId'],
  attemptId: ['attemptId', 'attempt_id', 'currentAttemptId', 'attempt.id', 'attempt.attemptId'],
  requestId: ['requestId', 'request_id', 'lastRequestId'],
  questionId: ['questionId', 'question_id', 'currentQuestionId', 'question.id', 'attempt.questionId'],
  state: ['state', 'status', 'phase', 'run.state', 'attempt.state'],
  paused: ['paused', 'isPaused'],
} as const

/** The first value there is of these names; a dot leads into a member. */
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
  const state = idOf(record, names.state)
  const requestId = findFirstValue(record, names.requestId)
  return {
    runId: idOf(record, names.runId),
    attemptId: idOf(record, names.attemptId),
    requestId: typeof requestId === 'string' ? requestId : null,
    questionId: idOf(record, names.questionId),
    state,
    isPaused: findFirstValue(record, names.paused) === true || /^(?:paus|suspend)/i.test(state ?? ''),
  }
}

/** What is known about a command besides its request id. */
interface SessionCommand {
  readonly requestId: string | null
  /** Named by the acknowledgement. */
  readonly attemptId: unknown
  /** The session record before the command, `{ session: null }` where there was none; null if it was not read. */
  readonly recordBefore: unknown
  /** What was sent, parsed. */
  readonly body?: unknown
  /** The command leaves the session paused. */
  readonly isPause?: boolean
}

/**
 * The record of the practice session in `GET /writing/context` (spec §4): an object that names a run and an attempt, a request or a state,
 * wherever it is. If there are several, it is the one that `command` wrote, so that an older one cannot hide it; otherwise one of the run
 * that the command names, the latest, if they carry a time, or else the first, with `session` before all others. `null`: the host has a
 * place for it but no session; undefined: nothing in the answer is one.
 */
export function findSessionRecord(
  context: unknown,
  command?: SessionCommand,
): Record<string, unknown> | null | undefined {
  const session = getMember(context, 'session')
  const all: Record<string, unknown>[] = []
  collect(session, MAX_DEPTH, all)
  collect(context, MAX_DEPTH, all)
  const written = command && all.find((record) => matchSessionRecord(record, command) === true)
  if (written) return written
  if (session === null) return null
  const runId = idOf(command?.body, names.runId)
  const ofRun = runId === null ? [] : all.filter((record) => parseSessionFacts(record).runId === runId)
  const latest = (ofRun.length > 0 ? ofRun : all).reduce<Record<string, unknown> | undefined>(
    (best, record) => (best === undefined || timeOf(record) > timeOf(best) ? record : best),
    undefined,
  )
  if (latest) return latest
  if (isObject(session)) return session
  return hasEmptyPlace(context, 2) ? null : undefined
}

/** The run of the practice session in `GET /writing/context`; null if the host names none. */
export const findSessionRunId = (context: unknown): string | null =>
  parseSessionFacts(findSessionRecord(context)).runId ??
  idOf(context, names.runId) ??
  findNestedRunId(context, MAX_DEPTH)

function findNestedRunId(value: unknown, depth: number): string | null {
  if (depth === 0 || typeof value !== 'object' || value === null) return null
  for (const inner of Object.values(value).slice(0, MAX_RECORDS)) {
    const runId = (isObject(inner) ? idOf(inner, names.runId) : null) ?? findNestedRunId(inner, depth - 1)
    if (runId !== null) return runId
  }
  return null
}

function collect(value: unknown, depth: number, found: Record<string, unknown>[]): void {
  if (found.length >= MAX_RECORDS || typeof value !== 'object' || value === null) return
  if (isObject(value)) {
    const { runId, attemptId, requestId, state } = parseSessionFacts(value)
    if (runId !== null && (attemptId ?? requestId ?? state) !== null) {
      if (!found.includes(value)) found.push(value)
      return
    }
  }
  if (depth > 0) for (const inner of Object.values(value)) collect(inner, depth - 1, found)
}

const times = ['updatedAt', 'at', 'lastModifiedAt', 'startedAt', 'createdAt']

function timeOf(record: SessionRecord): number {
  for (const name of times) {
    const { timestamp: at } = parseHostTime(getMember(record, name))
    if (at !== null) return at
  }
  return Number.NEGATIVE_INFINITY
}

function hasEmptyPlace(value: unknown, depth: number): boolean {
  if (!isObject(value)) return false
  if (getMember(value, 'session') === null) return true
  return depth > 0 && Object.values(value).some((inner) => hasEmptyPlace(inner, depth - 1))
}

/**
 * Whether a session record is the one that a command wrote: by its request id; or else, compared with the record before the command, by
 * the attempt that the acknowledgement named, by the state that the command leads to, or by the run and the question that were sent.
 * False if it names another command, attempt or run; null if the record tells neither.
 */
export function matchSessionRecord(record: SessionRecord, command: SessionCommand): boolean | null {
  const now = parseSessionFacts(record)
  if (now.requestId !== null && now.requestId === command.requestId) return true
  const then = isObject(command.recordBefore) ? parseSessionFacts(command.recordBefore) : null
  // A record that still names an earlier request may be one that does not tell requests apart.
  const namesOther = now.requestId !== null
  if (namesOther && then?.requestId !== now.requestId) return false
  if (isWritten(now, then, command)) return true
  const attemptId = idOf(command, ['attemptId'])
  const isOtherAttempt = now.attemptId !== null && attemptId !== null && now.attemptId !== attemptId
  return namesOther || isOtherAttempt ? false : null
}

/** Whether the record shows what the command does, and did not show it before. */
function isWritten(now: SessionFacts, then: SessionFacts | null, command: SessionCommand): boolean {
  if (then === null) return false
  const { isPause: pauses = false, body } = command
  const sent = { runId: idOf(body, names.runId), questionId: idOf(body, names.questionId) }
  if (sent.runId !== null && now.runId !== null && now.runId !== sent.runId) return false
  const isOfRun = sent.runId !== null && now.runId === sent.runId
  const wasOfRun = then.runId === now.runId
  if (pauses) return isOfRun && now.isPaused && !(wasOfRun && then.isPaused)
  const attemptId = idOf(command, ['attemptId'])
  if (attemptId !== null && now.attemptId !== null) {
    if (now.attemptId !== attemptId) return false
    // An attempt that was already running says nothing by itself.
    if (then.attemptId !== now.attemptId) return true
  }
  if (
    !isOfRun ||
    now.isPaused ||
    (sent.questionId !== null && now.questionId !== null && now.questionId !== sent.questionId)
  )
    return false
  const isNew = !wasOfRun || then.questionId !== now.questionId || then.attemptId !== now.attemptId
  return isNew || then.isPaused || then.state !== now.state
}
