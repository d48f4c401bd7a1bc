import { AppError, toWireError } from '../../shared/errors.ts'

/** Anything thrown as an `AppError`, so that stores keep only one kind of error. */
export function toAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : new AppError(toWireError(thrown), { cause: thrown })
}

/** Whether this results from our own `abort()`: nothing to show. */
export function isCancellation(thrown: unknown): boolean {
  return (
    (thrown instanceof AppError && thrown.kind === 'cancelled') ||
    (thrown instanceof DOMException && thrown.name === 'AbortError')
  )
}
