import { shallowRef } from 'vue'
import type { AppError } from '../../../shared/errors.ts'
import { toAppError } from '../../stores/errors.ts'

/** Actions run one at a time, and the last failure is kept for display. */
export function useBusyAction() {
  const busyAction = shallowRef<string | null>(null)
  const error = shallowRef<AppError | null>(null)

  /** Runs one action at a time; `name` is the busy button. False if it failed or was not run. */
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

  return { busyAction, error, runAction }
}
