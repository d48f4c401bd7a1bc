// State that several views share: data of the host, settings, the state of the service process.
// Stores parse nothing themselves (`renderer/model`, `renderer/workers`) and render nothing. Read
// this file first, then host-read.ts and connection.ts.

import { computed, markRaw, onScopeDispose, proxyRefs, ref, shallowRef, watch, type Ref } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { ConnectionGap } from '../../shared/ipc/connection.ts'
import type { DataChange, DisplayedRead } from '../../shared/bridge/data-change.ts'
import { findEndpointById } from '../../shared/bridge/endpoints/index.ts'
import { useConnection } from './connection.ts'
import { useFreshness } from './data-changes.ts'
import { toAppError, isCancellation } from './errors.ts'

/** When, and in which epoch of the connection, data was read. */
interface ReadStamp {
  /** Epoch milliseconds. */
  readonly readAt: number
  readonly epoch: number
  /** Size in bytes; absent where it is not known. */
  readonly bytes?: number
}

interface ResourceOptions<T> {
  /**
   * The read of the host that is shown; null while there is none. Without this option, no change of
   * the host's data is noticed.
   */
  readonly getShownRead?: () => DisplayedRead | null
  /**
   * The resource outlives the views that show it: it reloads by itself only while one of them does
   * (`addViewer`).
   */
  readonly isRetained?: boolean
  /** Whether another value may take its place without a request of the user. */
  readonly isReplaceable?: (value: T) => boolean
}

export type ResourceStatus = 'idle' | 'loading' | 'ready' | 'failed'

/** A reactive value: templates and computed values that read a member follow its changes. */
export interface Resource<T> {
  readonly status: ResourceStatus
  /** The last good value; it stays during a reload and after a failed one. */
  readonly data: T | null
  readonly error: AppError | null
  /** True after 150 ms of loading, when a spinner should be shown. */
  readonly isSlow: boolean
  readonly readStamp: ReadStamp | null
  /** True if the value was read before the connection was interrupted: mark it. */
  readonly isStale: boolean
  readonly staleReason: ConnectionGap['reason'] | null
  /**
   * The newest change of the host's data that the value may not contain; null if the value is about
   * to be reloaded by itself.
   */
  readonly newestChange: DataChange | null
  /** Counts a view that shows the value, until the returned function is called. */
  addViewer(): () => void
  /** Loads or reloads; a load in progress is aborted. Never rejects: the outcome is the state. */
  reload(): Promise<void>
  cancel(): void
  /** Returns to `idle`, without a value. */
  reset(): void
}

const SPINNER_AFTER_MS = 150
/**
 * Shortest interval between reloads after the host is back: a host may fail because of this very
 * request.
 */
const RETRY_AFTER_MS = 5000
/** Larger values are reloaded only on request. */
const MAX_AUTOMATIC_BYTES = 512 * 1024

/**
 * Whether something failed because the host was unreachable or refused the token, which may have
 * passed when it is back online.
 */
export function isHostUnavailableError({ kind, code, wire }: AppError): boolean {
  return kind === 'offline' || kind === 'timeout' || wire.status === 401 || code === 'NOT_CONNECTED'
}

/**
 * Calls `retry` when the host can be asked again. After a call that returned true, none follows for
 * `RETRY_AFTER_MS`.
 */
export function onHostBack(retry: () => boolean): void {
  const connection = useConnection()
  let nextRetryAt = 0
  watch(
    () => connection.online && connection.serviceReachable,
    (isReachable) => {
      if (!isReachable || performance.now() < nextRetryAt) return
      if (retry()) nextRetryAt = performance.now() + RETRY_AFTER_MS
    },
  )
}

/**
 * True when the same value has been awaited for a while, so that a spinner should be shown; null
 * and false mean that nothing is awaited.
 */
export function useIsSlow(awaited: () => unknown): Readonly<Ref<boolean>> {
  const isSlow = ref(false)
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(
    awaited,
    (value) => {
      clearTimeout(timer)
      isSlow.value = false
      if (value) timer = setTimeout(() => (isSlow.value = true), SPINNER_AFTER_MS)
    },
    { immediate: true, flush: 'sync' },
  )
  onScopeDispose(() => clearTimeout(timer))
  return isSlow
}

