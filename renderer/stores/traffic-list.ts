import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import type { AppError } from '../../shared/errors.ts'
import type { Payload } from '../../shared/ipc/index.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import { searchesBodies, type TrafficFilter, type TrafficSort } from '../../shared/traffic/filter.ts'
import { call } from '../ipc/call.ts'
import { asAppError, isCancelled } from './errors.ts'
import { onServiceState, onTraffic } from './traffic.ts'
import { useRows } from './traffic-rows.ts'

interface TrafficList {
  /** All that pass, by `seq`, in order; only the first of them while not `whole`. */
  readonly seqs: ShallowRef<Uint32Array>
  /** How many there are is known. */
  readonly whole: Ref<boolean>
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
  const slow = ref(false)
  const error = shallowRef<AppError | null>(null)
  const { version, rowOf, need, take: takeRows, forget } = useRows()
  let newest = 0
  let running = new AbortController()
  let busy = false
  let again: What | null = null

  /** One search at a time: what changes meanwhile is looked for after it. */
  async function look(what: What): Promise<void> {
    if (busy) {
      again = again === null || urgency[what] > urgency[again] ? what : again
      return
    }
    busy = true
    const { signal } = running
    const timer = setTimeout(() => (slow.value = true), 150)
    try {
      const order = sort()
      const after = what === 'more' && whole.value && order.by === 'time' && newest > 0 ? { after: newest } : {}
      // A search in bodies is not done twice.
      if (what === 'new' && atTop() && !searchesBodies(filter()) && (await begin(order, signal)))
        return await end(timer)
      const { meta, bytes } = await call('traffic.find', { filter: filter(), sort: order, ...after }, { signal })
      const found = new Uint32Array(bytes)
      if (!('after' in after)) seqs.value = found
      else if (meta.scattered) again = 'all'
      else if (found.length > 0) seqs.value = joined(seqs.value, found, order.descending)
      newest = meta.newest
      whole.value = true
      incomplete.value = meta.incomplete
      error.value = null
      loaded.value = true
    } catch (thrown) {
      if (what === 'new') whole.value = false
      if (!signal.aborted && !isCancelled(thrown)) {
        error.value = asAppError(thrown)
        loaded.value = true
      }
    }
    await end(timer)
  }

  /** Shows the first rows; true if there are no others. What is wrong is said by whoever looks for the others. */
  async function begin(order: TrafficSort, signal: AbortSignal): Promise<boolean> {
    try {
      const head = await call('traffic.head', { filter: filter(), sort: order }, { signal })
      takeRows(head.rows)
      seqs.value = Uint32Array.from(head.rows, ({ seq }) => seq)
      newest = head.newest
      whole.value = head.isWhole
      incomplete.value = false
      error.value = null
      loaded.value = true
      return head.isWhole
    } catch {
      return false
    }
  }

  async function end(timer: ReturnType<typeof setTimeout>): Promise<void> {
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
    await look('new')
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
  return { seqs, whole, incomplete, loaded, slow, error, version, rowOf, need, reload, cancel }
}

/** What is looked for: everything after another filter, everything again, or what has arrived. */
type What = 'new' | 'all' | 'more'
const urgency: Readonly<Record<What, number>> = { more: 0, all: 1, new: 2 }

function joined(known: Uint32Array, more: Uint32Array, first: boolean): Uint32Array<ArrayBuffer> {
  const all = new Uint32Array(known.length + more.length)
  all.set(first ? more : known)
  all.set(first ? known : more, first ? more.length : known.length)
  return all
}
