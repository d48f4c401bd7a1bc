import { shallowRef } from 'vue'
import type { AppError } from '../../../shared/errors.ts'
import { toAppError } from '../../stores/errors.ts'

/** Runs what a button starts: one at a time, keeping its failure for the page to show. */
export function useBusyAction() {
  const busyAction = shallowRef<string | null>(null)
  const error = shallowRef<AppError | null>(null)

  /** Returns whether it worked. `name` says which button is busy. */
  async function runAction(name: string, work: () => Promise<void>): Promise<boolean> {
    if (busyAction.value !== null) return false
    busyAction.value = name
    error.value = null
    try {
      await work()
      return true
    } catch (thrown) {
      error.value = toAppError(thrown)
      return false
    } finally {
      busyAction.value = null
    }
  }

  return { busy: busyAction, error, attempt: runAction }
}
