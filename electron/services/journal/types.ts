import type { OperationEvent } from '../../../shared/operations/operation-events.ts'
import type { JournalInfo } from '../../../shared/ipc/journal.ts'

/** The part of an operation that never changes. Known tokens have been removed from its texts. */
export interface StoredOperation {
  readonly id: string
  readonly endpoint: string
  /** `sent` by this app, `watched` by its request id, or sent by another client (`recorded`). */
  readonly source: 'sent' | 'watched' | 'recorded'
  readonly profileId: string
  readonly profileName: string
  /** Base URL, such as `http://127.0.0.1:42340`. */
  readonly host: string
  readonly method: string
  /** Path with query, without scheme and host. */
  readonly path: string
  readonly body: string | null
  readonly createdAt: number
  readonly requestId: string | null
  readonly topicid: string | null
  readonly noteid: string | null
  /** Run of the host that it was made for; null if the host does not identify its runs. */
  readonly instanceNonce: string | null
  /** View, part of the program or recorded client that composed it; null if unknown. */
  readonly caller: string | null
}

export interface LoadedOperation extends StoredOperation {
  readonly events: readonly OperationEvent[]
  /** Position of the next event; larger than the number of events if an event could not be read. */
  readonly nextPlace: number
  readonly isSeen: boolean
}

/**
 * Stores operations. Every method is synchronous and returns only once its write is on disk,
 * because a request may be sent only after that.
 * @throws JOURNAL_FAILED when a write fails (disk full, I/O error, busy)
 */
export interface Journal {
  /** Every record, oldest first. */
  load(): readonly LoadedOperation[]
  events(id: string): readonly OperationEvent[]
  create(operation: StoredOperation, first: OperationEvent): void
  /** @param place the event's position in its record, from 0. */
  append(id: string, place: number, event: OperationEvent): void
  setSeen(id: string, seen: boolean): void
  remove(ids: readonly string[]): void
  info(): JournalInfo
  close(): void
}
