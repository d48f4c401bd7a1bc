import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { IpcInput, IpcOutput } from '../../shared/ipc/index.ts'
import type { TrafficInfo } from '../../shared/ipc/traffic.ts'
import type { PendingRow } from '../model/traffic/pending-row.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'

/** Calls back with every change of the store, until the returned function is called. */
export const onTrafficChange = (listener: Parameters<typeof subscribe<'traffic.changed'>>[1]): (() => void) =>
  subscribe('traffic.changed', listener)

/** The recorder as the page sees it: its state, what it has lost, and the exchanges under way. */
export const useTraffic = defineStore('traffic', () => {
  const info = shallowRef<TrafficInfo | null>(null)
  const pending = shallowRef<readonly PendingRow[]>([])
  /** Number of the exchange that another one is to be compared with. */
  const comparisonSeq = shallowRef<number | null>(null)

  async function readInfo(): Promise<void> {
    info.value = await call('traffic.info', {})
  }

  // Runs again when the service process is back.
  subscribe('traffic.changed', (push) => {
    pending.value = push.pending
    if (push.reread) void readInfo().catch(() => undefined)
    else if (info.value) info.value = { ...info.value, exchanges: push.exchanges }
  })
  // Deferred, so that the rows of a place that is being opened are requested first.
  onServiceReachable(() => queueMicrotask(() => void readInfo().catch(() => undefined)))

  return {
    info,
    pending,
    comparisonSeq,
    paused: computed(() => info.value?.paused ?? false),
    readInfo,
    async pause(paused: boolean): Promise<void> {
      info.value = await call('traffic.pause', { paused })
    },
    clear: () => call('traffic.clear', {}),
    pin: (seqs: readonly number[], pinned: boolean) => call('traffic.pin', { seqs: [...seqs], pinned }),
    /** Sends a request that reads, and resolves with its number in the store. */
    send: async (request: IpcInput<'traffic.send'>, signal?: AbortSignal): Promise<number> =>
      (await call('traffic.send', request, signal ? { signal } : {})).seq,
    readTimeStrip: (input: IpcInput<'traffic.strip'>, signal: AbortSignal): Promise<IpcOutput<'traffic.strip'>> =>
      call('traffic.strip', input, { signal }),
  }
})
