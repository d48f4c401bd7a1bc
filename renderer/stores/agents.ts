import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { AgentAsk } from '../../shared/ipc/agents.ts'
import { call } from '../ipc/call.ts'
import { onServiceState, subscribe } from '../ipc/subscribe.ts'

/** Writes that agents propose, which wait for a person. */
export const useAgents = defineStore('agents', () => {
  const asks = shallowRef<readonly AgentAsk[]>([])
  let following = false

  /** Those that wait already are read; what cannot be read comes with the next change. */
  async function load(): Promise<void> {
    try {
      asks.value = (await call('agents.asks', {})).asks
    } catch {
      asks.value = []
    }
  }

  /** Follows them from now on. A service process that comes back is asked again. */
  function start(): void {
    if (following) return
    following = true
    subscribe('agents.changed', (next) => (asks.value = next.asks))
    onServiceState((reachable) => {
      if (reachable) void load()
    })
  }

  return { asks, start, decide: (id: string, send: boolean) => call('agents.decide', { id, send }) }
})
