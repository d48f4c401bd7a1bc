import { shallowRef } from 'vue'
import { AppError, toWireError } from '../../shared/errors.ts'

export function toAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : new AppError(toWireError(thrown), { cause: thrown })
}

/** Errors caused by our own `abort()` are not shown. */
export function isCancellation(thrown: unknown): boolean {
  return (
    (thrown instanceof AppError && thrown.kind === 'cancelled') ||
    (thrown instanceof DOMException && thrown.name === 'AbortError')
  )
}

/** Runs what the user asked for, and holds the error of the last attempt. */
export function useAttempt() {
  const failure = shallowRef<AppError | null>(null)
  return {
    failure,
    /** Resolves with whether the work succeeded. */
    async attempt(work: () => Promise<unknown>): Promise<boolean> {
      failure.value = null
      try {
        await work()
        return true
      } catch (thrown) {
        failure.value = toAppError(thrown)
        return false
      }
    },
  }
}
