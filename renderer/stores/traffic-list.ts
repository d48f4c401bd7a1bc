import { computed, onScopeDispose, proxyRefs, ref, shallowRef, watch } from 'vue'
import type { IpcPayload } from '../../shared/ipc/index.ts'
import { MAX_ROWS_PER_CALL } from '../../shared/ipc/traffic.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import { isBodySearch, type TrafficFilter, type TrafficSort } from '../../shared/traffic/traffic-filter.ts'
import { call } from '../ipc/call.ts'
import { onServiceBack } from '../ipc/subscriptions.ts'
import { readExchangeRows } from './exchange.ts'
import { useResource, type Resource } from './resource.ts'
import { onTrafficChange } from './traffic.ts'

interface TrafficList extends Pick<Resource<unknown>, 'error' | 'slow' | 'reload' | 'cancel'> {
  /** All that pass, by `seq`, in order; only the first of them while not `isTotalKnown`. */
  readonly seqs: Uint32Array
  /** How many there are is known. */
  readonly isTotalKnown: boolean
  /** Some bodies could not be searched yet. */
  readonly isSearchIncomplete: boolean
  readonly loaded: boolean
  /** Grows whenever rows have arrived or changed. */
  readonly version: number
  rowOf(seq: number): ExchangeRow | undefined
  /** Reads these rows, if they are not there. */
  loadRows(seqs: readonly number[]): void
}

/**
 * The exchanges that pass a filter: all their numbers, of which only those in view become rows; kept up to date while they arrive. The
 * first rows come at once, ahead of the others, where the list is looked at from its top (`atTop`).
 */
export function useTrafficList(
  filter: () => TrafficFilter,
  sort: () => TrafficSort,
  atTop: () => boolean = () => false,
): TrafficList {
  const seqs = shallowRef(new Uint32Array())
  const whole = ref(false)
  const incomplete = ref(false)
  const loaded = ref(false)
  const { version, rowOf, need, take: takeRows, forget } = useRows()
  let newest = 0
  let sought: ReloadScope = 'new'
  /** What has changed meanwhile and is looked for after that. */
  let next: ReloadScope | null = null

  const search = useResource(async (signal) => {
    const order = sort()
    // A search in bodies is not done twice.
    if (sought === 'new' && atTop() && !isBodySearch(filter()) && (await begin(order, signal))) return
    const after = sought === 'more' && whole.value && order.by === 'time' && newest > 0 ? { after: newest } : {}
    const { meta, bytes } = await call('traffic.find', { filter: filter(), sort: order, ...after }, { signal })
    const found = new Uint32Array(bytes)
    if (!('after' in after)) seqs.value = found
    else if (meta.scattered) next = 'all'
    else if (found.length > 0) seqs.value = joined(seqs.value, found, order.descending)
    newest = meta.newest
    whole.value = true
    incomplete.value = meta.incomplete
  })

  /** Shows the first rows; true if there are no others. What is wrong is said by whoever looks for the others. */
  async function begin(order: TrafficSort, signal: AbortSignal): Promise<boolean> {
    try {
      const head = await call('traffic.head', { filter: filter(), sort: order }, { signal })
      takeRows(head.rows)
      seqs.value = Uint32Array.from(head.rows, ({ seq }) => seq)
      newest = head.newest
      whole.value = head.isWhole
      incomplete.value = false
      loaded.value = true
      return head.isWhole
    } catch {
      return false
    }
  }

  /** One search at a time, except that one for something else ends the one under way. */
  async function look(what: ReloadScope): Promise<void> {
    if (what !== 'new' && search.status === 'loading') {
      next = next === 'all' ? next : what
      return
    }
    sought = what
    next = null
    await search.reload()
  }
  watch(
    () => search.status,
    (status) => {
      if (status === 'loading') return
      loaded.value = true
      if (sought === 'new' && status !== 'ready') whole.value = false
      if (next !== null) void look(next)
    },
  )

  function take({ newest: last, reread }: IpcPayload<'traffic.changed'>): void {
    if (reread) {
      forget()
      void look('all')
    } else if (last !== newest) void look('more')
  }

  onScopeDispose(onTrafficChange(take))
  onScopeDispose(
    onServiceBack(() => {
      forget()
      void look('new')
    }),
  )
  watch(
    () => JSON.stringify([filter(), sort()]),
    () => void look('new'),
    { immediate: true },
  )
  return proxyRefs({
    seqs,
    isTotalKnown: whole,
    isSearchIncomplete: incomplete,
    loaded,
    slow: computed(() => search.slow),
    error: computed(() => search.error),
    version,
    rowOf,
    loadRows: need,
    reload: () => look('new'),
    cancel: () => search.cancel(),
  })
}

/** What is looked for: everything after another filter, everything again, or what has arrived. */
type ReloadScope = 'new' | 'all' | 'more'

function joined(known: Uint32Array, more: Uint32Array, first: boolean): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(known.length + more.length)
  all.set(first ? more : known)
  all.set(first ? known : more, first ? more.length : known.length)
  return all
}

/** Rows kept while the list is scrolled; more are read again when they come back into view. */
const MAX_ROWS_KEPT = 4_000
const FRAME_MS = 16

/** Rows by `seq`, read together once a frame. */
function useRows() {
  const version = ref(0)
  let rows = new Map<number, ExchangeRow>()
  const asked = new Set<number>()
  let wanted: readonly number[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  async function read(seqs: readonly number[]): Promise<void> {
    const missing = seqs.slice(0, MAX_ROWS_PER_CALL)
    if (missing.length === 0) return
    for (const seq of missing) asked.add(seq)
    try {
      take(await readExchangeRows(missing))
    } catch {
      // The list itself says what is wrong; the rows are asked for again when they are next in view.
    } finally {
      for (const seq of missing) asked.delete(seq)
    }
  }

  function readWanted(): void {
    timer = undefined
    void read(wanted.filter((seq) => !rows.has(seq) && !asked.has(seq)))
  }

  function take(found: readonly ExchangeRow[]): void {
    for (const row of found) rows.set(row.seq, row)
    if (rows.size > MAX_ROWS_KEPT) rows = new Map([...rows].slice(-MAX_ROWS_KEPT / 2))
    version.value += 1
  }

  return {
    version,
    rowOf: (seq: number) => (version.value, rows.get(seq)),
    need(seqs: readonly number[]) {
      wanted = seqs
      timer ??= setTimeout(readWanted, FRAME_MS)
    },
    /** Rows that came with something else. */
    take,
    /** They may have changed: those in view are shown until the new ones arrive. */
    forget() {
      const inView = new Set(wanted)
      rows = new Map([...rows].filter(([seq]) => inView.has(seq)))
      void read([...rows.keys()])
    },
  }
}
