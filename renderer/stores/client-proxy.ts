import { defineStore } from './define-store.ts'
import type { ClientProxyState } from '../../shared/ipc/client-proxy.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { useServiceState } from './service-state.ts'

export const useClientProxy = defineStore('clientProxy', () => {
  const { state, accept, apply, tryApply } = useServiceState<ClientProxyState | null>(null)

  subscribe('clientProxy.changed', accept)
  onServiceReachable(() => void tryApply(call('clientProxy.get', {})))

  return {
    state,
    start: (label: string) => apply(call('clientProxy.start', { label })),
    setLabel: (label: string) => apply(call('clientProxy.name', { label })),
    stop: () => apply(call('clientProxy.stop', {})),
  }
})
