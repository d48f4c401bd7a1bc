import { computed, onScopeDispose, ref, shallowRef, watch, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { Payload } from '../../shared/ipc/index.ts'
import {
  operationFilter,
  type OperationFilter,
  type Operation,
  type OperationSummary,
} from '../../shared/ipc/operations.ts'
import { onServiceState, subscribe } from '../ipc/subscribe.ts'
import { asAppError, isCancelled } from './errors.ts'
import { useOperations } from './operations.ts'

/** Records per answer: few enough to process within a frame or two. */
const PAGE = 250

interface OperationList {
  /** All that match the filter, newest first; while they load, as many as have arrived. */
  readonly items: ShallowRef<readonly OperationSummary[]>
  readonly total: ComputedRef<number>
  /** Study sets that any record names. */
  readonly topicids: ShallowRef<readonly string[]>
  readonly loaded: Ref<boolean>
  readonly error: ShallowRef<AppError | null>
  reload(): Promise<void>
}

/** The list of records, read in parts and kept up to date by pushes from the service process: nothing is read twice for one change. */
export function useOperationList(filter: () => OperationFilter): OperationList {
  const operations = useOperations()
  const items = shallowRef<readonly OperationSummary[]>([])
  const coming = ref(0)
  const topicids = shallowRef<readonly string[]>([])
  const loaded = ref(false)
  const error = shallowRef<AppError | null>(null)
  let known = new Map<string, OperationSummary>()
  /** What was pushed since the list was last requested; null = removed. */
  let since = new Map<string, OperationSummary | null>()
  let running = new AbortController()
  /** A record was removed while the list was being read: those after it moved forward, and one may be in no part. */
  let moved = false

  async function reload(): Promise<void> {
    running.abort()
    running = new AbortController()
    const { signal } = running
    const wanted = filter()
    const found = new Map<string, OperationSummary>()
    since = new Map()
    moved = false
    try {
      for (let offset = 0, total = 1; offset < total; offset += PAGE) {
        const part = await operations.list({ ...wanted, offset, limit: PAGE }, signal)
        if (signal.aborted) return
        // Records that arrived meanwhile push the others back, so each is kept once.
        for (const item of part.items) found.set(item.id, item)
        total = part.total
        coming.value = total
        topicids.value = part.topicids
        known = found
        apply(since)
        error.value = null
        loaded.value = true
      }
      if (moved) return await reload()
    } catch (thrown) {
      if (signal.aborted || isCancelled(thrown)) return
      error.value = asAppError(thrown)
      loaded.value = true
    }
    coming.value = 0
  }

  function apply(changes: ReadonlyMap<string, OperationSummary | null>): void {
    const fits = operationFilter(filter())
    for (const [id, one] of changes) {
      if (one && fits(one)) known.set(id, one)
      else if (known.delete(id)) moved = true
      const topicid = one?.topicid ?? null
      if (topicid !== null && !topicids.value.includes(topicid)) topicids.value = [...topicids.value, topicid]
    }
    items.value = [...known.values()].sort((a, b) => b.createdAt - a.createdAt)
  }

  function take({ items: changed, removed, complete }: Payload<'operations.changed'>): void {
    if (!complete) return void reload()
    const changes = new Map<string, OperationSummary | null>([
      ...changed.map((one) => [one.id, one] as const),
      ...removed.map((id) => [id, null] as const),
    ])
    for (const [id, one] of changes) since.set(id, one)
    apply(changes)
  }

  useOperationPushes(take, () => void reload())
  watch(
    () => JSON.stringify(filter()),
    () => void reload(),
    { immediate: true },
  )
  onScopeDispose(() => running.abort())
  const total = computed(() => Math.max(coming.value, items.value.length))
  return { items, total, topicids, loaded, error, reload }
}

/** Receives every push, and learns when some may have been missed because the service process was gone. */
function useOperationPushes(take: (push: Payload<'operations.changed'>) => void, missed: () => void): void {
  let away = false
  onScopeDispose(subscribe('operations.changed', take))
  onScopeDispose(
    onServiceState((reachable) => {
      if (reachable && away) missed()
      away = !reachable
    }),
  )
}

/** One record with everything observed, reloaded whenever something is added to it. */
export function useOperation(id: () => string): {
  readonly record: ShallowRef<Operation | null>
  readonly error: ShallowRef<AppError | null>
} {
  const operations = useOperations()
  const record = shallowRef<Operation | null>(null)
  const error = shallowRef<AppError | null>(null)
  let running = false
  let again = false

  async function load(): Promise<void> {
    if (running) {
      again = true
      return
    }
    running = true
    do {
      again = false
      try {
        record.value = await operations.get(id())
        error.value = null
        if (record.value.summary.unseen) await operations.seen(id())
      } catch (thrown) {
        error.value = asAppError(thrown)
      }
    } while (again)
    running = false
  }

  useOperationPushes(
    ({ items, removed, complete }) => {
      if (!complete || removed.includes(id()) || items.some((one) => one.id === id())) void load()
    },
    () => void load(),
  )
  watch(id, () => void load(), { immediate: true })
  return { record, error }
}
