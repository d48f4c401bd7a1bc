import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { OperationVerdict } from '../../shared/operations/operation-verdict.ts'
import type { OperationSummary } from '../../shared/ipc/operations.ts'
import { subscribe } from '../ipc/subscriptions.ts'

const ROUTINE_DISPLAY_MS = 15_000

/** Endings that need no action: they are announced and disappear on their own. */
const routineVerdicts: ReadonlySet<OperationVerdict['code']> = new Set(['saved-and-verified', 'session-recorded'])

/** Watched operations that ended and have not been opened since, newest first. */
export const useFinishedOperations = defineStore('endings', () => {
  const operations = shallowRef<readonly OperationSummary[]>([])
  const watched = new Set<string>()
  const isRoutine = computed(() => operations.value.every(({ verdict }) => routineVerdicts.has(verdict.code)))

  function drop(ids: readonly string[]): void {
    if (operations.value.some(({ id }) => ids.includes(id)))
      operations.value = operations.value.filter(({ id }) => !ids.includes(id))
  }

  function end(one: OperationSummary): void {
    operations.value = [one, ...operations.value]
    setTimeout(() => {
      if (routineVerdicts.has(operations.value.find(({ id }) => id === one.id)?.verdict.code ?? one.verdict.code))
        drop([one.id])
    }, ROUTINE_DISPLAY_MS)
  }

  subscribe('operations.changed', ({ items, removed }) => {
    drop([...removed, ...items.filter(({ unseen }) => !unseen).map(({ id }) => id)])
    for (const one of items) {
      if (one.tracking === 'polling' || one.tracking === 'paused-offline') watched.add(one.id)
      else if (watched.delete(one.id) && one.unseen) end(one)
      else operations.value = operations.value.map((known) => (known.id === one.id ? one : known))
    }
  })

  return { all: operations, isCalm: isRoutine, dismiss: () => void (operations.value = []) }
})
