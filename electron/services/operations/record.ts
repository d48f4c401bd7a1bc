import { changesOf, verdictOf } from '../../../shared/bridge/operation-proof.ts'
import { deriveOperation, isOpen, type Derived } from '../../../shared/bridge/operation.ts'
import type { OperationEvent } from '../../../shared/bridge/operation-states.ts'
import type { Operation, OperationSummary } from '../../../shared/ipc/operations.ts'
import type { StoredOperation } from '../journal/types.ts'

/** One operation in memory: what it is, everything that was seen of it, and how it is watched. */
export class OperationRecord {
  readonly stored: StoredOperation
  readonly events: OperationEvent[]
  seen: boolean
  tracking: OperationSummary['tracking'] = 'none'
  nextLookAt: number | null = null
  #derived: Derived | null = null

  constructor(stored: StoredOperation, events: readonly OperationEvent[], seen: boolean) {
    this.stored = stored
    this.events = [...events]
    this.seen = seen
  }

  get id(): string {
    return this.stored.id
  }

  get derived(): Derived {
    return (this.#derived ??= deriveOperation(this.stored.endpoint, this.events))
  }

  get open(): boolean {
    return isOpen(this.derived.state)
  }

  add(event: OperationEvent): void {
    this.events.push(event)
    this.#derived = null
  }

  /** The host's instance that answered the command, or was seen last. */
  get nonce(): string | null {
    const answers = this.events.flatMap((event) => (event.kind === 'answer' ? [event.instanceNonce] : []))
    return answers.at(-1) ?? null
  }

  /** `restartedAt`: when the host that it was sent to was seen to have restarted last. */
  summary(restartedAt: number | null): OperationSummary {
    const { stored, events } = this
    const { state, facts } = this.derived
    const last = events.at(-1)
    return {
      id: stored.id,
      endpoint: stored.endpoint,
      origin: stored.source,
      profileId: stored.profileId,
      profileName: stored.profileName,
      createdAt: stored.createdAt,
      updatedAt: last?.at ?? stored.createdAt,
      state,
      outcome: facts.outcome,
      verdict: verdictOf(stored.endpoint, this.derived, events),
      errorCode: facts.errorCode,
      requestId: stored.requestId,
      topicid: stored.topicid,
      noteid: stored.noteid,
      windowId: facts.windowId,
      tracking: this.tracking,
      nextLookAt: this.nextLookAt,
      observations: events.filter(({ kind }) => kind === 'observation').length,
      beforeRestart: restartedAt !== null && stored.createdAt < restartedAt && this.#lastReadBack() < restartedAt,
      unseen: !this.seen,
    }
  }

  detail(restartedAt: number | null): Operation {
    const { method, path, host, body } = this.stored
    return {
      summary: this.summary(restartedAt),
      method,
      path,
      origin: host,
      body,
      events: this.events,
      eventsDropped: 0,
      transitions: [...this.derived.transitions],
      changes: [...changesOf(this.events)],
    }
  }

  #lastReadBack(): number {
    return this.events.reduce((last, event) => (event.kind === 'read-back' ? event.at : last), 0)
  }
}
