import { useDocumentVisibility } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, onScopeDispose, ref, shallowRef, watch, type ComputedRef } from 'vue'
import { dataKinds } from '../../shared/bridge/endpoints/endpoint.ts'
import {
  judgeChangeImpact,
  NO_IDS_BY_KIND,
  type DataChange,
  type DisplayedRead,
} from '../../shared/bridge/data-change.ts'
import { onServiceBack, subscribe } from '../ipc/subscriptions.ts'
import { useConnection } from './connection.ts'

/** Delay of an automatic reload after a change, so that several changes cost one read. */
const FIRST_DELAY_MS = 150
/**
 * Shortest interval between automatic reloads of one view. `BUSY_FACTOR` limits them to a fifth of
 * the time.
 */
const SAME_VIEW_GAP_MS = 2_000
const BUSY_FACTOR = 5
/** Shortest interval between automatic reloads of all views together: at most four per second. */
const ANY_VIEW_GAP_MS = 250
/** A view whose read takes longer than this is reloaded only on request. */
const MAX_AUTOMATIC_MS = 5_000
/**
 * Pending changes of a view; beyond this they are merged into one that may have changed anything.
 */
const MAX_PENDING = 200
/** A view that is still not reloaded after this time is marked as changed. */
const MARK_DELAY_MS = 3_000

/**
 * Publishes changes of the host's data, reported by the service process or inferred from what is
 * read.
 */
export const useDataChanges = defineStore('data-changes', () => {
  const listeners = new Set<(change: DataChange) => void>()
  /** Queue of automatic reads, which keeps the rate that reaches a host bounded. */
  const readQueue: (() => void)[] = []
  let nextReadAt = 0
  let queueTimer: ReturnType<typeof setTimeout> | undefined
  /** Changes with a known cause. A difference observed after one of them needs no report. */
  let explained: DataChange[] = []

  /**
   * Reports that the host's data of a study set, or of everything (`set` is null), changed without
   * a known request as the cause.
   */
  function reportFact(fact: NonNullable<DataChange['fact']>, set: string | null, since: number): void {
    const isExplained = explained.some(
      ({ at, ids }) => at >= since && (set === null || ids.sets.length === 0 || ids.sets.includes(set)),
    )
    if (isExplained) return
    // The view that observed the fact already shows the new data.
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

  /** Calls back with every change until the returned function is called. */
  function onChange(listener: (change: DataChange) => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Queues an automatic read; the returned function removes it from the queue. */
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
  /** What is shown; null while nothing is. */
  readonly getShownRead: () => DisplayedRead | null
  /** Whether the view may be reloaded without a request of the user: it is visible, and small. */
  readonly isAutomatic: () => boolean
  /** Reads again what these changes touch. */
  readonly reload: (changes: readonly DataChange[]) => Promise<void> | void
  /** Whether a change touches the view; the default is `judgeChangeImpact`. */
  readonly judge?: (change: DataChange, shown: DisplayedRead) => TouchJudgement | Promise<TouchJudgement>
  /** Whether the view will show this change without a reload. */
  readonly isPatched?: (change: DataChange) => boolean
}

/** Whether what a view shows was changed since it was read. */
export interface Freshness {
  /**
   * The newest change that the view neither shows nor is about to show; a certain one comes before
   * a possible one.
   */
  readonly newestChange: ComputedRef<DataChange | null>
  /** Call it when a read begins; call the returned function when that read has ended. */
  beginRead(): (hasSucceeded: boolean) => void
  /** Forgets the first matching change, because the view shows it by now. */
  dropFirstChange(matches: (change: DataChange) => boolean): void
  /** Forgets all changes: nothing is shown any more, or only data that will be read from now on. */
  reset(): void
}

/**
 * Tells a view that shows data of the host whether that data was changed. Where `isAutomatic`
 * allows it, the view is reloaded a moment later and at a limited rate; otherwise `changed` reports
 * the change. Call it in a scope.
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
  /** The read under way, and the changes since it began, which it may not contain. */
  let reading: { readonly missed: DataChange[] } | null = null
  /** Grows with every read: a change received before a read began is contained in it. */
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

  function setPending(changes: readonly DataChange[]): void {
    pending.value = changes
    if (changes.length > 0) {
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
        // After a failure nothing is reloaded until the user asks or something else changes.
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

/** Adds a change. Beyond the limit, a single change remains that may have touched anything. */
function withChange(changes: readonly DataChange[], change: DataChange): readonly DataChange[] {
  if (changes.length < MAX_PENDING) return [...changes, change]
  return [{ ...change, matters: null, ids: NO_IDS_BY_KIND, isCertain: false }]
}
