import type { OperationEvent } from '../../../shared/bridge/operation-states.ts'
import type { JournalInfo } from '../../../shared/ipc/journal.ts'

/** What of an operation never changes. Texts are without any known token when they come here. */
export interface StoredOperation {
  readonly id: string
  readonly endpoint: string
  readonly source: 'sent' | 'watched'
  readonly profileId: string
  readonly profileName: string
  /** `http://127.0.0.1:42340` */
  readonly host: string
  readonly method: string
  /** Path with query, without scheme and host. */
  readonly path: string
  readonly body: string | null
  readonly createdAt: number
  readonly requestId: string | null
  readonly topicid: string | null
  readonly noteid: string | null
  /** The run of the host that it was made for; null where the host says none. */
  readonly instanceNonce: string | null
}

/** A record as it was when the journal was opened. */
export interface LoadedOperation extends StoredOperation {
  readonly events: readonly OperationEvent[]
  /** Place of the next event; larger than their number where one could not be read. */
  readonly next: number
  readonly seen: boolean
}

/**
 * Where operations are written down. Every method is synchronous and returns only when what it wrote is on the disk (WAL with
 * `synchronous=FULL`, and brought into the database), because a write may leave only after it. Throws `JOURNAL_FAILED` (AppError, kind `refused`) where it could not be
 * written (disk full, I/O error, busy).
 */
export interface Journal {
  /** Every record, oldest first. */
  load(): readonly LoadedOperation[]
  /** Events of one record, in order. */
  events(id: string): readonly OperationEvent[]
  create(operation: StoredOperation, first: OperationEvent): void
  /** `place` of the event in its record, from 0. */
  append(id: string, place: number, event: OperationEvent): void
  seen(id: string, seen: boolean): void
  /** Removes records by id. */
  remove(ids: readonly string[]): void
  info(): JournalInfo
  close(): void
}
