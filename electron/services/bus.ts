import type { IpcPayload, TopicName } from '../../shared/ipc/index.ts'
import type { EventMessage } from '../../shared/ipc/method-definition.ts'

/** Publishes messages from the service process to every subscribed page. */
export interface Bus {
  publish<T extends TopicName>(topic: T, payload: IpcPayload<T>): void
  subscribe(listener: (event: EventMessage) => void): () => void
}

const rethrow = (error: unknown): never => {
  throw error
}

/**
 * @param onError receives the errors of listeners, because an unreachable page must not interrupt a
 *   service.
 */
export function createBus(onError: (error: unknown) => void = rethrow): Bus {
  const listeners = new Set<(event: EventMessage) => void>()
  return {
    publish(topic, payload) {
      for (const listener of [...listeners]) {
        try {
          listener({ topic, payload })
        } catch (error) {
          onError(error)
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
