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
