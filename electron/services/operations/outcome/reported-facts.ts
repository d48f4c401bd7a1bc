import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import { isObject, getMember } from '../../../../shared/json/object.ts'
import type { OutcomeMark, OutcomeMarkTest } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { errorCodeOf, isKnownRefusal } from '../../../../shared/bridge/errors.ts'
import { plainOutcome } from '../../../../shared/bridge/endpoints/outcomes.ts'
import { parsePointer, toPointerStep } from '../../../../shared/json/pointer.ts'

/** The facts that the host has reported so far; null for a fact that it has not reported. */
export interface OperationFacts {
  readonly persisted: boolean | null
  readonly settled: boolean | null
  readonly outcome: string | null
  readonly persistedSnapshotVerified: boolean | null
  readonly snapshotCurrent: boolean | null
  readonly errorCode: string | null
  readonly windowId: string | null
}

export const NO_FACTS: OperationFacts = {
  persisted: null,
  settled: null,
  outcome: null,
  persistedSnapshotVerified: null,
  snapshotCurrent: null,
  errorCode: null,
  windowId: null,
}

/** Maximum characters of a reported word in a fact. The whole response is in its event. */
const MAX_WORD_CHARS = 200

/**
 * Takes the facts from an event if it is a response or a `pencil-result`, because read-backs report
 * nothing about the command itself. Only a `pencil-result` reports on a snapshot, because an
 * acknowledgement is not an outcome (spec §3 rule 1).
 */
export function updateFacts(facts: OperationFacts, event: OperationEvent, requestId: string | null): OperationFacts {
  const isPollResult =
    event.kind === 'observation' && event.source === 'pencil-result' && hasRequestedRecord(event, requestId)
  if (event.kind !== 'answer' && !isPollResult) return facts
  const { body } = event
  if (event.kind === 'answer' && isForOtherRequest(body, requestId)) return facts
  const reported = parseReportedFacts(body)
  return {
    persisted: reported.persisted ?? facts.persisted,
    settled: reported.settled ?? facts.settled,
    outcome: reported.outcome ?? facts.outcome,
    persistedSnapshotVerified:
      (isPollResult ? reported.persistedSnapshotVerified : null) ?? facts.persistedSnapshotVerified,
    snapshotCurrent: (isPollResult ? reported.snapshotCurrent : null) ?? facts.snapshotCurrent,
    errorCode: reported.errorCode ?? facts.errorCode,
    windowId: reported.windowId ?? facts.windowId,
  }
}

/** A fact is null if the response lacks it or has it in another type. */
export function parseReportedFacts(body: unknown): OperationFacts {
  const readFlag = (name: string): boolean | null => {
    const value = getMember(body, name)
    return typeof value === 'boolean' ? value : null
  }
  const readText = (name: string): string | null => {
    const value = getMember(body, name)
    return typeof value === 'string' ? value.slice(0, MAX_WORD_CHARS) : null
  }
  return {
    persisted: readFlag('persisted'),
    settled: readFlag('settled'),
    outcome: readText('outcome'),
    persistedSnapshotVerified: readFlag('persistedSnapshotVerified'),
    snapshotCurrent: readFlag('snapshotCurrent'),
    errorCode: errorCodeOf(body)?.slice(0, MAX_WORD_CHARS) ?? null,
    windowId: readText('windowId'),
  }
}

/** A refusal of the poll says nothing; an error next to `settled: true` is the operation's. */
export function hasRequestedRecord(
  { status, body, source }: Extract<OperationEvent, { kind: 'observation' }>,
  requestId: string | null,
): boolean {
  if (status < 200 || status >= 300 || !isObject(body)) return false
  if (source === 'pencil-result' && isForOtherRequest(body, requestId)) return false
  return errorCodeOf(body) === null || getMember(body, 'settled') === true
}

export function isForOtherRequest(body: unknown, requestId: string | null): boolean {
  const reportedId = getMember(body, 'requestId')
  return requestId !== null && typeof reportedId === 'string' && reportedId !== requestId
}

/**
 * True if a response means that the command was not executed. A documented code decides, with any
 * status (spec §7). Without such a code, an error of the host itself (5xx) or a timeout (408) may
 * come after the command was executed.
 */
