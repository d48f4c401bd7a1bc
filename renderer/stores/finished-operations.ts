import { defineStore } from './define-store.ts'
import { computed, shallowRef } from 'vue'
import type { OperationVerdict } from '../../shared/operations/operation-verdict.ts'
import { isWatched, type OperationSummary } from '../../shared/ipc/operations.ts'
import { subscribe } from '../ipc/subscriptions.ts'

const ROUTINE_DISPLAY_MS = 15_000

/** These verdicts need no action, so their messages disappear by themselves. */
const routineVerdicts: ReadonlySet<OperationVerdict['code']> = new Set(['saved-and-verified', 'session-recorded'])

/** Operations that ended while they were watched and have not been opened since, newest first. */
export const useFinishedOperations = defineStore('finished-operations', () => {
  const operations = shallowRef<readonly OperationSummary[]>([])
  const watched = new Set<string>()
  const isRoutine = computed(() => operations.value.every(({ verdict }) => routineVerdicts.has(verdict.code)))

  function drop(ids: readonly string[]): void {
    if (operations.value.some(({ id }) => ids.includes(id)))
      operations.value = operations.value.filter(({ id }) => !ids.includes(id))
  }

  function addFinished(operation: OperationSummary): void {
    operations.value = [operation, ...operations.value]
    setTimeout(() => {
      if (
        routineVerdicts.has(
          operations.value.find(({ id }) => id === operation.id)?.verdict.code ?? operation.verdict.code,
        )
      )
        drop([operation.id])
    }, ROUTINE_DISPLAY_MS)
  }

  subscribe('operations.changed', ({ items, removed }) => {
    drop([...removed, ...items.filter(({ unseen }) => !unseen).map(({ id }) => id)])
    for (const operation of items) {
      if (isWatched(operation)) watched.add(operation.id)
      else if (watched.delete(operation.id) && operation.unseen) addFinished(operation)
      else operations.value = operations.value.map((current) => (current.id === operation.id ? operation : current))
    }
  })

  /** Adds an operation whose sheet was closed before its response, unless it is still watched. */
  function addUnseen(operation: OperationSummary): void {
    if (!isWatched(operation)) addFinished(operation)
  }

  return { operations, isRoutine, addUnseen, dismiss: () => void (operations.value = []) }
})
