import { AppError, toWireError } from '../../shared/errors.ts'

/** Converts anything thrown to an `AppError`. */
export function toAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : new AppError(toWireError(thrown), { cause: thrown })
}

/** Whether this error results from our own `abort()` and is not shown. */
export function isCancellation(thrown: unknown): boolean {
  return (
    (thrown instanceof AppError && thrown.kind === 'cancelled') ||
    (thrown instanceof DOMException && thrown.name === 'AbortError')
  )
}
