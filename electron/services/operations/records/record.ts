import { getSentNames, computeVerdict } from '../outcome/verdict.ts'
import { findChanges, findLaterChanges, collectReadBacks } from '../outcome/effect.ts'
import { getCommandKind } from '../../../../shared/bridge/endpoints/index.ts'
import { deriveOperation, type DerivedOperation } from '../outcome/derived-operation.ts'
import { getNextSteps, hasDuration } from '../outcome/next-steps.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import {
  isUnfinished,
  type FilterableOperation,
  type Operation,
  type OperationSummary,
} from '../../../../shared/ipc/operations.ts'
import type { StoredOperation } from '../../journal/types.ts'
import { selectShownEvents } from './events.ts'
import { getReadBackSubject, type ReadBackSubject } from './read-back.ts'
import { toNonEmptyText, getMember, isObject } from '../../../../shared/json/object.ts'

/** Maximum characters of a title in a summary. */
const MAX_TITLE_CHARS = 300

/**
 * The card and the study set of a command: those that it names, or that the host names in the
 * outcome of a watched request. The study set in the first read-back takes precedence over the
 * command's.
 */
function findNamedCard(
  { noteid, topicid, source }: StoredOperation,
  events: readonly OperationEvent[],
): Pick<OperationSummary, 'noteid' | 'topicid' | 'cardTitle'> {
  const target = source === 'watched' ? findObservedTarget(events) : undefined
  const card = noteid ?? toId(getMember(target, 'noteid'))
  const cardTitle = card === null ? null : findCardTitle(events, card)
  return {
    noteid: card,
    ...(cardTitle === null ? {} : { cardTitle }),
    topicid: findStudySet(events) ?? topicid ?? toId(getMember(target, 'topicid')),
  }
}

function findObservedTarget(events: readonly OperationEvent[]): unknown {
  const observation = events.findLast(
    (event) => event.kind === 'observation' && getMember(event.body, 'target') !== undefined,
  )
  return observation?.kind === 'observation' ? getMember(observation.body, 'target') : undefined
}

/** The card's title when it was last read. */
function findCardTitle(events: readonly OperationEvent[], noteid: string): string | null {
  for (const event of events.toReversed()) {
    if (event.kind !== 'read-back' || !isObject(event.facts)) continue
    const { facts } = event
    const title = toNonEmptyText(facts[facts['noteid'] === noteid ? 'title' : `${noteid}.title`])
    if (title) return title.slice(0, MAX_TITLE_CHARS)
  }
  return null
}

/** If a command has several cards, this is the study set of the first one. */
function findStudySet(events: readonly OperationEvent[]): string | null {
  for (const event of events) {
    if (event.kind !== 'read-back' || !isObject(event.facts)) continue
    const [entry] = Object.entries(event.facts).filter(([name]) => name === 'topicid' || name.endsWith('.topicid'))
    const id = toId(entry?.[1])
    if (id !== null) return id
  }
  return null
}

/** Longer ids are ignored, because no lookup accepts them. */
const toId = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= 200 ? value : null

type Tracking = OperationSummary['tracking']

/** One operation in memory: its command, its events, and how it is watched. */
export class OperationRecord {
  readonly stored: StoredOperation
  isSeen: boolean
  tracking: Tracking
  nextPollAt: number | null = null
  /** Polls of this run that brought nothing to note. */
  unrecordedPolls = 0
  /** Position of the next event in the journal. */
  nextPlace: number
  #events: OperationEvent[] | null
  #derived: DerivedOperation | null = null
  #summary: OperationSummary | null = null
  #instanceNonce: string | null
  readonly #reload: () => readonly OperationEvent[]

