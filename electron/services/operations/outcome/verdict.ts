import type { OperationVerdict } from '../../../../shared/operations/operation-verdict.ts'
import { getCommandKind } from '../../../../shared/bridge/endpoints/index.ts'
import type { DerivedOperation } from './derived-operation.ts'
import { checkEffect, findChanges, collectReadBacks, type ReadBackFacts } from './effect.ts'
import { parseBodyText } from '../../../../shared/operations/prepared-write.ts'
import { hasRequestedRecord, parseReportedFacts, judgeOutcome } from './reported-facts.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'

/** A command as it was sent. */
interface Sent {
  readonly endpoint: string
  /** The JSON text of its body; null if there was none, or it is unknown. */
  readonly body: string | null
  readonly requestId: string | null
  /** With its query; absent if unknown. */
  readonly path?: string
}

/**
 * What proves, or does not prove, that a write is in the host: the acknowledgement, every observation and the independent read-backs,
 * combined into one verdict. An acknowledgement alone never means more than accepted (spec §3 rule 1). The judgement is about what was
 * seen when the command ended; what is seen later only changes the facts next to it.
 */
export function computeVerdict(
  sent: Sent,
  derived: DerivedOperation,
  events: readonly OperationEvent[],
): OperationVerdict {
  const { persisted, outcome, persistedSnapshotVerified, snapshotCurrent } = derived.facts
  const said = { persisted, outcome, persistedSnapshotVerified, snapshotCurrent }
  return { code: codeOf(sent, derived, events), ...said, ...wordOf(sent, events) }
}

/** Names of the parameters and members that a command was sent with; null if its path is unknown. */
export function getSentNames({ path, body }: Pick<Sent, 'path' | 'body'>): ReadonlySet<string> | null {
  if (path === undefined) return null
  const query = path.split('?')[1] ?? ''
  const names = query.split('&').map((pair) => pair.split('=', 1)[0] ?? '')
  return new Set([...names, ...Object.keys(Object(parseBodyText(body)) as object)])
}

/** Maximum number of members that a verdict quotes, and of characters of each. */
const MAX_QUOTED = 6
const MAX_VALUE_CHARS = 200

/** What the answer to a plain write says about it, by the marks of its row. */
function wordOf(sent: Sent, events: readonly OperationEvent[]): Pick<OperationVerdict, 'done' | 'quoted'> {
  const { endpoint } = sent
  const answer = events.find((event) => event.kind === 'answer')
  if (!answer || getCommandKind(endpoint) !== 'plain') return { done: null, quoted: [] }
  const { done, quoted } = judgeOutcome(endpoint, answer.body, getSentNames(sent))
  const shown = quoted.slice(0, MAX_QUOTED).map(([at, value]) => ({ at, value: shortOf(value) }))
  return { done, quoted: shown }
}

const saidLess = (sent: Sent, events: readonly OperationEvent[]): boolean => {
  const { done } = wordOf(sent, events)
  return done === 'partly' || done === 'no'
}

function shortOf(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text
}

function codeOf(sent: Sent, derived: DerivedOperation, events: readonly OperationEvent[]): OperationVerdict['code'] {
  const reads = collectReadBacks(derived, events)
  const compared = reads.before !== null && reads.after !== null
  const changed = compared && findChanges(reads).length > 0
  switch (untilGivenUp(derived)) {
    case 'prepared':
    case 'sent':
      return 'in-progress'
    case 'not-sent':
      return 'nothing-sent'
    case 'pending':
    case 'given-up':
      return getCommandKind(sent.endpoint) === 'session' ? sessionCode(derived, events) : 'accepted-only'
    case 'recorded':
      return 'session-recorded'
    case 'settled':
      return settledCode(sent, derived, events)
    case 'persisted': {
      const effect = effectIn(sent, reads, events)
      return effect === true ? 'saved-and-verified' : effect === false ? 'saved-but-differs' : 'saved-unverified'
    }
    case 'unconfirmed':
      // Nobody said that it was written; but it is there now and was not before, which is as good. That does not complete a partial write.
      if (derived.facts.persisted === null && !saidLess(sent, events) && tookEffect(sent, reads, events)) {
        return 'unsaid-but-verified'
      }
      return unknownCode(events, compared, changed)
    case 'unknown-no-answer':
    case 'unknown-host-restart':
    case 'unknown-no-record':
    case 'unknown-app-ended':
      return unknownCode(events, compared, changed)
    case 'conflict':
    case 'refused':
      return compared ? (changed ? 'refused-changed' : 'refused-unchanged') : 'refused'
  }
}

/** What was known when the watching ended: giving up proves nothing and retracts nothing. */
const untilGivenUp = ({ state, transitions }: DerivedOperation): DerivedOperation['state'] =>
  state === 'given-up' ? (transitions.at(-2)?.state ?? 'pending') : state

/** The first result since the end that says whether a snapshot was verified; only its own words count. */
function settledCode(
  { requestId }: Sent,
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
  const said = results.find(({ persistedSnapshotVerified }) => persistedSnapshotVerified !== null)
  const error = first?.errorCode ?? null
  const failed = error !== null || /fail|error|abort|cancel|reject|lost/i.test(first?.outcome ?? '')
  if (!said) return error === null ? 'settled-unverified' : 'settled-not-saved'
  if (said.persistedSnapshotVerified === false) return 'settled-not-saved'
  if (failed || said.persisted === false) return 'settled-contradictory'
  return said.snapshotCurrent === false ? 'saved-not-current' : 'saved-and-verified'
}

function unknownCode(events: readonly OperationEvent[], compared: boolean, changed: boolean): OperationVerdict['code'] {
  const other = otherSession(events)
  if (other) return other
  return compared ? (changed ? 'unknown-changed' : 'unknown-unchanged') : 'unknown-not-read-back'
}

/** A session command writes only the session record; reading that again confirms it, if the host has a route for it. */
function sessionCode({ facts }: DerivedOperation, events: readonly OperationEvent[]): OperationVerdict['code'] {
  const other = otherSession(events)
  if (other) return other
  const none = events.some((event) => event.kind === 'given-up' && event.by === 'no-confirmation')
  // Written is what the host said it is; an acknowledgement alone is not (spec §3 rule 2).
  return none && facts.persisted === true ? 'no-confirmation-exists' : 'accepted-only'
}

/** The session record was read again and names another command, or there is no session. */
function otherSession(events: readonly OperationEvent[]): 'session-other' | 'session-none' | null {
  const last = events.findLast(
    (event) => event.kind === 'observation' && event.source === 'session-record' && event.asBefore !== true,
  )
  if (last?.kind !== 'observation' || last.matches !== false) return null
  return isNone(last.body) ? 'session-none' : 'session-other'
}

const isNone = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, 'session') && Reflect.get(body, 'session') === null

/** What was requested is there now, and was not there before. */
function tookEffect(sent: Sent, reads: ReadBackFacts, events: readonly OperationEvent[]): boolean {
  if (reads.before === null || effectIn(sent, reads, events) !== true) return false
  return effectIn(sent, { ...reads, after: reads.before }, events) !== true
}

function effectIn({ endpoint, body }: Sent, { before, after }: ReadBackFacts, events: readonly OperationEvent[]) {
  const answer = events.find((event) => event.kind === 'answer')?.body
  return after && checkEffect(endpoint, { body: parseBodyText(body), answer, before, after })
}
