// State that several views share: data of the host, settings, the state of the service process.
// Parsing is in `renderer/model` and `renderer/workers`, rendering in components. Read this file
// first, then host-read.ts, service-state.ts and connection.ts.

import { computed, markRaw, onScopeDispose, proxyRefs, ref, shallowRef, watch, type Ref } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { ConnectionGap } from '../../shared/ipc/connection.ts'
import type { DataChange, DisplayedRead } from '../../shared/bridge/data-change.ts'
import { findEndpointById } from '../../shared/bridge/endpoints/index.ts'
import { useConnection } from './connection.ts'
import { useFreshness } from './data-changes.ts'
import { toAppError, isCancellation } from './errors.ts'

/** The time, and the epoch of the connection, of a read. */
interface ReadStamp {
  /** Epoch milliseconds. */
  readonly readAt: number
  readonly epoch: number
  /** Size in bytes; absent if unknown. */
  readonly bytes?: number
}

interface ResourceOptions<T> {
  /** Returns the read that is shown, or null. Without it, changes of its data go unnoticed. */
  readonly getShownRead?: () => DisplayedRead | null
  /** Outlives the views that show it; reloads by itself only while one does (`addViewer`). */
  readonly isRetained?: boolean
  /** Returns true if the value may be replaced without a request of the user. */
  readonly isReplaceable?: (value: T) => boolean
}

export type ResourceStatus = 'idle' | 'loading' | 'ready' | 'failed'

/** Templates and computed values that read a member are updated when the member changes. */
export interface Resource<T> {
  readonly status: ResourceStatus
  /** The last valid value, which stays during a reload and after a failed reload. */
  readonly data: T | null
  readonly error: AppError | null
  /** True after 150 ms of loading, when a spinner should be shown. */
  readonly isSlow: boolean
  readonly readStamp: ReadStamp | null
  /** The value was read before the connection was interrupted; views should mark it. */
  readonly isStale: boolean
  readonly staleReason: ConnectionGap['reason'] | null
  /** The newest change not in the value; null too while an automatic reload is pending. */
  readonly newestChange: DataChange | null
  /** Counts a view that shows the value, until the returned function is called. */
  addViewer(): () => void
  /** Aborts a load in progress. Never rejects: the resource's members have the error. */
  reload(): Promise<void>
  cancel(): void
  /** Removes the value and returns to `idle`. */
  reset(): void
}

const SPINNER_AFTER_MS = 150
/** Shortest interval of reloads, because this request may be why the host fails. */
const RETRY_AFTER_MS = 5000
/** Larger values are reloaded only when the user asks for it. */
const MAX_AUTOMATIC_BYTES = 512 * 1024

/** The host was unreachable or refused the token, which may change when it is back. */
export function isHostUnavailableError({ kind, code, wire }: AppError): boolean {
  return kind === 'offline' || kind === 'timeout' || wire.status === 401 || code === 'NOT_CONNECTED'
}

/** After `retry` returned true, it is not called again for `RETRY_AFTER_MS`. */
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

/** True if `awaited` stayed the same for a while, so that a spinner should be shown. */
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
 * Loads a value. Call it in the scope of a component or effect; the end of the scope aborts a load.
 * After a failure because the host was unreachable or refused the token, the value is loaded again
 * when the host is back online. With `getShownRead`, a change of the shown data causes a reload
 * (`isAutomatic` is then true) or is reported.
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
  /** True while a reload runs that the user did not ask for; it shows no spinner. */
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
      // Routes outside the contract are read only when the user asks for it.
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

  /** Restores the status before a cancelled load. */
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
  // Without `markRaw`, a store that contains the resource would make its members deeply reactive.
  return markRaw(members)
}

/** Functions that load host data again, called when the user reloads everything. */
const readers = new Set<() => Promise<void> | void>()

/** `reader` should do nothing if it has no data. The returned function removes it. */
export function onReload(reader: () => Promise<void> | void): () => void {
  readers.add(reader)
  return () => readers.delete(reader)
}

/** Reloads every resource that is in use. The promise never rejects. */
export async function reloadAll(): Promise<void> {
  await Promise.allSettled([...readers].map(async (reader) => reader()))
}
