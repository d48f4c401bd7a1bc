import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { RecordingState } from '../../shared/ipc/recording.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'

export const useRecording = defineStore('recording', () => {
  const state = shallowRef<RecordingState | null>(null)

  async function read(): Promise<void> {
    state.value = await call('recording.get', {})
  }

  subscribe('recording.changed', (next) => (state.value = next))
  onServiceReachable(() => void read().catch(() => undefined))

  return {
    state,
    async start(label: string): Promise<void> {
      state.value = await call('recording.start', { label })
    },
    async setLabel(label: string): Promise<void> {
      state.value = await call('recording.name', { label })
    },
    async stop(): Promise<void> {
      state.value = await call('recording.stop', {})
    },
  }
})
