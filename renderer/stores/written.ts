import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'
import { endpointById, commandKind } from '../../shared/bridge/endpoints/index.ts'
import { untaken } from '../../shared/operations/events.ts'
import type { OperationSummary } from '../../shared/ipc/operations.ts'
import { subscribe } from '../ipc/subscribe.ts'

/** When a study set was last written to, as far as this program knows: anything read before may be outdated. */
export const useWritten = defineStore('written', () => {
  /** Epoch milliseconds of the last write, by study set. */
  const last = shallowReactive(new Map<string, number>())

  /** Writes already counted: a later observation of one is not another write. */
  const counted = new Set<string>()

  function start(): void {
    // Records older than the page are pushed again when they change.
    const since = Date.now()
    subscribe('operations.changed', ({ items }) => {
      for (const one of items) {
        if (one.topicid === null || one.createdAt < since || counted.has(one.id) || !mayHaveWritten(one)) continue
        counted.add(one.id)
        last.set(one.topicid, Date.now())
      }
    })
  }

  return { start, at: (topicid: string): number => last.get(topicid) ?? 0 }
})

/** Strokes and sessions appear in no listing, and what was refused or never sent changed nothing. */
function mayHaveWritten({ endpoint, state }: OperationSummary): boolean {
  if (commandKind(endpoint) !== 'plain' || endpointById(endpoint)?.access !== 'write') return false
  return state !== 'sent' && !untaken.has(state)
}