export function isRefusal(status: number, code: string | null): boolean {
  if (isKnownRefusal(code)) return true
  if (status === 408) return false
  if (status >= 400 && status < 500) return true
  return code !== null && status < 300
}

/** The outcome of a write according to its response, with the members that report it. */
export interface OutcomeJudgement {
  /** `not reported`: no documented member says how it ended, neither failure nor success. */
  readonly done: 'yes' | 'partly' | 'no' | 'not reported'
  /** JSON pointers and their values, the deciding ones first. */
  readonly quoted: readonly (readonly [pointer: string, value: unknown])[]
}

/** Limits the quotation only; every member is judged. */
const MAX_QUOTED_MEMBERS = 20

/**
 * Judges how a write ended by the outcome marks of its endpoint (spec §1: `error` is failure,
 * `persisted` is read for every write; other members by observed-0.49). A mark for failure
 * outweighs one for partial success, which outweighs one for success. The function is pure and
 * never throws, whatever the host sent.
 * @param sentNames names of the parameters and members that were sent; null if unknown.
 */
export function judgeOutcome(
  endpointId: string,
  value: unknown,
  sentNames: ReadonlySet<string> | null = null,
): OutcomeJudgement {
  const error = getMember(value, 'error')
  if (error !== undefined && error !== null) {
    const code = getMember(error, 'code')
    return { done: 'no', quoted: [code === undefined ? ['/error', error] : ['/error/code', code]] }
  }
  const row = findEndpointById(endpointId)
  // An endpoint that is not in the table is judged by the members that any write may report.
  const outcome = row ? row.outcome : plainOutcome
  if (!outcome) return { done: 'not reported', quoted: [] }
  const findMatches = (marks: readonly OutcomeMark[]): [string, unknown][] =>
    marks
      .filter((mark) => mark.onlyIfSent === undefined || sentNames === null || sentNames.has(mark.onlyIfSent))
      .flatMap(({ pointer, test }) =>
        findValues(value, pointer).filter(([, member]) => matchesTest(test, member, value)),
      )
  const failures = findMatches(outcome.failure)
  const partials = findMatches(outcome.partial)
  const successes = findMatches(outcome.success)
  const quotedOnly = outcome.quotedPointers.flatMap((pointer) => findValues(value, pointer))
  const done =
    failures.length > 0 ? 'no' : partials.length > 0 ? 'partly' : successes.length > 0 ? 'yes' : 'not reported'
  const quoted = [...new Map([...failures, ...partials, ...successes, ...quotedOnly])]
  return { done, quoted: quoted.slice(0, MAX_QUOTED_MEMBERS) }
}

/** Returns the values at a pointer, whose `*` stands for every entry of a list. */
function findValues(value: unknown, pointer: string): [string, unknown][] {
  let matches: [string, unknown][] = [['', value]]
  for (const step of parsePointer(pointer)) {
    matches = matches.flatMap(([path, current]): [string, unknown][] => {
      if (step === '*') {
        return Array.isArray(current) ? current.map((entry: unknown, index) => [`${path}/${index}`, entry]) : []
      }
      const inner = getMember(current, step)
      return inner === undefined ? [] : [[path + toPointerStep(step), inner]]
    })
  }
  return matches
}

function matchesTest(test: OutcomeMarkTest, member: unknown, response: unknown): boolean {
  if (typeof test === 'object') {
    if ('word' in test) return member === test.word
    if ('other' in test) return typeof member === 'string' && !test.other.includes(member)
    const other = findValues(response, test.unlike)[0]?.[1]
    return typeof member === 'number' && typeof other === 'number' && member !== other
  }
  switch (test) {
    case 'true':
      return member === true
    case 'false':
      return member === false
    case 'present':
      return member !== null
    case 'some':
      return isNonEmpty(member)
    case 'none':
      return member !== null && !isNonEmpty(member)
  }
}

function isNonEmpty(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value > 0
  if (typeof value === 'string' || Array.isArray(value)) return value.length > 0
  return isObject(value) && Object.keys(value).length > 0
}
