import type { OperationVerdict } from '../../../../shared/operations/operation-verdict.ts'
import { getCommandKind } from '../../../../shared/bridge/endpoints/index.ts'
import type { DerivedOperation } from './derived-operation.ts'
import { checkEffect, findChanges, collectReadBacks, type ReadBackFacts } from './effect.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import { hasRequestedRecord, parseReportedFacts, judgeOutcome } from './reported-facts.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'

interface SentCommand {
  readonly endpoint: string
  /** The JSON text of the body; null if there was none or it is unknown. */
  readonly body: string | null
  readonly requestId: string | null
  /** Path with query; absent if unknown. */
  readonly path?: string
}

/**
 * Judges what proves that a write is in the host: the acknowledgement, every observation and the
 * independent read-backs, combined into one verdict. An acknowledgement alone never means more than
 * accepted (spec §3 rule 1). The verdict is about the time when the command ended; later events
 * only change the facts next to it.
 */
export function computeVerdict(
  command: SentCommand,
  derived: DerivedOperation,
  events: readonly OperationEvent[],
): OperationVerdict {
  const { persisted, outcome, persistedSnapshotVerified, snapshotCurrent } = derived.facts
  const reported = { persisted, outcome, persistedSnapshotVerified, snapshotCurrent }
  return { code: toVerdictCode(command, derived, events), ...reported, ...getReportedResult(command, events) }
}

/** Names of the parameters and members that were sent; null if the path is unknown. */
export function getSentNames({ path, body }: Pick<SentCommand, 'path' | 'body'>): ReadonlySet<string> | null {
  if (path === undefined) return null
  const query = path.split('?')[1] ?? ''
  const names = query.split('&').map((pair) => pair.split('=', 1)[0] ?? '')
  return new Set([...names, ...Object.keys(Object(parseBodyText(body)) as object)])
}

const MAX_QUOTED_MEMBERS = 6
const MAX_VALUE_CHARS = 200

/** Judges the outcome of a plain write by its response and the outcome marks of its endpoint. */
function getReportedResult(
  command: SentCommand,
  events: readonly OperationEvent[],
): Pick<OperationVerdict, 'done' | 'quoted'> {
  const { endpoint } = command
  const response = events.find((event) => event.kind === 'answer')
  if (!response || getCommandKind(endpoint) !== 'plain') return { done: null, quoted: [] }
  const { done, quoted } = judgeOutcome(endpoint, response.body, getSentNames(command))
  const quotedTexts = quoted
    .slice(0, MAX_QUOTED_MEMBERS)
    .map(([pointer, value]) => ({ at: pointer, value: toQuotedText(value) }))
  return { done, quoted: quotedTexts }
}

const isReportedIncomplete = (command: SentCommand, events: readonly OperationEvent[]): boolean => {
  const { done } = getReportedResult(command, events)
  return done === 'partly' || done === 'no'
}

function toQuotedText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text
}

function toVerdictCode(
  command: SentCommand,
  derived: DerivedOperation,
  events: readonly OperationEvent[],
): OperationVerdict['code'] {
  const reads = collectReadBacks(derived, events)
  const isCompared = reads.before !== null && reads.after !== null
  const hasChanged = isCompared && findChanges(reads).length > 0
  switch (getStateBeforeGivingUp(derived)) {
    case 'prepared':
    case 'sent':
      return 'in-progress'
    case 'not-sent':
      return 'nothing-sent'
    case 'pending':
    case 'given-up':
      return getCommandKind(command.endpoint) === 'session' ? toSessionCode(derived, events) : 'accepted-only'
    case 'recorded':
      return 'session-recorded'
    case 'settled':
      if (getCommandKind(command.endpoint) === 'session') return 'session-settled'
      return toSettledCode(command, derived, events)
    case 'persisted': {
      const effect = checkSentEffect(command, reads, events)
      return effect === true ? 'saved-and-verified' : effect === false ? 'saved-but-differs' : 'saved-unverified'
    }
    case 'unconfirmed':
      // The host did not report the write as done, but the requested content is there now and was
      // not there before. This does not complete a partial write.
      if (
        derived.facts.persisted === null &&
        !isReportedIncomplete(command, events) &&
        hasTakenEffect(command, reads, events)
      ) {
        return 'unsaid-but-verified'
      }
      return toUnknownCode(events, isCompared, hasChanged)
    case 'unknown-no-answer':
    case 'unknown-host-restart':
    case 'unknown-no-record':
    case 'unknown-app-ended':
      return toUnknownCode(events, isCompared, hasChanged)
    case 'conflict':
    case 'refused':
      return isCompared ? (hasChanged ? 'refused-changed' : 'refused-unchanged') : 'refused'
  }
}

