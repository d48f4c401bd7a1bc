import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { RecordingState } from '../../shared/ipc/recording.ts'
import { call } from '../ipc/call.ts'
import { onServiceState, subscribe } from '../ipc/subscribe.ts'

/** The listener for other clients, as the page sees it. */
export const useRecording = defineStore('recording', () => {
  const state = shallowRef<RecordingState | null>(null)
  let following = false

  async function read(): Promise<void> {
    state.value = await call('recording.get', {})
  }

  /** Reads and follows it from now on. A service process that comes back is asked again. */
  function follow(): void {
    if (following) return
    following = true
    subscribe('recording.changed', (now) => (state.value = now))
    onServiceState((reachable) => {
      if (reachable) void read().catch(() => undefined)
    })
  }

  return {
    state,
    follow,
    async start(label: string): Promise<void> {
      state.value = await call('recording.start', { label })
    },
    async name(label: string): Promise<void> {
      state.value = await call('recording.name', { label })
    },
    async stop(): Promise<void> {
      state.value = await call('recording.stop', {})
    },
  }
})
