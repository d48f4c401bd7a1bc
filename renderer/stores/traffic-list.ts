import { useIntervalFn } from '@vueuse/core'
import { computed, onScopeDispose, proxyRefs, ref, shallowRef, watch } from 'vue'
import type { IpcPayload } from '../../shared/ipc/index.ts'
import { MAX_ROWS_PER_CALL } from '../../shared/ipc/traffic.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import { getRecentMs, isBodySearch, type TrafficFilter, type TrafficSort } from '../../shared/traffic/traffic-filter.ts'
import { call } from '../ipc/call.ts'
import { onServiceBack } from '../ipc/subscriptions.ts'
import {
  isPendingRowIncluded,
  type PendingRow,
  type TrafficRow,
  type TrafficRowKey,
} from '../model/traffic/pending-row.ts'
import { useApp } from './app.ts'
import { readExchangeRows } from './exchange.ts'
import { useResource, type Resource } from './resource.ts'
import { onTrafficChange, takePrefetchedHead, toHeadInput, useTraffic } from './traffic.ts'

interface TrafficList extends Pick<Resource<unknown>, 'error' | 'isSlow' | 'reload' | 'cancel'> {
  /** Numbers of matches in order; only the first ones while `isTotalKnown` is false. */
  readonly seqs: Uint32Array
  readonly isTotalKnown: boolean
  /** True if some bodies could not be searched so far. */
  readonly isSearchIncomplete: boolean
  readonly loaded: boolean
  /** Grows whenever rows arrive or change. */
  readonly version: number
  /** Exchanges under way. They change together with the rows that replace them. */
  readonly pending: readonly PendingRow[]
  rowOf(seq: number): ExchangeRow | undefined
  /** Loads the rows with these numbers unless they are loaded. */
  loadRows(seqs: readonly number[]): void
}

/**
 * The exchanges that match a filter. The list has all their numbers, but only visible rows are
 * loaded; pushes keep it up to date. While the list is scrolled to the top (`isAtTop`), the first
 * rows are read before the remaining numbers.
 */
