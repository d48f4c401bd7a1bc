import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'
import { endpointById } from '../../shared/bridge/endpoints/index.ts'
import { commandKind } from '../../shared/bridge/operation.ts'
import type { OperationSummary } from '../../shared/ipc/operations.ts'
import { subscribe } from '../ipc/subscribe.ts'

/** When a study set was written to last, as far as this program knows: what was read of it before may be old. */
export const useWritten = defineStore('written', () => {
  /** Epoch milliseconds of the last write, by study set. */
  const last = shallowReactive(new Map<string, number>())

  function start(): void {
    subscribe('operations.changed', ({ items }) => {
      for (const one of items) {
        if (one.topicid === null || !mayHaveWritten(one)) continue
        last.set(one.topicid, Math.max(one.createdAt, last.get(one.topicid) ?? 0))
      }
    })
  }

  return { start, at: (topicid: string): number => last.get(topicid) ?? 0 }
})

/** Strokes and sessions stand in no listing, and what was refused or never left changed nothing. */
function mayHaveWritten({ endpoint, state }: OperationSummary): boolean {
  if (commandKind(endpoint) !== 'plain' || endpointById(endpoint)?.access !== 'write') return false
  return !['prepared', 'sent', 'not-sent', 'refused', 'conflict'].includes(state)
}