  /** `reload` returns the events again after `releaseEvents`. */
  constructor(
    stored: StoredOperation,
    events: readonly OperationEvent[],
    isSeen: boolean,
    nextPlace: number,
    reload: () => readonly OperationEvent[],
  ) {
    this.stored = stored
    this.#events = [...events]
    this.nextPlace = nextPlace
    this.isSeen = isSeen
    this.#reload = reload
    this.#instanceNonce = findLastNonce(events) ?? stored.instanceNonce
    this.tracking = getInitialTracking(this)
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

  /** True while an outcome may still come. */
  get isOpen(): boolean {
    return getNextSteps(this.state).isOpen
  }

  /** True while an outcome is expected, because the operation is on its way or being watched. */
  get isOutcomeExpected(): boolean {
    return isUnfinished(this)
  }

  /** The run of the host that last reported on the operation. */
  get instanceNonce(): string | null {
    return this.#instanceNonce
  }

  /** The host last reported that it has no record. Later read-backs do not change that. */
  get isRecordGone(): boolean {
    return this.events.findLast(({ kind }) => kind !== 'read-back')?.kind === 'record-gone'
  }

  get filterFacts(): FilterableOperation {
    const { id, endpoint, requestId, host } = this.stored
    const { state, topicid, noteid } = this.#getBaseSummary()
    return { id, endpoint, requestId, host, state, topicid, noteid, tracking: this.tracking }
  }

  /** The data it touches, including the ids that a host reported for a watched request. */
  get subject(): ReadBackSubject {
    const { topicid, noteid } = this.#getBaseSummary()
    return getReadBackSubject({ ...this.stored, noteid, topicid: this.stored.topicid ?? topicid })
  }

  addEvent(event: OperationEvent): void {
    if (this.#events) this.#events.push(event)
    this.nextPlace += 1
    this.#instanceNonce = findLastNonce([event]) ?? this.#instanceNonce
    this.#derived = null
    this.#summary = null
  }

  /** Drops the events of a finished record from memory; they are loaded again on demand. */
  releaseEvents(): void {
    if (this.isOutcomeExpected) return
    this.#getBaseSummary()
    this.#events = null
  }

  /** `currentNonce` is the run of this record's host that is connected; null if none is. */
  toSummary(currentNonce: string | null): OperationSummary {
    const summary = this.#getBaseSummary()
    return {
      ...summary,
      tracking: this.tracking,
      observations: summary.observations + this.unrecordedPolls,
      nextLookAt: this.nextPollAt,
      beforeRestart: currentNonce !== null && this.#instanceNonce !== null && this.#instanceNonce !== currentNonce,
      unseen: !this.isSeen,
    }
  }

  toDetail(currentNonce: string | null, earlier: Operation['earlier']): Operation {
    const { method, path, host, body } = this.stored
    const { events, transitions, dropped } = selectShownEvents(this.events, this.derived.transitions)
    const reads = collectReadBacks(this.derived, this.events)
    return {
      summary: this.toSummary(currentNonce),
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

  #getBaseSummary(): OperationSummary {
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
      failureCode: findFailureCode(events),
      durationMs: computeDuration(derived, events),
      caller: stored.caller,
      requestId: stored.requestId,
      host: stored.host,
      ...findNamedCard(stored, events),
      windowId: facts.windowId,
      tracking: this.tracking,
      nextLookAt: null,
      observations: events.filter(({ kind }) => kind === 'observation' || kind === 'record-gone').length,
      beforeRestart: false,
      unseen: false,
    }
    return this.#summary
  }
}

function getInitialTracking(record: OperationRecord): Tracking {
  const { stored, events, state } = record
  if (getCommandKind(stored.endpoint) === 'plain' || stored.requestId === null) return 'none'
  if (state === 'given-up') {
    const lastGivenUp = events.findLast(({ kind }) => kind === 'given-up')
    return lastGivenUp?.kind === 'given-up' && lastGivenUp.by === 'person' ? 'stopped' : 'ended'
  }
  // A host that lost a record will not find it again.
  if (record.isOpen && record.isRecordGone) return 'ended'
  if (getNextSteps(state).canPoll) return 'paused-offline'
  return events.some(({ kind }) => kind === 'observation') ? 'ended' : 'none'
}

function findLastNonce(events: readonly OperationEvent[]): string | null {
  for (const event of events.toReversed()) {
    // A failed read got no response, so it does not show in which run the host is.
    const isFromHost = event.kind === 'answer' || (event.kind === 'read-back' && event.error === null)
    if (isFromHost && event.instanceNonce !== null) return event.instanceNonce
  }
  return null
}

/** Milliseconds from sending until the end became known; null if not sent or still open. */
function computeDuration(
  { state, transitions }: Pick<DerivedOperation, 'state' | 'transitions'>,
  events: readonly OperationEvent[],
): number | null {
  const sentEvent = events.find(({ kind }) => kind === 'sent')
  const lastTransition = transitions.at(-1)
  if (!sentEvent || !lastTransition || !hasDuration(state)) return null
  // The clock may have been set back between the two events.
  return Math.max(0, lastTransition.at - sentEvent.at)
}

/** Error that kept a command or its response from getting through; null after a response. */
function findFailureCode(events: readonly OperationEvent[]): string | null {
  if (events.some(({ kind }) => kind === 'answer')) return null
  const failure = events.findLast((event) => event.kind === 'failure')
  return failure?.kind === 'failure' ? toNonEmptyText(getMember(failure.error, 'code')) : null
}