export function useTrafficList(
  filter: () => TrafficFilter,
  sort: () => TrafficSort,
  isAtTop: () => boolean = () => false,
): TrafficList {
  const seqs = shallowRef(new Uint32Array())
  const isTotalKnown = ref(false)
  const isSearchIncomplete = ref(false)
  const loaded = ref(false)
  const { version, rowOf, need: loadRows, fetch: fetchRows, take: addRows, forget: reloadRows } = useRows()
  const traffic = useTraffic()
  const pending = shallowRef(traffic.pending)
  let pendingTimer: ReturnType<typeof setTimeout> | undefined
  let newestSeq = 0
  let currentScope: ReloadScope = 'new'
  /** The scope of the search that follows the current one. */
  let nextScope: ReloadScope | null = null

  const search = useResource(async (signal) => {
    const order = sort()
    // A search in bodies is expensive, so the first rows are not searched for separately.
    if (currentScope === 'new' && isAtTop() && !isBodySearch(filter()) && (await readHead(order, signal))) return
    const afterOption =
      currentScope === 'more' && isTotalKnown.value && order.by === 'time' && newestSeq > 0 ? { after: newestSeq } : {}
    const { meta, bytes } = await call('traffic.find', { filter: filter(), sort: order, ...afterOption }, { signal })
    const foundSeqs = new Uint32Array(bytes)
    // The rows replace those of exchanges under way, so all are rendered together.
    if (currentScope === 'more') addRows(await fetchRows([...foundSeqs.subarray(0, MAX_ROWS_PER_CALL)]))
    signal.throwIfAborted()
    if (!('after' in afterOption)) {
      if (currentScope !== 'all' || !isSameList(seqs.value, foundSeqs)) seqs.value = foundSeqs
    } else if (meta.scattered) nextScope = 'all'
    else if (foundSeqs.length > 0) seqs.value = joinSeqs(seqs.value, foundSeqs, order.descending)
    newestSeq = meta.newest
    isTotalKnown.value = true
    isSearchIncomplete.value = meta.incomplete
    if (pendingTimer !== undefined) updatePending()
  })

  /** True if there are no further rows. Errors are left to the search that follows. */
  async function readHead(order: TrafficSort, signal: AbortSignal): Promise<boolean> {
    try {
      const prefetchedHead = takePrefetchedHead(filter(), order)
      const head = await (prefetchedHead ?? call('traffic.head', toHeadInput(filter(), order), { signal }))
      signal.throwIfAborted()
      addRows(head.rows)
      seqs.value = Uint32Array.from(head.seqs ?? head.rows.map(({ seq }) => seq))
      newestSeq = head.newest
      // Exchanges that ended since the prefetch may have been pushed before this list listened.
      isTotalKnown.value = head.isWhole && prefetchedHead === null
      isSearchIncomplete.value = false
      loaded.value = true
      return isTotalKnown.value
    } catch {
      return false
    }
  }

  /** Searches do not overlap, but a search for a new filter aborts the current one. */
  async function startSearch(scope: ReloadScope): Promise<void> {
    if (scope !== 'new' && search.status === 'loading') {
      nextScope = nextScope === 'all' ? nextScope : scope
      return
    }
    currentScope = scope
    nextScope = null
    await search.reload()
  }
  watch(
    () => search.status,
    (status) => {
      if (status === 'loading') return
      loaded.value = true
      if (currentScope === 'new' && status !== 'ready') isTotalKnown.value = false
      if (nextScope !== null) void startSearch(nextScope)
    },
  )

  function updatePending(): void {
    clearTimeout(pendingTimer)
    pendingTimer = undefined
    pending.value = traffic.pending
  }

  function onChange({ newest: lastSeq, reread }: IpcPayload<'traffic.changed'>): void {
    if (!reread && lastSeq === newestSeq) return updatePending()
    pendingTimer ??= setTimeout(updatePending, MAX_PENDING_WAIT_MS)
    if (reread) reloadRows()
    void startSearch(reread ? 'all' : 'more')
  }

  onScopeDispose(onTrafficChange(onChange))
  onScopeDispose(() => clearTimeout(pendingTimer))
  onScopeDispose(
    onServiceBack(() => {
      reloadRows()
      void startSearch('new')
    }),
  )
  // Exchanges grow older than the filter allows although nothing is recorded; a recording's do not.
  const ageInterval = useIntervalFn(
    () => !document.hidden && startSearch('all'),
    () => Math.min(MAX_AGE_CHECK_MS, Math.max(MIN_AGE_CHECK_MS, (getRecentMs(filter()) ?? 0) / 60)),
    { immediate: false },
  )
  const app = useApp()
  watch(
    () => getRecentMs(filter()) !== null && !app.info?.recording,
    (hasAge) => (hasAge ? ageInterval.resume() : ageInterval.pause()),
    { immediate: true },
  )
  watch(
    () => JSON.stringify([filter(), sort()]),
    () => void startSearch('new'),
    { immediate: true },
  )
  return proxyRefs({
    seqs,
    isTotalKnown,
    isSearchIncomplete,
    loaded,
    isSlow: computed(() => search.isSlow),
    error: computed(() => search.error),
    version,
    pending,
    rowOf,
    loadRows,
    reload: () => startSearch('new'),
    cancel: () => search.cancel(),
  })
}

/** A rendering is saved if the new rows are read by then. */
const MAX_PENDING_WAIT_MS = 150

/** The newest and oldest rows among which an exchange that has just ended is searched. */
const NEW_ROWS = MAX_ROWS_PER_CALL
/** An exchange that has ended but is not listed after this time was not stored. */
const MAX_UNLISTED_MS = 2_000

/**
 * The rows of a list with the exchanges under way that match the filter. Loads the rows in sight
 * and `readAheadRows` on each side of them.
 * @param range returns the first and last position in sight
 */
