import { useDocumentVisibility } from '@vueuse/core'
import { defineStore } from './define-store.ts'
import { computed, onScopeDispose, ref, shallowRef, watch, type ComputedRef, type Ref } from 'vue'
import { dataKinds } from '../../shared/bridge/endpoints/endpoint.ts'
import {
  judgeChangeImpact,
  NO_IDS_BY_KIND,
  type DataChange,
  type DisplayedRead,
} from '../../shared/bridge/data-change.ts'
import { onServiceBack, subscribe } from '../ipc/subscriptions.ts'
import { useConnection } from './connection.ts'

/** The delay before an automatic reload lets several changes cause a single read. */
const FIRST_DELAY_MS = 150
/** Shortest interval of one view's automatic reloads; `BUSY_FACTOR` limits them further. */
const SAME_VIEW_GAP_MS = 2_000
const BUSY_FACTOR = 5
/** Shortest interval of the automatic reloads of all views together: four per second. */
const ANY_VIEW_GAP_MS = 250
/** A view whose read takes longer than this is reloaded only when the user asks for it. */
const MAX_AUTOMATIC_MS = 5_000
/** More changes than this become a single one that may have affected anything. */
const MAX_PENDING = 200
/** A view that was not reloaded after this time is marked as changed. */
const MARK_DELAY_MS = 3_000

