import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { Verdict } from '../../shared/operations/verdict.ts'
import type { OperationSummary } from '../../shared/ipc/operations.ts'
import { subscribe } from '../ipc/subscribe.ts'

const CALM_MS = 15_000

/** Endings that need no action: they are announced and disappear on their own. */
const calm: ReadonlySet<Verdict['code']> = new Set(['saved-and-verified', 'session-recorded'])

/** Watched operations that ended and have not been opened since, newest first. */
export const useEndings = defineStore('endings', () => {
  const all = shallowRef<readonly OperationSummary[]>([])
  const watched = new Set<string>()
  const isCalm = computed(() => all.value.every(({ verdict }) => calm.has(verdict.code)))

  function drop(ids: readonly string[]): void {
    if (all.value.some(({ id }) => ids.includes(id))) all.value = all.value.filter(({ id }) => !ids.includes(id))
  }

  function end(one: OperationSummary): void {
    all.value = [one, ...all.value]
    setTimeout(() => {
      if (calm.has(all.value.find(({ id }) => id === one.id)?.verdict.code ?? one.verdict.code)) drop([one.id])
    }, CALM_MS)
  }

  subscribe('operations.changed', ({ items, removed }) => {
    drop([...removed, ...items.filter(({ unseen }) => !unseen).map(({ id }) => id)])
    for (const one of items) {
      if (one.tracking === 'polling' || one.tracking === 'paused-offline') watched.add(one.id)
      else if (watched.delete(one.id) && one.unseen) end(one)
      else all.value = all.value.map((known) => (known.id === one.id ? one : known))
    }
  })

  return { all, isCalm, dismiss: () => void (all.value = []) }
})