export function useListedRows(
  list: Pick<TrafficList, 'loadRows' | 'pending' | 'rowOf' | 'seqs'>,
  filter: () => TrafficFilter,
  range: () => readonly [first: number, last: number],
  readAheadRows: number,
) {
  /** Have ended, but may not be listed yet. Without them, rows would disappear briefly. */
  const ended = shallowRef<readonly PendingRow[]>([])
  watch(
    () => list.pending,
    (rows, rowsBefore) => {
      const pendingIds = new Set(rows.map(({ id }) => id))
      const newlyEnded = rowsBefore.filter(({ id }) => !pendingIds.has(id))
      if (newlyEnded.length === 0) return
      ended.value = [...ended.value, ...newlyEnded]
      setTimeout(() => (ended.value = ended.value.filter((row) => !newlyEnded.includes(row))), MAX_UNLISTED_MS)
    },
    { flush: 'sync' },
  )
  const seqs = computed<readonly number[]>(() => Array.from(list.seqs))
  const newlyListedIds = computed(() => {
    const isShort = seqs.value.length <= 2 * NEW_ROWS
    const newSeqs = isShort ? seqs.value : [...seqs.value.slice(0, NEW_ROWS), ...seqs.value.slice(-NEW_ROWS)]
    return new Set(newSeqs.map((seq) => list.rowOf(seq)?.id))
  })
  // When more rows have arrived, a listed exchange would no longer be among the newest ones.
  watch(newlyListedIds, (ids) => {
    if (ended.value.some(({ id }) => ids.has(id))) ended.value = ended.value.filter(({ id }) => !ids.has(id))
  })
  const pendingById = computed<ReadonlyMap<string, PendingRow>>((before) => {
    const rows = [...(filter().states === undefined ? ended.value : []), ...list.pending]
    const included = rows.filter((row) => isPendingRowIncluded(row, filter()) && !newlyListedIds.value.has(row.id))
    const next = new Map(included.toReversed().map((row) => [row.id, row]))
    // Nothing is rendered again when only exchanges are dropped that are listed meanwhile.
    return before?.size === next.size && [...next].every(([id, row]) => before.get(id) === row) ? before : next
  })
  /** Exchanges under way first, then the listed ones. */
  const keys = computed<readonly TrafficRowKey[]>(() =>
    pendingById.value.size === 0 ? seqs.value : [...pendingById.value.keys(), ...seqs.value],
  )
  const visibleKeys = computed(() => keys.value.slice(range()[0], range()[1] + 1))
  /** The visible keys and those next to them. */
  const nearbyKeys = computed(() =>
    keys.value.slice(Math.max(0, range()[0] - readAheadRows), range()[1] + readAheadRows),
  )
  watch(nearbyKeys, (nearby) => list.loadRows(nearby.filter((key) => typeof key === 'number')), { immediate: true })
  return {
    keys,
    getRow: (key: TrafficRowKey): TrafficRow | undefined =>
      typeof key === 'number' ? list.rowOf(key) : pendingById.value.get(key),
    visibleKeys,
    nearbyKeys,
  }
}

/** `new`: with a new filter. `all`: the same again. `more`: exchanges since then. */
type ReloadScope = 'new' | 'all' | 'more'

/** How often exchanges that have become too old are looked for, in milliseconds. */
const [MIN_AGE_CHECK_MS, MAX_AGE_CHECK_MS] = [1_000, 60_000]

const isSameList = (first: Uint32Array, second: Uint32Array): boolean =>
  first.length === second.length && first.every((seq, index) => seq === second[index])

function joinSeqs(listed: Uint32Array, more: Uint32Array, isNewestFirst: boolean): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(listed.length + more.length)
  all.set(isNewestFirst ? more : listed)
  all.set(isNewestFirst ? listed : more, isNewestFirst ? more.length : listed.length)
  return all
}

/** Beyond this, the rows that were read first are dropped until they are visible. */
const MAX_CACHED_ROWS = 4_000
const FRAME_MS = 16

/** Rows by `seq`. All rows requested within a frame are read together. */
function useRows() {
  const version = ref(0)
  let rows = new Map<number, ExchangeRow>()
  const requestedSeqs = new Set<number>()
  let visibleSeqs: readonly number[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  async function fetch(seqs: readonly number[]): Promise<readonly ExchangeRow[]> {
    const missing = seqs.slice(0, MAX_ROWS_PER_CALL)
    if (missing.length === 0) return []
    for (const seq of missing) requestedSeqs.add(seq)
    try {
      return await readExchangeRows(missing)
    } catch {
      // The list shows the error. Rows are requested again when they become visible again.
      return []
    } finally {
      for (const seq of missing) requestedSeqs.delete(seq)
    }
  }

  async function read(seqs: readonly number[]): Promise<void> {
    addRows(await fetch(seqs))
  }

  function readVisible(): void {
    timer = undefined
    void read(visibleSeqs.filter((seq) => !rows.has(seq) && !requestedSeqs.has(seq)))
  }

  function addRows(foundRows: readonly ExchangeRow[]): void {
    if (foundRows.length === 0) return
    for (const row of foundRows) rows.set(row.seq, row)
    if (rows.size > MAX_CACHED_ROWS) rows = new Map([...rows].slice(-MAX_CACHED_ROWS / 2))
    version.value += 1
  }

  return {
    version,
    rowOf: (seq: number) => (version.value, rows.get(seq)),
    fetch,
    need(seqs: readonly number[]) {
      visibleSeqs = seqs
      timer ??= setTimeout(readVisible, FRAME_MS)
    },
    /** Adds rows that were read by a different call. */
    take: addRows,
    /** Called when rows may have changed. Visible rows stay until the new ones arrive. */
    forget() {
      const visible = new Set(visibleSeqs)
      rows = new Map([...rows].filter(([seq]) => visible.has(seq)))
      void read([...rows.keys()])
    },
  }
}
