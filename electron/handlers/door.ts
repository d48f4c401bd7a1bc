import type { EventMessage, Reply } from '../../shared/ipc/wire.ts'

/** What a transport gets: everything a page may do. `caller` is one page; what it has under way ends with it. */
export interface Door {
  call(caller: string, request: unknown): Promise<Reply>
  cancel(caller: string, id: unknown): void
  /** The page is gone: every call of it is cancelled. */
  leave(caller: string): void
  subscribe(listener: (event: EventMessage) => void): () => void
}
