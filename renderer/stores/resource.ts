import { computed, onScopeDispose, ref, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { Gap } from '../../shared/ipc/connection.ts'
import { onReadAgain } from './again.ts'
import type { DataChange, ShownRead } from '../../shared/bridge/data-change.ts'
import { endpointById } from '../../shared/bridge/endpoints/index.ts'
import { useConnection } from './connection.ts'
import { useFreshness } from './data-changes.ts'
import { asAppError, isCancelled } from './errors.ts'

/** When, and in which epoch of the connection, something was read. */
interface Stamp {
  /** Epoch milliseconds. */
  readonly readAt: number
  readonly epoch: number
  /** How large it was, in bytes; absent where that is not known. */
  readonly bytes?: number
}

interface ResourceOptions<T> {
  /** Which read of the host it is; null while it is none. Without it, nothing is known to change it. */
  readonly shown?: () => ShownRead | null
  /** It outlives whoever looks at it: it is read again by itself only while somebody does (`addViewer`). */
  readonly isKept?: boolean
  /** Whether another value may take its place without being asked for. */
  readonly isReplaceable?: (value: T) => boolean
}

export type ResourceStatus = 'idle' | 'loading' | 'ready' | 'failed'

export interface Resource<T> {
  readonly status: ComputedRef<ResourceStatus>
  /** The last good value; it stays while it is reloaded, and when that fails. */
  readonly value: Readonly<ShallowRef<T | null>>
  readonly error: Readonly<ShallowRef<AppError | null>>
  /** Loading for more than 150 ms: time to show a spinner. */
  readonly slow: ComputedRef<boolean>
  readonly stamp: Readonly<ShallowRef<Stamp | null>>
  /** The value was read before the connection was interrupted: mark it. */
  readonly stale: ComputedRef<boolean>
  /** Why it is stale, if it is. */
  readonly staleReason: ComputedRef<Gap['reason'] | null>
  /** The newest change of the host's data that the value may not contain, unless it is about to be read again by itself. */
  readonly changed: ComputedRef<DataChange | null>
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
const AGAIN_AFTER_MS = 5000
/** What is larger is read again only when somebody asks. */
const MAX_AUTOMATIC_BYTES = 512 * 1024

/**
 * Something that is idle, loading, ready or failed. Must be called in a component's or effect's scope, with which a load in progress ends.
 * If it failed because the host was unreachable or refused the token, it reloads as soon as the host is back online. With `shown`, it is
 * reloaded after a change of what it shows (`isAutomatic` is true then), or says that there was one.
 */
export function useResource<T>(
  load: (signal: AbortSignal, isAutomatic: boolean) => Promise<T>,
  stampOf: (value: T) => Stamp | null = () => null,
  { shown = () => null, isKept = false, isReplaceable = () => true }: ResourceOptions<T> = {},
): Resource<T> {
  const connection = useConnection()
  const status = ref<ResourceStatus>('idle')
  const value = shallowRef<T | null>(null)
  const error = shallowRef<AppError | null>(null)
  const stamp = shallowRef<Stamp | null>(null)
  const slow = ref(false)
  let running: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let againAt = 0
  let ended: (hasSucceeded: boolean) => void = () => undefined
  const viewers = ref(0)
  const freshness = useFreshness({
    shown: () => (status.value === 'idle' ? null : shown()),
    isAutomatic: () =>
      stamp.value !== null &&
      value.value !== null &&
      (stamp.value.bytes ?? 0) <= MAX_AUTOMATIC_BYTES &&
      (!isKept || viewers.value > 0) &&
      // A route that no document describes is asked only what somebody wants to know.
      endpointById(shown()?.endpoint ?? '') !== undefined &&
      isReplaceable(value.value),
    reload: () => read(true),
  })

  function stop(): void {
    running?.abort()
    running = null
    clearTimeout(timer)
    slow.value = false
  }

  async function read(isAutomatic: boolean): Promise<void> {
    stop()
    const end = (ended = freshness.begin())
    const mine = new AbortController()
    running = mine
    const { epoch } = connection
    status.value = 'loading'
    // What nobody asked for gets no spinner.
    if (!isAutomatic) timer = setTimeout(() => (slow.value = true), SPINNER_AFTER_MS)
    try {
      const loaded = await load(mine.signal, isAutomatic)
      if (running !== mine) return
      end(true)
      value.value = loaded
      stamp.value = stampOf(loaded) ?? { readAt: Date.now(), epoch }
      error.value = null
      status.value = 'ready'
    } catch (thrown) {
      if (running !== mine) return
      end(false)
      if (isCancelled(thrown)) settle()
      else {
        error.value = asAppError(thrown)
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
    if (running === null) return
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

  watch(
    () => connection.online && connection.serviceReachable,
    (reachable) => {
      const { kind, status: http, code } = error.value?.wire ?? {}
      const forLackOfHost = kind === 'offline' || kind === 'timeout' || http === 401 || code === 'NOT_CONNECTED'
      if (!reachable || status.value !== 'failed' || !forLackOfHost || performance.now() < againAt) return
      againAt = performance.now() + AGAIN_AFTER_MS
      void reload()
    },
  )
  onScopeDispose(stop)
  onScopeDispose(onReadAgain(() => (status.value === 'idle' ? undefined : reload())))
  const stale = computed(() => stamp.value !== null && connection.isStale(stamp.value.epoch))

  return {
    status: computed(() => status.value),
    value,
    error,
    slow: computed(() => slow.value),
    stamp,
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
  }
}
