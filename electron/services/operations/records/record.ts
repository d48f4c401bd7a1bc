import { getSentNames, computeVerdict } from '../outcome/verdict.ts'
import { findChanges, findLaterChanges, collectReadBacks, CONCLUSIVE_STATES } from '../outcome/effect.ts'
import { getCommandKind } from '../../../../shared/bridge/endpoints/index.ts'
import { deriveOperation, isOpenState, type DerivedOperation } from '../outcome/derived-operation.ts'
import type { OperationEvent, OperationState } from '../../../../shared/operations/operation-events.ts'
import {
  isUnfinished,
  type FilterableOperation,
  type Operation,
  type OperationSummary,
} from '../../../../shared/ipc/operations.ts'
import type { StoredOperation } from '../../journal/types.ts'
import { selectShownEvents } from './events.ts'
import { findNamedCard } from './named-card.ts'
import { getReadBackSubject, type ReadBackSubject } from './read-back.ts'
import { toNonEmptyText, getMember } from '../../../../shared/json/object.ts'

type Tracking = OperationSummary['tracking']

/** One operation in memory: what it is, everything that was seen of it, and how it is watched. */
export class OperationRecord {
  readonly stored: StoredOperation
  isSeen: boolean
  tracking: Tracking
  nextPollAt: number | null = null
  /** Place of the next event in the journal. */
  nextPlace: number
  #events: OperationEvent[] | null
  #derived: DerivedOperation | null = null
  #summary: OperationSummary | null = null
  #nonce: string | null
  readonly #reload: () => readonly OperationEvent[]

  /** `reload` returns the events again after `release`. */
  constructor(
    stored: StoredOperation,
    events: readonly OperationEvent[],
    seen: boolean,
    next: number,
    reload: () => readonly OperationEvent[],
  ) {
    this.stored = stored
    this.#events = [...events]
    this.nextPlace = next
    this.isSeen = seen
    this.#reload = reload
    this.#nonce = lastNonce(events) ?? stored.instanceNonce
    this.tracking = trackingAtStart(this)
  }

  get id(): string {
    return this.stored.id
  }

  get events(): readonly OperationEvent[] {
    return (this.#events ??= [...this.#reload()])
  }

  get derived(): DerivedOperation {
    return (this.#derived ??= deriveOperation(
      this.stored.endpoint,
      this.events,
      this.stored.requestId,
      getSentNames(this.stored),
    ))
  }

  get state(): DerivedOperation['state'] {
    return this.derived.state
  }

  /** An outcome may still come. */
  get isOpen(): boolean {
    return isOpenState(this.state)
  }

  /** An outcome is still expected: the operation is on its way, or being tracked. */
  get isOutcomeExpected(): boolean {
    return isUnfinished(this)
  }

  /** The run of the host that last said something about it. */
  get instanceNonce(): string | null {
    return this.#nonce
  }

  /** The last thing the host said about it is that it has no record; reads in the meantime do not change that. */
  get isRecordGone(): boolean {
    return this.events.findLast(({ kind }) => kind !== 'read-back')?.kind === 'record-gone'
  }

  /** What the list's filter looks at. */
  get filterFacts(): FilterableOperation {
    const { id, endpoint, requestId, host } = this.stored
    const { state, topicid, noteid } = this.#base()
    return { id, endpoint, requestId, host, state, topicid, noteid, tracking: this.tracking }
  }

  /** What its command touches, including what a host said about a request made elsewhere. */
  get subject(): ReadBackSubject {
    const { topicid, noteid } = this.#base()
    return getReadBackSubject({ ...this.stored, noteid, topicid: this.stored.topicid ?? topicid })
  }

