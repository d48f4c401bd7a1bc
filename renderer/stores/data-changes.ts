import { useDocumentVisibility } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, onScopeDispose, ref, shallowRef, watch, type ComputedRef } from 'vue'
import { dataKinds } from '../../shared/bridge/endpoints/endpoint.ts'
import { judgeTouch, NO_IDS, type DataChange, type DisplayedRead } from '../../shared/bridge/data-change.ts'
import { onServiceBack, subscribe } from '../ipc/subscriptions.ts'
import { useConnection } from './connection.ts'

/** A view is read again by itself this long after a change, so that several changes cost one read. */
const FIRST_DELAY_MS = 150
/** The same view is not read again by itself more often than this, and at most for a fifth of the time. */
const SAME_VIEW_GAP_MS = 2_000
const BUSY_FACTOR = 5
/** All views together: at most four such reads a second. */
const ANY_VIEW_GAP_MS = 250
/** What takes longer than this to read is read again only when somebody asks. */
const MAX_AUTOMATIC_MS = 5_000
/** Changes that are remembered until a view is read again. */
const MAX_PENDING = 200
/** A view that has not been read again by then is marked. */
const MARK_DELAY_MS = 3_000

/** Hears what changes on the host, from the service process and from what is read. */
export const useDataChanges = defineStore('data-changes', () => {
  const listeners = new Set<(change: DataChange) => void>()
  /** Turns of automatic reads, so that they never come to a host faster than it can take. */
  const turns: (() => void)[] = []
  let nextTurnAt = 0
  let turnTimer: ReturnType<typeof setTimeout> | undefined
  /** Changes that are known to have a cause; what is read afterwards and differs is no surprise. */
  let explained: DataChange[] = []

  /** The host says something different of a study set, or of everything (`set` is null), that no known request explains. */
  function reportFact(fact: NonNullable<DataChange['fact']>, set: string | null, since: number): void {
    const isExplained = explained.some(
      ({ at, ids }) => at >= since && (set === null || ids.sets.length === 0 || ids.sets.includes(set)),
    )
    if (isExplained) return
    // Where it was seen it is shown already.
    const others = dataKinds.filter((matter) => matter !== 'studySets' && matter !== 'screen')
    publish({ ...unexplained(), fact, matters: others, ids: set === null ? NO_IDS : { ...NO_IDS, sets: [set] } })
  }

  function publish(change: DataChange): void {
    for (const listener of [...listeners]) listener(change)
  }

  /** Calls back with every change, until the returned function is called. */
  function onChange(listener: (change: DataChange) => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Runs an automatic read when it is its turn, unless the returned function is called before. */
  function scheduleRead(run: () => void): () => void {
    turns.push(run)
    planTurn()
    return () => {
      const index = turns.indexOf(run)
      if (index >= 0) turns.splice(index, 1)
    }
  }

  function planTurn(): void {
    turnTimer ??= setTimeout(
      () => {
        turnTimer = undefined
        const run = turns.shift()
        if (!run) return
        nextTurnAt = performance.now() + ANY_VIEW_GAP_MS
        run()
        if (turns.length > 0) planTurn()
      },
      Math.max(0, nextTurnAt - performance.now()),
    )
  }

  subscribe('bridge.dataChanged', ({ changes }) => {
    explained.push(...changes.filter(({ cause }) => cause !== null))
    explained = explained.slice(-1_000)
    for (const change of changes) publish(change)
  })
  onServiceBack(() => publish({ ...unexplained(), matters: null }))

  return { notice: reportFact, onChange, takeTurn: scheduleRead }
})

const unexplained = (): DataChange => ({
  at: Date.now(),
  cause: null,
  fact: null,
  matters: null,
  ids: NO_IDS,
  isCertain: false,
})

type TouchJudgement = ReturnType<typeof judgeTouch>

interface FreshnessOptions {
  /** What is shown; null while that is nothing. */
  readonly getShownRead: () => DisplayedRead | null
  /** Whether it may be read again without being asked: it is looked at, and small. */
  readonly isAutomatic: () => boolean
  /** Reads again what these changes touch. */
  readonly reload: (changes: readonly DataChange[]) => Promise<void> | void
  /** Whether a change touches it; the default is `judgeTouch`. */
  readonly judge?: (change: DataChange, shown: DisplayedRead) => TouchJudgement | Promise<TouchJudgement>
  /** Whether the view is about to show a change in some other way than being read again as a whole. */
  readonly isPatched?: (change: DataChange) => boolean
}

/** Whether what a view shows was changed since it was read. */
export interface Freshness {
  /** The newest change, before those that only may have happened, that the view does not show, and is not about to show by itself. */
  readonly changed: ComputedRef<DataChange | null>
  /** Call when a read begins, and what it returns when that read has ended. */
  beginRead(): (hasSucceeded: boolean) => void
  /** Forgets the first change that fits: the view shows it by now. */
  dropFirstChange(fits: (change: DataChange) => boolean): void
  /** Nothing is shown any more, or only what will be read from now on. */
  reset(): void
}

/**
 * The one way for whatever shows data of the host to learn that it was changed: it is read again by itself where that is allowed, a moment
 * later and never too often, or else `changed` says so. Must be called in a scope.
 */
export function useFreshness({
  getShownRead: shown,
  isAutomatic,
  reload,
  judge = judgeTouch,
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
  /** Grows with every read: what was heard before one began is in it. */
  let generation = 0
  let nextAt = 0
  let delay: ReturnType<typeof setTimeout> | undefined
  let leaveTurns: (() => void) | null = null
  let overdueTimer: ReturnType<typeof setTimeout> | undefined

  function unplan(): void {
    clearTimeout(delay)
    delay = undefined
    leaveTurns?.()
    leaveTurns = null
  }

  function plan(): void {
    if (pending.value.length === 0 || delay !== undefined || leaveTurns || reading || !mayReload.value) return
    const run = (): void => {
      leaveTurns = null
      nextAt = performance.now() + Math.max(SAME_VIEW_GAP_MS, lastReadMs.value * BUSY_FACTOR)
      void reload(pending.value)
    }
    delay = setTimeout(
      () => {
        delay = undefined
        leaveTurns = changes.takeTurn(run)
      },
      Math.max(FIRST_DELAY_MS, nextAt - performance.now()),
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

  async function hear(change: DataChange): Promise<void> {
    const what = shown()
    if (what === null) return
    const heardIn = generation
    const verdict = judge(change, what)
    const touch = typeof verdict === 'string' ? verdict : await verdict
    if (touch === 'no' || heardIn !== generation) return
    const heard = { ...change, isCertain: touch === 'yes' }
    reading?.missed.push(heard)
    setPending(withChange(pending.value, heard))
    plan()
  }

  onScopeDispose(changes.onChange((change) => void hear(change)))
  onScopeDispose(() => {
    unplan()
    clearTimeout(overdueTimer)
  })
  watch(mayReload, (may) => (may ? plan() : unplan()))

  return {
    changed: computed(() => {
      if (mayReload.value && !isOverdue.value) return null
      const unseen = pending.value.filter((change) => isOverdue.value || isPatched?.(change) !== true)
      return unseen.findLast(({ isCertain }) => isCertain) ?? unseen.at(-1) ?? null
    }),
    beginRead() {
      unplan()
      generation += 1
      const mine = { missed: [] as DataChange[] }
      reading = mine
      const startedAt = performance.now()
      return (hasSucceeded) => {
        if (reading !== mine) return
        reading = null
        // After a failure nothing is read again before somebody asks, or something else changes.
        if (!hasSucceeded) return
        lastReadMs.value = performance.now() - startedAt
        setPending(mine.missed.reduce(withChange, [] as readonly DataChange[]))
        plan()
      }
    },
    dropFirstChange(fits) {
      const index = pending.value.findIndex(fits)
      if (index >= 0) setPending(pending.value.toSpliced(index, 1))
    },
    reset() {
      unplan()
      generation += 1
      reading = null
      setPending([])
    },
  }
}

/** One more change; of too many, one remains that may have changed anything. */
function withChange(changes: readonly DataChange[], change: DataChange): readonly DataChange[] {
  if (changes.length < MAX_PENDING) return [...changes, change]
  return [{ ...change, matters: null, ids: NO_IDS, isCertain: false }]
}
