import type { CallRequest, EventMessage, Reply } from '../shared/ipc/wire.ts'

declare global {
  interface Window {
    /** The preload's three doors; there is none in the browser. */
    readonly bridgeInspector?: {
      call(request: CallRequest): Promise<Reply>
      cancel(id: string): void
      listen(listener: (event: EventMessage) => void): () => void
    }
  }
}