/**
 * A value that is idle, loading, ready or failed. Call it in a component's or effect's scope; the
 * end of the scope aborts a load. After a failure because the host was unreachable or refused the
 * token, it reloads as soon as the host is back online. With `getShownRead`, it is reloaded after a
 * change of the data that it shows (`isAutomatic` is true then), or reports the change.
 */
export function useResource<T>(
  load: (signal: AbortSignal, isAutomatic: boolean) => Promise<T>,
  stampOf: (value: T) => ReadStamp | null = () => null,
  { getShownRead = () => null, isRetained = false, isReplaceable = () => true }: ResourceOptions<T> = {},
): Resource<T> {
  const connection = useConnection()
  const status = ref<ResourceStatus>('idle')
  const value = shallowRef<T | null>(null)
  const error = shallowRef<AppError | null>(null)
  const stamp = shallowRef<ReadStamp | null>(null)
  const running = shallowRef<AbortController | null>(null)
  /** Automatic reloads show no spinner. */
  let isAutomaticLoad = false
  const isSlow = useIsSlow(() => !isAutomaticLoad && running.value)
  let endRead: (hasSucceeded: boolean) => void = () => undefined
  const viewers = ref(0)
  const freshness = useFreshness({
    getShownRead: () => (status.value === 'idle' ? null : getShownRead()),
    isAutomatic: () =>
      stamp.value !== null &&
      value.value !== null &&
      (stamp.value.bytes ?? 0) <= MAX_AUTOMATIC_BYTES &&
      (!isRetained || viewers.value > 0) &&
      // Routes outside the documented endpoints are read only on request.
      findEndpointById(getShownRead()?.endpoint ?? '') !== undefined &&
      isReplaceable(value.value),
    reload: () => read(true),
  })

  function stop(): void {
    running.value?.abort()
    running.value = null
  }

  async function read(isAutomatic: boolean): Promise<void> {
    stop()
    const endThisRead = (endRead = freshness.beginRead())
    const controller = new AbortController()
    isAutomaticLoad = isAutomatic
    running.value = controller
    const { epoch } = connection
    status.value = 'loading'
    try {
      const loaded = await load(controller.signal, isAutomatic)
      if (running.value !== controller) return
      endThisRead(true)
      value.value = loaded
      stamp.value = stampOf(loaded) ?? { readAt: Date.now(), epoch }
      error.value = null
      status.value = 'ready'
    } catch (thrown) {
      if (running.value !== controller) return
      endThisRead(false)
      if (isCancellation(thrown)) restoreStatus()
      else {
        error.value = toAppError(thrown)
        status.value = 'failed'
      }
    }
    stop()
  }

  const reload = (): Promise<void> => read(false)

  /** After a cancel: back to the status of the last outcome. */
  function restoreStatus(): void {
    status.value = error.value ? 'failed' : stamp.value ? 'ready' : 'idle'
  }

  function cancel(): void {
    if (running.value === null) return
    stop()
    endRead(false)
    restoreStatus()
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
    if (status.value !== 'failed' || error.value === null || !isHostUnavailableError(error.value)) return false
    void reload()
    return true
  })
  onScopeDispose(stop)
  onScopeDispose(onReload(() => (status.value === 'idle' ? undefined : reload())))
  const isStale = computed(() => stamp.value !== null && connection.isStale(stamp.value.epoch))
  const members = proxyRefs({
    status,
    data: value,
    error,
    isSlow,
    readStamp: stamp,
    isStale,
    staleReason: computed(() =>
      isStale.value && stamp.value ? connection.getGapReasonSince(stamp.value.readAt) : null,
    ),
    newestChange: computed(() => (stamp.value === null ? null : freshness.newestChange.value)),
    addViewer() {
      viewers.value += 1
      let isCounted = true
      return () => {
        if (isCounted) viewers.value -= 1
        isCounted = false
      }
    },
    reload,
    cancel,
    reset,
  })
  // A store would make its content deeply reactive.
  return markRaw(members)
}

/** Everything that reads and keeps host data; called when the user reloads everything. */
const readers = new Set<() => Promise<void> | void>()

/**
 * Registers a reader, which does nothing while it has no data; returns a function that removes it.
 */
export function onReload(reader: () => Promise<void> | void): () => void {
  readers.add(reader)
  return () => readers.delete(reader)
}

/** Reloads everything that was read; never rejects. */
export async function reloadAll(): Promise<void> {
  await Promise.allSettled([...readers].map(async (reader) => reader()))
}
