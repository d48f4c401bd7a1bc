import { computed, markRaw, onScopeDispose, proxyRefs, ref, shallowRef, watch, type Ref } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { ConnectionGap } from '../../shared/ipc/connection.ts'
import type { DataChange, DisplayedRead } from '../../shared/bridge/data-change.ts'
import { findEndpointById } from '../../shared/bridge/endpoints/index.ts'
import { useConnection } from './connection.ts'
import { useFreshness } from './data-changes.ts'
import { toAppError, isCancellation } from './errors.ts'

/** When, and in which epoch of the connection, something was read. */
interface ReadStamp {
  /** Epoch milliseconds. */
  readonly readAt: number
  readonly epoch: number
  /** How large it was, in bytes; absent where that is not known. */
  readonly bytes?: number
}

interface ResourceOptions<T> {
  /** Which read of the host it is; null while it is none. Without it, nothing is known to change it. */
  readonly getShownRead?: () => DisplayedRead | null
  /** It outlives whoever looks at it: it is read again by itself only while somebody does (`addViewer`). */
  readonly isRetained?: boolean
  /** Whether another value may take its place without being asked for. */
  readonly isReplaceable?: (value: T) => boolean
}

export type ResourceStatus = 'idle' | 'loading' | 'ready' | 'failed'

/** Reactive: what reads a member in a template or a computed value is told of its changes. */
export interface Resource<T> {
  readonly status: ResourceStatus
  /** The last good value; it stays while it is reloaded, and when that fails. */
  readonly data: T | null
  readonly error: AppError | null
  /** Loading for more than 150 ms: time to show a spinner. */
  readonly slow: boolean
  readonly readStamp: ReadStamp | null
  /** The value was read before the connection was interrupted: mark it. */
  readonly stale: boolean
  /** Why it is stale, if it is. */
  readonly staleReason: ConnectionGap['reason'] | null
  /** The newest change of the host's data that the value may not contain, unless it is about to be read again by itself. */
  readonly changed: DataChange | null
  /** Somebody looks at it, until the returned function is called. */
  addViewer(): () => void
  /** Loads or reloads; a load in progress is aborted. Never rejects: the outcome is the state. */
  reload(): Promise<void>
  cancel(): void
  /** Back to `idle`, without a value. */
  reset(): void
}

const SPINNER_AFTER_MS = 150
/** A host that fails because of the very thing we request is not asked more often than this. */
const RETRY_AFTER_MS = 5000
/** What is larger is read again only when somebody asks. */
const MAX_AUTOMATIC_BYTES = 512 * 1024

/** Whether something failed because the host was unreachable or refused the token, which may have passed when it is back online. */
export function isLackOfHost({ kind, code, wire }: AppError): boolean {
  return kind === 'offline' || kind === 'timeout' || wire.status === 401 || code === 'NOT_CONNECTED'
}

/** Calls back when the host can be asked again. After one that did ask (returned true) there is none for a while. */
export function onHostBack(askAgain: () => boolean): void {
  const connection = useConnection()
  let againAt = 0
  watch(
    () => connection.online && connection.serviceReachable,
    (isReachable) => {
      if (!isReachable || performance.now() < againAt) return
      if (askAgain()) againAt = performance.now() + RETRY_AFTER_MS
    },
  )
}

/** Whether it is time to show a spinner: what is being waited for has been the same for a while; null and false are nothing. */
export function useSlow(awaited: () => unknown): Readonly<Ref<boolean>> {
  const slow = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(
    awaited,
    (what) => {
      clearTimeout(timer)
      slow.value = false
      if (what) timer = setTimeout(() => (slow.value = true), SPINNER_AFTER_MS)
    },
    { immediate: true, flush: 'sync' },
  )
  onScopeDispose(() => clearTimeout(timer))
  return slow
}

/**
 * Something that is idle, loading, ready or failed. Must be called in a component's or effect's scope, with which a load in progress ends.
 * If it failed because the host was unreachable or refused the token, it reloads as soon as the host is back online. With `getShownRead`, it is
 * reloaded after a change of what it shows (`isAutomatic` is true then), or says that there was one.
 */
