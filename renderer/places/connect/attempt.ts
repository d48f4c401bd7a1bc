import { shallowRef } from 'vue'
import type { AppError } from '../../../shared/errors.ts'
import { asAppError } from '../../stores/errors.ts'

/** Runs what a button starts: one at a time, keeping its failure for the page to show. */
export function useAttempt() {
  const busy = shallowRef<string | null>(null)
  const error = shallowRef<AppError | null>(null)

  /** Returns whether it worked. `name` says which button is busy. */
  async function attempt(name: string, work: () => Promise<void>): Promise<boolean> {
    if (busy.value !== null) return false
    busy.value = name
    error.value = null
    try {
      await work()
      return true
    } catch (thrown) {
      error.value = asAppError(thrown)
      return false
    } finally {
      busy.value = null
    }
  }

  return { busy, error, attempt }
}
