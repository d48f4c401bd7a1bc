import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { Payload } from '../../shared/ipc/index.ts'
import { MOST_ROWS } from '../../shared/ipc/traffic.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import type { TrafficFilter, TrafficSort } from '../../shared/traffic/filter.ts'
import { call } from '../ipc/call.ts'
import { asAppError, isCancelled } from './errors.ts'
import { onServiceState, onTraffic } from './traffic.ts'

/** Rows kept while the list is scrolled; more are read again when they come back into view. */
const MOST_KEPT = 4_000

interface TrafficList {
  /** All that pass, by `seq`, in order. */
  readonly seqs: ShallowRef<Uint32Array>
  /** Some bodies could not be searched yet. */
  readonly incomplete: Ref<boolean>
  readonly loaded: Ref<boolean>
  /** A search has taken a while and is still going on. */
  readonly slow: Ref<boolean>
  readonly error: ShallowRef<AppError | null>
  /** Grows whenever rows have arrived or changed. */
  readonly version: Ref<number>
  rowOf(seq: number): ExchangeRow | undefined
  /** Reads these rows, if they are not there. */
  need(seqs: readonly number[]): void
  reload(): Promise<void>
  /** Gives up the search that is going on. */
  cancel(): void
}

/** The exchanges that pass a filter: all their numbers, of which only those in view become rows; kept up to date while they arrive. */
export function useTrafficList(filter: () => TrafficFilter, sort: () => TrafficSort): TrafficList {
  const seqs = shallowRef(new Uint32Array())
  const incomplete = ref(false)
  const loaded = ref(false)
  const slow = ref(false)
  const error = shallowRef<AppError | null>(null)
  const { version, rowOf, need, forget } = useRows()
  let newest = 0
  let running = new AbortController()
  let busy = false
  let again: 'all' | 'more' | null = null

  /** One search at a time: what changes meanwhile is looked for after it. */
  async function look(what: 'all' | 'more'): Promise<void> {
    if (busy) {
      again = what === 'all' || again === 'all' ? 'all' : 'more'
      return
    }
    busy = true
    const { signal } = running
    const timer = setTimeout(() => (slow.value = true), 150)
    try {
      const order = sort()
      const after = what === 'more' && order.by === 'time' && newest > 0 ? { after: newest } : {}
      const { meta, bytes } = await call('traffic.find', { filter: filter(), sort: order, ...after }, { signal })
      const found = new Uint32Array(bytes)
      if (!('after' in after)) seqs.value = found
      else if (meta.scattered) again = 'all'
      else if (found.length > 0) seqs.value = joined(seqs.value, found, order.descending)
      newest = meta.newest
      incomplete.value = meta.incomplete
      error.value = null
      loaded.value = true
    } catch (thrown) {
      if (!signal.aborted && !isCancelled(thrown)) {
        error.value = asAppError(thrown)
        loaded.value = true
      }
    }
    clearTimeout(timer)
    slow.value = false
    busy = false
    const next = again
    again = null
    if (next !== null) await look(next)
  }

  async function reload(): Promise<void> {
    running.abort()
    running = new AbortController()
    await look('all')
  }

  function cancel(): void {
    running.abort()
    loaded.value = true
  }

  function take({ newest: last, reread }: Payload<'traffic.changed'>): void {
    if (reread) {
      forget()
      void look('all')
    } else if (last !== newest) void look('more')
  }

  let away = false
  onScopeDispose(onTraffic(take))
  onScopeDispose(
    onServiceState((reachable) => {
      if (reachable && away) {
        forget()
        void reload()
      }
      away = !reachable
    }),
  )
  watch(
    () => JSON.stringify([filter(), sort()]),
    () => void reload(),
    { immediate: true },
  )
  onScopeDispose(() => running.abort())
  return { seqs, incomplete, loaded, slow, error, version, rowOf, need, reload, cancel }
}

function joined(known: Uint32Array, more: Uint32Array, first: boolean): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(known.length + more.length)
  all.set(first ? more : known)
  all.set(first ? known : more, first ? more.length : known.length)
  return all
}

/** Rows by `seq`, read together once a frame. */
function useRows(): Pick<TrafficList, 'version' | 'rowOf' | 'need'> & { forget(): void } {
  const version = ref(0)
  let rows = new Map<number, ExchangeRow>()
  const asked = new Set<number>()
  let wanted: readonly number[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  async function read(): Promise<void> {
    timer = undefined
    const missing = wanted.filter((seq) => !rows.has(seq) && !asked.has(seq)).slice(0, MOST_ROWS)
    if (missing.length === 0) return
    for (const seq of missing) asked.add(seq)
    try {
      const { rows: found } = await call('traffic.rows', { seqs: missing })
      for (const row of found) rows.set(row.seq, row)
      if (rows.size > MOST_KEPT) rows = new Map([...rows].slice(-MOST_KEPT / 2))
      version.value += 1
    } catch {
      // The list itself says what is wrong; the rows are asked for again when they are next in view.
    } finally {
      for (const seq of missing) asked.delete(seq)
    }
  }

  return {
    version,
    rowOf: (seq) => (version.value, rows.get(seq)),
    need(seqs) {
      wanted = seqs
      timer ??= setTimeout(() => void read(), 16)
    },
    forget() {
      // Shown until the new ones arrive.
      const known = [...rows.keys()]
      rows = new Map(rows)
      for (const seq of known.filter((one) => !wanted.includes(one))) rows.delete(seq)
      void refresh(known.filter((one) => wanted.includes(one)))
    },
  }

  async function refresh(seqs: readonly number[]): Promise<void> {
    if (seqs.length === 0) return
    try {
      const { rows: found } = await call('traffic.rows', { seqs: seqs.slice(0, MOST_ROWS) })
      for (const row of found) rows.set(row.seq, row)
      version.value += 1
    } catch {
      // As above.
    }
  }
}