export function useResource<T>(
  load: (signal: AbortSignal, isAutomatic: boolean) => Promise<T>,
  stampOf: (value: T) => ReadStamp | null = () => null,
  { getShownRead: shown = () => null, isRetained: isKept = false, isReplaceable = () => true }: ResourceOptions<T> = {},
): Resource<T> {
  const connection = useConnection()
  const status = ref<ResourceStatus>('idle')
  const value = shallowRef<T | null>(null)
  const error = shallowRef<AppError | null>(null)
  const stamp = shallowRef<ReadStamp | null>(null)
  const running = shallowRef<AbortController | null>(null)
  /** What nobody asked for gets no spinner. */
  let isUnasked = false
  const slow = useSlow(() => !isUnasked && running.value)
  let ended: (hasSucceeded: boolean) => void = () => undefined
  const viewers = ref(0)
  const freshness = useFreshness({
    getShownRead: () => (status.value === 'idle' ? null : shown()),
    isAutomatic: () =>
      stamp.value !== null &&
      value.value !== null &&
      (stamp.value.bytes ?? 0) <= MAX_AUTOMATIC_BYTES &&
      (!isKept || viewers.value > 0) &&
      // A route that no document describes is asked only what somebody wants to know.
      findEndpointById(shown()?.endpoint ?? '') !== undefined &&
      isReplaceable(value.value),
    reload: () => read(true),
  })

  function stop(): void {
    running.value?.abort()
    running.value = null
  }

  async function read(isAutomatic: boolean): Promise<void> {
    stop()
    const end = (ended = freshness.beginRead())
    const mine = new AbortController()
    isUnasked = isAutomatic
    running.value = mine
    const { epoch } = connection
    status.value = 'loading'
    try {
      const loaded = await load(mine.signal, isAutomatic)
      if (running.value !== mine) return
      end(true)
      value.value = loaded
      stamp.value = stampOf(loaded) ?? { readAt: Date.now(), epoch }
      error.value = null
      status.value = 'ready'
    } catch (thrown) {
      if (running.value !== mine) return
      end(false)
      if (isCancellation(thrown)) settle()
      else {
        error.value = toAppError(thrown)
        status.value = 'failed'
      }
    }
    stop()
  }

  const reload = (): Promise<void> => read(false)

  /** After a cancel: back to what there was before. */
  function settle(): void {
    status.value = error.value ? 'failed' : stamp.value ? 'ready' : 'idle'
  }

  function cancel(): void {
    if (running.value === null) return
    stop()
    ended(false)
    settle()
  }

  function reset(): void {
    stop()
    freshness.reset()
    value.value = null
    error.value = null
    stamp.value = null
    status.value = 'idle'
  }

  onHostBack(() => {
    if (status.value !== 'failed' || error.value === null || !isLackOfHost(error.value)) return false
    void reload()
    return true
  })
  onScopeDispose(stop)
  onScopeDispose(onReload(() => (status.value === 'idle' ? undefined : reload())))
  const stale = computed(() => stamp.value !== null && connection.isStale(stamp.value.epoch))
  const members = proxyRefs({
    status,
    data: value,
    error,
    slow,
    readStamp: stamp,
    stale,
    staleReason: computed(() => (stale.value && stamp.value ? connection.reasonSince(stamp.value.readAt) : null)),
    changed: computed(() => (stamp.value === null ? null : freshness.changed.value)),
    addViewer() {
      viewers.value += 1
      let isHere = true
      return () => {
        if (isHere) viewers.value -= 1
        isHere = false
      }
    },
    reload,
    cancel,
    reset,
  })
  // A store would make what is in it reactive all the way down.
  return markRaw(members)
}

/** Everything that reads host data and keeps it, reloaded when the user asks for everything anew. */
const readers = new Set<() => Promise<void> | void>()

/** Registers a reader, which skips itself while it has nothing; returns a function that removes it. */
export function onReload(reader: () => Promise<void> | void): () => void {
  readers.add(reader)
  return () => readers.delete(reader)
}

/** Reloads everything that was read; never rejects. */
export async function reloadAll(): Promise<void> {
  await Promise.allSettled([...readers].map(async (reader) => reader()))
}
