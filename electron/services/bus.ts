import type { DataChange } from '../../shared/bridge/data-change.ts'
import { isTopicName, type IpcPayload, type TopicName } from '../../shared/ipc/index.ts'
import type { EventMessage } from '../../shared/ipc/method-definition.ts'
import type { BridgeRequest, ExchangeEnd, ExchangeStart } from './bridge/types.ts'
import type { StoredOperation } from './journal/types.ts'

/** Sender and time of the request that made a change. */
export interface ChangeSource {
  /** Base URL. */
  readonly host: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** The parsed body of the request. */
  readonly body: unknown
}

/** Messages between services, which no page receives: they may hold tokens and whole bodies. */
interface InternalTopics {
  /** A request that writes is about to be sent, or has ended. */
  'bridge.write': BridgeRequest
  /** Published before the exchange is recorded: nobody can read its body after that. */
  'bridge.exchangeEnded': { readonly start: ExchangeStart; readonly end: ExchangeEnd }
  /** A request has made a change, whichever host it was sent to. */
  'operations.changedData': { readonly change: DataChange; readonly source: ChangeSource }
  /** A watched command has ended. */
  'operations.ended': StoredOperation
  /** The profile with this id has become read-only, or is no longer. */
  'profiles.lockChanged': string
  /** A call of a panel's page has ended. It is notable if it failed, or writes. */
  'traffic.panelCallEnded': { readonly id: string; readonly caller: string | undefined; readonly isNotable: boolean }
  /** The keyring has provided the token of the profile with this id after its timeout. */
  'vault.unlocked': string
}

type BusTopics = InternalTopics & { [T in TopicName]: IpcPayload<T> }

/** Passes messages of services to other services and to every subscribed page. */
export interface Bus {
  /** Calls all listeners before it returns. */
  publish<T extends keyof BusTopics>(topic: T, payload: BusTopics[T]): void
  /** Returns a function that removes the listener. */
  on<T extends keyof BusTopics>(topic: T, listener: (payload: BusTopics[T]) => void): () => void
  /** Listens to the topics of pages. */
  subscribe(listener: (event: EventMessage) => void): () => void
}

const rethrow = (error: unknown): never => {
  throw error
}

/** Creates a bus; `onError` gets listeners' errors, so that no page interrupts a service. */
export function createBus(onError: (error: unknown) => void = rethrow): Bus {
  const listeners = new Set<(event: EventMessage) => void>()

  function add(listener: (event: EventMessage) => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

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
    on: (topic, listener) =>
      add((event) => {
        if (event.topic === topic) listener(event.payload as BusTopics[typeof topic])
      }),
    subscribe: (listener) =>
      add((event) => {
        if (isTopicName(event.topic)) listener(event)
      }),
  }
}
