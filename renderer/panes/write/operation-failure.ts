import { wireErrorSchema, type WireError } from '../../../shared/errors.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'

/** What kept the command, or its response, from getting through; null once the host has responded. */
export function findDeliveryFailure({ summary, events }: Operation): WireError | null {
  if (summary.errorCode !== null || events.some(({ kind }) => kind === 'answer')) return null
  const last = events.findLast((event) => event.kind === 'failure')
  if (last?.kind !== 'failure') return null
  // Kept in the journal, which other versions write too.
  const parsed = wireErrorSchema.safeParse(last.error)
  return parsed.success ? parsed.data : null
}

/** The code of what went wrong: the host's own, or of the failed attempt to reach it; null if nothing did. */
export const findErrorCode = (operation: Operation): string | null =>
  operation.summary.errorCode ?? findDeliveryFailure(operation)?.code ?? null
