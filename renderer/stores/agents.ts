import { defineStore } from './define-store.ts'
import { shallowRef, watch } from 'vue'
import type { AgentProposal, PendingProposal } from '../../shared/ipc/agents.ts'
import { call } from '../ipc/call.ts'
import { onServiceReachable, subscribe } from '../ipc/subscriptions.ts'
import { useServiceState } from './service-state.ts'

/** Writes that agents propose and that a person must approve or reject. */
export const useAgents = defineStore('agents', () => {
  const { state: proposals, accept, apply } = useServiceState<readonly PendingProposal[]>([])
  /** The first proposal as it would be sent; null until the proposal is loaded. */
  const shownProposal = shallowRef<AgentProposal | null>(null)

  const readProposals = (): Promise<readonly PendingProposal[]> =>
    call('agents.asks', {}).then(
      ({ asks }) => asks,
      () => [],
    )

  async function showFirst(): Promise<void> {
    const id = proposals.value[0]?.id
    if (id === shownProposal.value?.id) return
    shownProposal.value = null
    if (id === undefined) return
    try {
      const proposal = await call('agents.ask', { id })
      if (proposals.value[0]?.id === id) shownProposal.value = proposal
    } catch {
      // Either the agent withdrew the proposal, or the next push loads it again.
    }
  }

  watch(proposals, showFirst)
  subscribe('agents.changed', ({ asks }) => accept(asks))
  onServiceReachable(() => void apply(readProposals()))

  return {
    proposals,
    shownProposal,
    decide: (id: string, shouldSend: boolean) => call('agents.decide', { id, send: shouldSend }),
  }
})
