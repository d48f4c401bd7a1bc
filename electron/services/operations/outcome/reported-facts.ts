import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import { isObject, getMember } from '../../../../shared/json/object.ts'
import type { OutcomeMark, MarkTest } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { errorCodeOf, isKnownRefusal } from '../../../../shared/bridge/errors.ts'
import { plainOutcome } from '../../../../shared/bridge/endpoints/outcomes.ts'
import { parsePointer, toPointerStep } from '../../../../shared/json/pointer.ts'

/** What the host has said so far, in its own words; null if it never said. */
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

/** How many characters of a host's word a fact keeps; the whole answer is in its event. */
const MAX_WORD_CHARS = 200

/**
 * The facts from the last answer or `pencil-result` that stated them; what was read back says nothing about the command itself. Only a
 * look says anything about a snapshot: an acknowledgement is no outcome (spec §3 rule 1).
 */
export function updateFacts(facts: OperationFacts, event: OperationEvent, requestId: string | null): OperationFacts {
  const look = event.kind === 'observation' && event.source === 'pencil-result' && hasRequestedRecord(event, requestId)
  if (event.kind !== 'answer' && !look) return facts
  const { body } = event
  if (event.kind === 'answer' && isForOtherRequest(body, requestId)) return facts
  const said = parseReportedFacts(body)
  return {
    persisted: said.persisted ?? facts.persisted,
    settled: said.settled ?? facts.settled,
    outcome: said.outcome ?? facts.outcome,
    persistedSnapshotVerified: (look ? said.persistedSnapshotVerified : null) ?? facts.persistedSnapshotVerified,
    snapshotCurrent: (look ? said.snapshotCurrent : null) ?? facts.snapshotCurrent,
    errorCode: said.errorCode ?? facts.errorCode,
    windowId: said.windowId ?? facts.windowId,
  }
}

/** What one answer states, whatever the host put into it; null for what it does not state. */
export function parseReportedFacts(body: unknown): OperationFacts {
  const flag = (name: string): boolean | null => {
    const value = getMember(body, name)
    return typeof value === 'boolean' ? value : null
  }
  const text = (name: string): string | null => {
    const value = getMember(body, name)
    return typeof value === 'string' ? value.slice(0, MAX_WORD_CHARS) : null
  }
  return {
    persisted: flag('persisted'),
    settled: flag('settled'),
    outcome: text('outcome'),
    persistedSnapshotVerified: flag('persistedSnapshotVerified'),
    snapshotCurrent: flag('snapshotCurrent'),
    errorCode: errorCodeOf(body)?.slice(0, MAX_WORD_CHARS) ?? null,
    windowId: text('windowId'),
  }
}

/**
 * Whether a look was answered with what was looked for: a refusal of the look says nothing about the operation. An error next to
 * `settled: true` is how the operation ended.
 */
export function hasRequestedRecord(
  { status, body, source }: Extract<OperationEvent, { kind: 'observation' }>,
  requestId: string | null,
): boolean {
  if (status < 200 || status >= 300 || !isObject(body)) return false
  // A session record names its own command (`matches`).
  if (source === 'pencil-result' && isForOtherRequest(body, requestId)) return false
  return errorCodeOf(body) === null || getMember(body, 'settled') === true
}

/** Whether an answer names a different request from the one that was asked about. */
export function isForOtherRequest(body: unknown, requestId: string | null): boolean {
  const named = getMember(body, 'requestId')
  return requestId !== null && typeof named === 'string' && named !== requestId
}

/**
 * Whether an answer says that the command was not executed. A documented code says so itself, whatever the status (spec §7). Without one,
 * an error of the host itself (5xx) or a timeout (408) may come after it was executed.
 */
export function isRefusal(status: number, code: string | null): boolean {
  if (isKnownRefusal(code)) return true
  if (status === 408) return false
  if (status >= 400 && status < 500) return true
  return code !== null && status < 300
}

/** What the response to a write says about it, with the members that say so. */
export interface OutcomeJudgement {
  /** `not reported`: no documented member says. That is neither a failure nor a success. */
  readonly done: 'yes' | 'partly' | 'no' | 'not reported'
  /** JSON pointers and the values found there, the deciding ones first. */
  readonly quoted: readonly (readonly [pointer: string, value: unknown])[]
}

/** Maximum number of members that are quoted; all of them are judged. */
const MAX_QUOTED = 20

/**
 * How a write ended, by the marks of its row (spec §1: `error` is failure, `persisted` is read for every write; other members by
 * observed-0.49). A mark for no outweighs one for partly, which outweighs one for yes. `asked` names the parameters and members that were
 * sent; null if unknown. Pure, and never throws, whatever the host sent.
 */
export function judgeOutcome(
  endpointId: string,
  value: unknown,
  asked: ReadonlySet<string> | null = null,
): OutcomeJudgement {
  const error = getMember(value, 'error')
  if (error !== undefined && error !== null) {
    const code = getMember(error, 'code')
    return { done: 'no', quoted: [code === undefined ? ['/error', error] : ['/error/code', code]] }
  }
  const row = findEndpointById(endpointId)
  // A row that is not in the table, or no longer, is judged by what any write may say.
  const outcome = row ? row.outcome : plainOutcome
  if (!outcome) return { done: 'not reported', quoted: [] }
  const holding = (marks: readonly OutcomeMark[]): [string, unknown][] =>
    marks
      .filter((mark) => mark.onlyIfSent === undefined || asked === null || asked.has(mark.onlyIfSent))
      .flatMap(({ pointer: at, test: is }) => found(value, at).filter(([, there]) => holds(is, there, value)))
  const no = holding(outcome.failure)
  const partly = holding(outcome.partial)
  const yes = holding(outcome.success)
  const beside = outcome.quotedPointers.flatMap((at) => found(value, at))
  const done = no.length > 0 ? 'no' : partly.length > 0 ? 'partly' : yes.length > 0 ? 'yes' : 'not reported'
  const quoted = [...new Map([...no, ...partly, ...yes, ...beside])]
  return { done, quoted: quoted.slice(0, MAX_QUOTED) }
}

/** The values at a pointer, or at each of the places that it names; empty if there are none. */
function found(value: unknown, at: string): [string, unknown][] {
  let places: [string, unknown][] = [['', value]]
  for (const step of parsePointer(at)) {
    places = places.flatMap(([path, there]): [string, unknown][] => {
      if (step === '*') {
        return Array.isArray(there) ? there.map((one: unknown, n) => [`${path}/${n}`, one]) : []
      }
      const inner = getMember(there, step)
      return inner === undefined ? [] : [[path + toPointerStep(step), inner]]
    })
  }
  return places
}

function holds(is: MarkTest, there: unknown, whole: unknown): boolean {
  if (typeof is === 'object') {
    if ('word' in is) return there === is.word
    if ('other' in is) return typeof there === 'string' && !is.other.includes(there)
    const other = found(whole, is.unlike)[0]?.[1]
    return typeof there === 'number' && typeof other === 'number' && there !== other
  }
  switch (is) {
    case 'true':
      return there === true
    case 'false':
      return there === false
    case 'present':
      return there !== null
    case 'some':
      return isSome(there)
    case 'none':
      return there !== null && !isSome(there)
  }
}

function isSome(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value > 0
  if (typeof value === 'string' || Array.isArray(value)) return value.length > 0
  return isObject(value) && Object.keys(value).length > 0
}
