import { defineStore } from './define-store.ts'
import { shallowRef } from 'vue'
import type { ClientProxyState } from '../../shared/ipc/client-proxy.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'

export const useClientProxy = defineStore('clientProxy', () => {
  const state = shallowRef<ClientProxyState | null>(null)

  async function read(): Promise<void> {
    state.value = await call('clientProxy.get', {})
  }

  subscribe('clientProxy.changed', (next) => (state.value = next))
  onServiceReachable(() => void read().catch(() => undefined))

  return {
    state,
    async start(label: string): Promise<void> {
      state.value = await call('clientProxy.start', { label })
    },
    async setLabel(label: string): Promise<void> {
      state.value = await call('clientProxy.name', { label })
    },
    async stop(): Promise<void> {
      state.value = await call('clientProxy.stop', {})
    },
  }
})
