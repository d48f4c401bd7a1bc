import { wireErrorSchema, type WireError } from '../../../shared/errors.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'

/**
 * Finds what kept the command, or its response, from getting through; null once the host has
 * responded.
 */
export function findDeliveryFailure({ summary, events }: Operation): WireError | null {
  if (summary.errorCode !== null || events.some(({ kind }) => kind === 'answer')) return null
  const last = events.findLast((event) => event.kind === 'failure')
  if (last?.kind !== 'failure') return null
  // The journal is also written by other versions of this program, so the error is parsed.
  const parsed = wireErrorSchema.safeParse(last.error)
  return parsed.success ? parsed.data : null
}

/**
 * Returns the code of the failure: the host's own, or that of the failed attempt to reach it; null
 * without a failure.
 */
export const findErrorCode = (operation: Operation): string | null =>
  operation.summary.errorCode ?? findDeliveryFailure(operation)?.code ?? null