/** Giving up neither proves nor disproves an outcome. */
const getStateBeforeGivingUp = ({ state, transitions }: DerivedOperation): DerivedOperation['state'] =>
  state === 'given-up' ? (transitions.at(-2)?.state ?? 'pending') : state

/** Uses the first result since the end that reports whether a snapshot was verified. */
function toSettledCode(
  { requestId }: SentCommand,
  { transitions }: DerivedOperation,
  events: readonly OperationEvent[],
): OperationVerdict['code'] {
  const results = events
    .slice(transitions.at(-1)?.event ?? 0)
    .filter((event) => event.kind === 'observation')
    .filter((event) => event.source === 'pencil-result' && hasRequestedRecord(event, requestId))
    .map(({ body }) => parseReportedFacts(body))
    .filter(({ settled }) => settled === true)
  const [first] = results
  const verifying = results.find(({ persistedSnapshotVerified }) => persistedSnapshotVerified !== null)
  const error = first?.errorCode ?? null
  const failed = error !== null || /fail|error|abort|cancel|reject|lost/i.test(first?.outcome ?? '')
  if (!verifying) return error === null ? 'settled-unverified' : 'settled-not-saved'
  if (verifying.persistedSnapshotVerified === false) return 'settled-not-saved'
  if (failed || verifying.persisted === false) return 'settled-contradictory'
  // The meaning of `snapshotCurrent` is not shown (spec §4): it stands beside the verdict as sent.
  return 'saved-and-verified'
}

function toUnknownCode(
  events: readonly OperationEvent[],
  isCompared: boolean,
  hasChanged: boolean,
): OperationVerdict['code'] {
  const otherSessionCode = findOtherSession(events)
  if (otherSessionCode) return otherSessionCode
  return isCompared ? (hasChanged ? 'unknown-changed' : 'unknown-unchanged') : 'unknown-not-read-back'
}

/** It writes only the session record; reading that again confirms it, if there is a route. */
function toSessionCode({ facts }: DerivedOperation, events: readonly OperationEvent[]): OperationVerdict['code'] {
  const otherSessionCode = findOtherSession(events)
  if (otherSessionCode) return otherSessionCode
  const hasNoConfirmation = events.some((event) => event.kind === 'given-up' && event.by === 'no-confirmation')
  // Acknowledged without `persisted`, the record may not be written (spec §3 rule 2).
  return hasNoConfirmation && facts.persisted === true ? 'no-confirmation-exists' : 'accepted-only'
}

/** The session record was read again, and names another command or no session. */
function findOtherSession(events: readonly OperationEvent[]): 'session-other' | 'session-none' | null {
  const last = events.findLast(
    (event) => event.kind === 'observation' && event.source === 'session-record' && event.asBefore !== true,
  )
  if (last?.kind !== 'observation' || last.matches !== false) return null
  return isNoSession(last.body) ? 'session-none' : 'session-other'
}

const isNoSession = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, 'session') && Reflect.get(body, 'session') === null

/** The requested content is there now and was not there before the command. */
function hasTakenEffect(command: SentCommand, reads: ReadBackFacts, events: readonly OperationEvent[]): boolean {
  if (reads.before === null || checkSentEffect(command, reads, events) !== true) return false
  return checkSentEffect(command, { ...reads, after: reads.before }, events) !== true
}

function checkSentEffect(
  { endpoint, body }: SentCommand,
  { before, after }: ReadBackFacts,
  events: readonly OperationEvent[],
) {
  const response = events.find((event) => event.kind === 'answer')?.body
  return after && checkEffect(endpoint, { body: parseBodyText(body), response, before, after })
}
