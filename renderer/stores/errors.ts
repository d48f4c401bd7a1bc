import { AppError, toWire } from '../../shared/errors.ts'

/** Any thrown thing as an `AppError`, so that a store keeps one kind of error only. */
export function asAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : new AppError(toWire(thrown), { cause: thrown })
}

/** Whether this is the answer to our own `abort()`: nothing to show. */
export function isCancelled(thrown: unknown): boolean {
  return (
    (thrown instanceof AppError && thrown.kind === 'cancelled') ||
    (thrown instanceof DOMException && thrown.name === 'AbortError')
  )
}