/** Changes that the service process reports, or that show between two reads. */
export const useDataChanges = defineStore('data-changes', () => {
  const listeners = new Set<(change: DataChange) => void>()
  /** Waiting automatic reads. The queue limits the rate of requests to the host. */
  const readQueue: (() => void)[] = []
  let nextReadAt = 0
  let queueTimer: ReturnType<typeof setTimeout> | undefined
  /** Changes with a known cause. A difference found after such a change is not reported again. */
  let explained: DataChange[] = []

  /** Reports that data of a study set (null: of all) changed without a known request. */
  function reportFact(fact: NonNullable<DataChange['fact']>, set: string | null, since: number): void {
    const isExplained = explained.some(
      ({ at, ids }) => at >= since && (set === null || ids.sets.length === 0 || ids.sets.includes(set)),
    )
    if (isExplained) return
    // The view that found the difference shows the new data already.
    const affectedKinds = dataKinds.filter((kind) => kind !== 'studySets' && kind !== 'screen')
    publish({
      ...createUnexplainedChange(),
      fact,
      matters: affectedKinds,
      ids: set === null ? NO_IDS_BY_KIND : { ...NO_IDS_BY_KIND, sets: [set] },
    })
  }

  function publish(change: DataChange): void {
    for (const listener of [...listeners]) listener(change)
  }

  /** Calls `listener` for each change. The returned function removes the listener. */
  function onChange(listener: (change: DataChange) => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Queues an automatic read. The returned function removes the read from the queue. */
  function scheduleRead(run: () => void): () => void {
    readQueue.push(run)
    scheduleNextRead()
    return () => {
      const index = readQueue.indexOf(run)
      if (index >= 0) readQueue.splice(index, 1)
    }
  }

  function scheduleNextRead(): void {
    queueTimer ??= setTimeout(
      () => {
        queueTimer = undefined
        const run = readQueue.shift()
        if (!run) return
        nextReadAt = performance.now() + ANY_VIEW_GAP_MS
        run()
        if (readQueue.length > 0) scheduleNextRead()
      },
      Math.max(0, nextReadAt - performance.now()),
    )
  }

  subscribe('bridge.dataChanged', ({ changes }) => {
    explained.push(...changes.filter(({ cause }) => cause !== null))
    explained = explained.slice(-1_000)
    for (const change of changes) publish(change)
  })
  onServiceBack(() => publish({ ...createUnexplainedChange(), matters: null }))

  return { reportFact, onChange, scheduleRead }
})

const createUnexplainedChange = (): DataChange => ({
  at: Date.now(),
  cause: null,
  fact: null,
  matters: null,
  ids: NO_IDS_BY_KIND,
  isCertain: false,
})

type TouchJudgement = ReturnType<typeof judgeChangeImpact>

interface FreshnessOptions {
  /** The read that the view shows; null if the view shows no data. */
  readonly getShownRead: () => DisplayedRead | null
  /** The view may be reloaded without the user: it is visible, and its data are small. */
  readonly isAutomatic: () => boolean
  readonly reload: (changes: readonly DataChange[]) => Promise<void> | void
  /** Decides whether a change affects the view; the default is `judgeChangeImpact`. */
  readonly judge?: (change: DataChange, shown: DisplayedRead) => TouchJudgement | Promise<TouchJudgement>
  /** Returns true if the view will show this change without a reload. */
  readonly isPatched?: (change: DataChange) => boolean
}

export interface Freshness {
  /** Changes that the last read does not contain, even if a reload for them is pending. */
  readonly pending: Readonly<Ref<readonly DataChange[]>>
  /** The newest change that the view lacks even after a reload; certain ones come first. */
  readonly newestChange: ComputedRef<DataChange | null>
  /** Call it when a read begins, and call the returned function when the read ends. */
  beginRead(): (hasSucceeded: boolean) => void
  /** Forgets the first matching change, because the view shows it now. */
  dropFirstChange(matches: (change: DataChange) => boolean): void
  /** Call it if the view shows no data, or only data that will be read from now on. */
  reset(): void
}

/**
 * Tells a view whether the host data that it shows were changed. If `isAutomatic` allows a reload,
 * the view is reloaded after a short delay and at a limited rate; otherwise `newestChange` reports
 * the change. Call it in the scope of a component or effect.
 */
export function useFreshness({
  getShownRead,
  isAutomatic,
  reload,
  judge = judgeChangeImpact,
  isPatched,
}: FreshnessOptions): Freshness {
  const connection = useConnection()
  const changes = useDataChanges()
  const visibility = useDocumentVisibility()
  /** Changes that the last read does not contain. */
  const pending = shallowRef<readonly DataChange[]>([])
  const isOverdue = ref(false)
  const lastReadMs = ref(0)
  const mayReload = computed(
    () => visibility.value !== 'hidden' && connection.online && lastReadMs.value <= MAX_AUTOMATIC_MS && isAutomatic(),
  )
  /** The current read, with the changes since its start, which the response may not contain. */
  let reading: { readonly missed: DataChange[] } | null = null
  /** Grows with every read: a response contains the changes received before its read. */
  let generation = 0
  let nextReloadAt = 0
  let delayTimer: ReturnType<typeof setTimeout> | undefined
  let leaveQueue: (() => void) | null = null
  let overdueTimer: ReturnType<typeof setTimeout> | undefined

  function cancelReload(): void {
    clearTimeout(delayTimer)
    delayTimer = undefined
    leaveQueue?.()
    leaveQueue = null
  }

  function scheduleReload(): void {
    if (pending.value.length === 0 || delayTimer !== undefined || leaveQueue || reading || !mayReload.value) return
    const run = (): void => {
      leaveQueue = null
      nextReloadAt = performance.now() + Math.max(SAME_VIEW_GAP_MS, lastReadMs.value * BUSY_FACTOR)
      void reload(pending.value)
    }
    delayTimer = setTimeout(
      () => {
        delayTimer = undefined
        leaveQueue = changes.scheduleRead(run)
      },
      Math.max(FIRST_DELAY_MS, nextReloadAt - performance.now()),
    )
  }

  function setPending(nextChanges: readonly DataChange[]): void {
    pending.value = nextChanges
    if (nextChanges.length > 0) {
      overdueTimer ??= setTimeout(() => (isOverdue.value = true), MARK_DELAY_MS)
      return
    }
    clearTimeout(overdueTimer)
    overdueTimer = undefined
    isOverdue.value = false
  }

  async function receiveChange(change: DataChange): Promise<void> {
    const displayed = getShownRead()
    if (displayed === null) return
    const startGeneration = generation
    const verdict = judge(change, displayed)
    const touch = typeof verdict === 'string' ? verdict : await verdict
    if (touch === 'no' || startGeneration !== generation) return
    const judged = { ...change, isCertain: touch === 'yes' }
    reading?.missed.push(judged)
    setPending(withChange(pending.value, judged))
    scheduleReload()
  }

  onScopeDispose(changes.onChange((change) => void receiveChange(change)))
  onScopeDispose(() => {
    cancelReload()
    clearTimeout(overdueTimer)
  })
  watch(mayReload, (may) => (may ? scheduleReload() : cancelReload()))

  return {
    pending,
    newestChange: computed(() => {
      if (mayReload.value && !isOverdue.value) return null
      const unseen = pending.value.filter((change) => isOverdue.value || isPatched?.(change) !== true)
      return unseen.findLast(({ isCertain }) => isCertain) ?? unseen.at(-1) ?? null
    }),
    beginRead() {
      cancelReload()
      generation += 1
      const read = { missed: [] as DataChange[] }
      reading = read
      const startedAt = performance.now()
      return (hasSucceeded) => {
        if (reading !== read) return
        reading = null
        // After a failure only the user, or further changes, reload the view.
        if (!hasSucceeded) return
        lastReadMs.value = performance.now() - startedAt
        setPending(read.missed.reduce(withChange, [] as readonly DataChange[]))
        scheduleReload()
      }
    },
    dropFirstChange(matches) {
      const index = pending.value.findIndex(matches)
      if (index >= 0) setPending(pending.value.toSpliced(index, 1))
    },
    reset() {
      cancelReload()
      generation += 1
      reading = null
      setPending([])
    },
  }
}

/** Beyond the limit, a single change stands for all, and may have affected anything. */
function withChange(changes: readonly DataChange[], change: DataChange): readonly DataChange[] {
  if (changes.length < MAX_PENDING) return [...changes, change]
  return [{ ...change, matters: null, ids: NO_IDS_BY_KIND, isCertain: false }]
}
