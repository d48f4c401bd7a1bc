import { defineStore } from 'pinia'
import { shallowRef, watch } from 'vue'
import type { AgentAsk, WaitingAsk } from '../../shared/ipc/agents.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscribe.ts'

/** Writes that agents propose, which wait for a person. */
export const useAgents = defineStore('agents', () => {
  const asks = shallowRef<readonly WaitingAsk[]>([])
  /** The first of them, as it would be sent; null until it is read. */
  const shown = shallowRef<AgentAsk | null>(null)

  /** Those that wait already are read; what cannot be read comes with the next change. */
  async function load(): Promise<void> {
    try {
      asks.value = (await call('agents.asks', {})).asks
    } catch {
      asks.value = []
    }
  }

  async function showFirst(): Promise<void> {
    const id = asks.value[0]?.id
    if (id === shown.value?.id) return
    shown.value = null
    if (id === undefined) return
    try {
      const ask = await call('agents.ask', { id })
      if (asks.value[0]?.id === id) shown.value = ask
    } catch {
      // It was given up, or comes with the next change.
    }
  }

  // A service process that comes back is asked again.
  watch(asks, showFirst)
  subscribe('agents.changed', (next) => (asks.value = next.asks))
  onServiceReachable(() => void load())

  return { asks, shown, decide: (id: string, send: boolean) => call('agents.decide', { id, send }) }
})
