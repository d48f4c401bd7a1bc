import { ref, shallowRef, type Ref, type ShallowRef } from 'vue'
import type { AppError } from '../../../shared/errors.ts'
import { asAppError } from '../../stores/errors.ts'

/** What is being done with the panel, and why the last of it failed. */
export function useAttempts(): {
  readonly busy: Ref<boolean>
  readonly failure: ShallowRef<AppError | null>
  /** Resolves with whether it succeeded. */
  attempt(work: () => Promise<unknown>): Promise<boolean>
} {
  const busy = ref(false)
  const failure = shallowRef<AppError | null>(null)
  let turn = 0
  return {
    busy,
    failure,
    async attempt(work) {
      const mine = (turn += 1)
      busy.value = true
      failure.value = null
      try {
        await work()
        return true
      } catch (thrown) {
        if (mine === turn) failure.value = asAppError(thrown)
        return false
      } finally {
        if (mine === turn) busy.value = false
      }
    },
  }
}
