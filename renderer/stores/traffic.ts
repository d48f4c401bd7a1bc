import { defineStore } from './define-store.ts'
import { computed, shallowRef } from 'vue'
import type { IpcInput, IpcOutput } from '../../shared/ipc/index.ts'
import { MAX_HEAD_SEQS, type TrafficInfo } from '../../shared/ipc/traffic.ts'
import { isBodySearch, type TrafficFilter, type TrafficSort } from '../../shared/traffic/traffic-filter.ts'
import type { PendingRow } from '../model/traffic/pending-row.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { useServiceState } from './service-state.ts'

/** The returned function removes the listener. */
export function onTrafficChange(listener: Parameters<typeof subscribe<'traffic.changed'>>[1]): () => void {
  return subscribe('traffic.changed', listener)
}

export function toHeadInput(filter: TrafficFilter, sort: TrafficSort): IpcInput<'traffic.head'> {
  return { filter, sort, limit: MAX_HEAD_SEQS }
}

type TrafficHead = IpcOutput<'traffic.head'>
interface PrefetchedHead {
  readonly key: string
  readonly requestedAt: number
  readonly reply: Promise<TrafficHead>
}
/** A reply is not used after this time, in case the list is opened much later. */
const MAX_PREFETCH_AGE_MS = 5_000
let prefetchedHead: PrefetchedHead | null = null

/** Requests the first rows of a list whose code is not loaded yet. */
export function prefetchTrafficHead(filter: TrafficFilter, sort: TrafficSort): void {
  // They are not read separately if bodies are searched.
  if (isBodySearch(filter)) return
  const input = toHeadInput(filter, sort)
  const reply = call('traffic.head', input)
  // The list makes the call again.
  reply.catch(() => undefined)
  prefetchedHead = { key: JSON.stringify(input), requestedAt: performance.now(), reply }
}

/** Returns the reply to a prefetched request once, and null if there is none. */
export function takePrefetchedHead(filter: TrafficFilter, sort: TrafficSort): Promise<TrafficHead> | null {
  const prefetched = prefetchedHead
  prefetchedHead = null
  if (prefetched?.key !== JSON.stringify(toHeadInput(filter, sort))) return null
  return performance.now() - prefetched.requestedAt < MAX_PREFETCH_AGE_MS ? prefetched.reply : null
}

/** The state of the recorder, its losses, and the pending exchanges. */
export const useTraffic = defineStore('traffic', () => {
  const { state: info, apply } = useServiceState<TrafficInfo | null>(null)
  const pending = shallowRef<readonly PendingRow[]>([])
  /** Number of the exchange that the user has marked for a comparison. */
  const comparisonSeq = shallowRef<number | null>(null)
  /** The exchanges from which the user creates a test; null if no dialog for it is open. */
  const testedSeqs = shallowRef<readonly number[] | null>(null)

  const readInfo = (): Promise<void> => apply(call('traffic.info', {}))

  subscribe('traffic.changed', (push) => {
    pending.value = push.pending
    if (push.reread) void readInfo().catch(() => undefined)
    else if (info.value) info.value = { ...info.value, exchanges: push.exchanges }
  })
  // The call is deferred, so that a page that is just opening requests its rows first.
  onServiceReachable(() => queueMicrotask(() => void readInfo().catch(() => undefined)))

  return {
    info,
    pending,
    comparisonSeq,
    testedSeqs,
    paused: computed(() => info.value?.paused ?? false),
    readInfo,
    pause: (isPaused: boolean) => apply(call('traffic.pause', { paused: isPaused })),
    clear: () => call('traffic.clear', {}),
    pin: (seqs: readonly number[], isPinned: boolean) => call('traffic.pin', { seqs: [...seqs], pinned: isPinned }),
    /** Sends a read, and resolves with the number of its exchange in the store. */
    send: async (request: IpcInput<'traffic.send'>, signal?: AbortSignal): Promise<number> =>
      (await call('traffic.send', request, signal ? { signal } : {})).seq,
    readTimeStrip: (input: IpcInput<'traffic.strip'>, signal: AbortSignal): Promise<IpcOutput<'traffic.strip'>> =>
      call('traffic.strip', input, { signal }),
  }
})