  addEvent(event: OperationEvent): void {
    if (this.#events) this.#events.push(event)
    this.nextPlace += 1
    this.#nonce = lastNonce([event]) ?? this.#nonce
    this.#derived = null
    this.#summary = null
  }

  /** Drops the events of a finished record; they are read again on demand. */
  releaseEvents(): void {
    if (this.isOutcomeExpected) return
    this.#base()
    this.#events = null
  }

  /** `current`: the run of this record's host that is connected now; null if none is. */
  toSummary(current: string | null): OperationSummary {
    return {
      ...this.#base(),
      tracking: this.tracking,
      nextLookAt: this.nextPollAt,
      beforeRestart: current !== null && this.#nonce !== null && this.#nonce !== current,
      unseen: !this.isSeen,
    }
  }

  toDetail(current: string | null, earlier: Operation['earlier']): Operation {
    const { method, path, host, body } = this.stored
    const { events, transitions, dropped } = selectShownEvents(this.events, this.derived.transitions)
    const reads = collectReadBacks(this.derived, this.events)
    return {
      summary: this.toSummary(current),
      method,
      path,
      origin: host,
      body,
      events,
      eventsDropped: dropped,
      transitions,
      changes: [...findChanges(reads)],
      since: [...findLaterChanges(reads)],
      readable: this.subject.kind !== 'nothing',
      earlier,
    }
  }

  #base(): OperationSummary {
    if (this.#summary) return this.#summary
    const { stored, events, derived } = this
    const { state, facts } = derived
    this.#summary = {
      id: stored.id,
      endpoint: stored.endpoint,
      origin: stored.source,
      profileId: stored.profileId,
      profileName: stored.profileName,
      createdAt: stored.createdAt,
      updatedAt: events.at(-1)?.at ?? stored.createdAt,
      state,
      outcome: facts.outcome,
      verdict: computeVerdict(stored, derived, events),
      errorCode: facts.errorCode,
      failureCode: failureCodeIn(events),
      durationMs: durationOf(derived, events),
      caller: stored.caller,
      requestId: stored.requestId,
      host: stored.host,
      ...findNamedCard(stored, events),
      windowId: facts.windowId,
      tracking: this.tracking,
      nextLookAt: null,
      observations: events.filter(({ kind }) => kind === 'observation').length,
      beforeRestart: false,
      unseen: false,
    }
    return this.#summary
  }
}

/** What a loaded record waits for: its host, or nothing any more. */
function trackingAtStart(record: OperationRecord): Tracking {
  const { stored, events, state } = record
  if (getCommandKind(stored.endpoint) === 'plain' || stored.requestId === null) return 'none'
  if (state === 'given-up') {
    const last = events.findLast(({ kind }) => kind === 'given-up')
    return last?.kind === 'given-up' && last.by === 'person' ? 'stopped' : 'ended'
  }
  // What the host has lost it will not find again.
  if (record.isOpen && record.isRecordGone) return 'ended'
  if (record.isOpen && state !== 'sent') return 'paused-offline'
  return events.some(({ kind }) => kind === 'observation') ? 'ended' : 'none'
}

function lastNonce(events: readonly OperationEvent[]): string | null {
  for (const event of events.toReversed()) {
    // A failed read has heard nothing from that run.
    const heard = event.kind === 'answer' || (event.kind === 'read-back' && event.error === null)
    if (heard && event.instanceNonce !== null) return event.instanceNonce
  }
  return null
}

/** States that say how long it took: what the host said last, or that it said nothing in time. */
const ended: ReadonlySet<OperationState> = new Set([...CONCLUSIVE_STATES, 'unknown-no-answer'])

/** Milliseconds from the sending of a command to what is known of its end; null while that is open, and without a sending. */
function durationOf(
  { state, transitions }: Pick<DerivedOperation, 'state' | 'transitions'>,
  events: readonly OperationEvent[],
): number | null {
  const sent = events.find(({ kind }) => kind === 'sent')
  const last = transitions.at(-1)
  if (!sent || !last || !ended.has(state)) return null
  // The clock may have been set back in between.
  return Math.max(0, last.at - sent.at)
}

/** Code of what kept a command or its answer from getting through; null once the host has answered. */
function failureCodeIn(events: readonly OperationEvent[]): string | null {
  if (events.some(({ kind }) => kind === 'answer')) return null
  const last = events.findLast((event) => event.kind === 'failure')
  return last?.kind === 'failure' ? toNonEmptyText(getMember(last.error, 'code')) : null
}
