import { defineStore } from 'pinia'
import { shallowRef, watch } from 'vue'
import type { AgentProposal, PendingProposal } from '../../shared/ipc/agents.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'

/** Writes that agents propose, which wait for a person. */
export const useAgents = defineStore('agents', () => {
  const proposals = shallowRef<readonly PendingProposal[]>([])
  /** The first of them, as it would be sent; null until it is read. */
  const shownProposal = shallowRef<AgentProposal | null>(null)

  /** Those that wait already are read; what cannot be read comes with the next change. */
  async function load(): Promise<void> {
    try {
      proposals.value = (await call('agents.asks', {})).asks
    } catch {
      proposals.value = []
    }
  }

  async function showFirst(): Promise<void> {
    const id = proposals.value[0]?.id
    if (id === shownProposal.value?.id) return
    shownProposal.value = null
    if (id === undefined) return
    try {
      const ask = await call('agents.ask', { id })
      if (proposals.value[0]?.id === id) shownProposal.value = ask
    } catch {
      // It was given up, or comes with the next change.
    }
  }

  // A service process that comes back is asked again.
  watch(proposals, showFirst)
  subscribe('agents.changed', (next) => (proposals.value = next.asks))
  onServiceReachable(() => void load())

  return {
    asks: proposals,
    shown: shownProposal,
    decide: (id: string, send: boolean) => call('agents.decide', { id, send }),
  }
})
