import { transport } from '#transport'
import { isTopicName, ipcTopics, type IpcPayload, type TopicName } from '../../shared/ipc/index.ts'

type PayloadListener = (payload: unknown) => void
type ServiceStateListener = (connected: boolean) => void

const listeners = new Map<TopicName, Set<PayloadListener>>()
const stateListeners = new Set<ServiceStateListener>()
let isConnected = true
let stopListening: (() => void) | null = null

/** Opens the page's only stream. A push that breaks the contract is dropped. */
function openStream(): void {
  stopListening ??= transport.listen(
    (event) => {
      if (!isTopicName(event.topic)) return
      const parsed = ipcTopics[event.topic].payload.safeParse(event.payload)
      if (!parsed.success) return
      for (const listener of [...(listeners.get(event.topic) ?? [])]) listener(parsed.data)
    },
    (isNowConnected) => {
      isConnected = isNowConnected
      for (const listener of [...stateListeners]) listener(isNowConnected)
    },
  )
}

/** Passes the parsed payload of pushes to `listener` until the returned function is called. */
export function subscribe<T extends TopicName>(topic: T, listener: (payload: IpcPayload<T>) => void): () => void {
  const set = listeners.get(topic) ?? new Set<PayloadListener>()
  listeners.set(topic, set)
  const entry = listener as PayloadListener
  set.add(entry)
  openStream()
  return () => {
    set.delete(entry)
  }
}

/** Called at once if the service process can be reached, and whenever it can be again. */
export function onServiceReachable(listener: () => void): () => void {
  return onServiceState((reachable) => {
    if (reachable) listener()
  })
}

/** Called whenever the service process is reached again: pushes may have been missed. */
export function onServiceBack(listener: () => void): () => void {
  let isAway = false
  return onServiceState((reachable) => {
    if (reachable && isAway) listener()
    isAway = !reachable
  })
}

/** Calls `listener` at once and on every change. */
export function onServiceState(listener: ServiceStateListener): () => void {
  stateListeners.add(listener)
  openStream()
  listener(isConnected)
  return () => {
    stateListeners.delete(listener)
  }
}
