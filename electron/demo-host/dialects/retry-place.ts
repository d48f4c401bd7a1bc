import { isMembers, withMember, without, type Trait } from './trait.ts'

/** From `error.details` to `error` itself. */
function moved(error: unknown): unknown {
  const details = isMembers(error) ? error['details'] : undefined
  if (!isMembers(error) || !isMembers(details) || details['retryAfterSeconds'] === undefined) return error
  const { retryAfterSeconds } = details
  return { ...error, details: without(details, 'retryAfterSeconds'), retryAfterSeconds }
}

export const retryPlace: Trait = {
  name: 'retry-place',
  what: '`retryAfterSeconds` stands in `error` itself, not in its `details`.',
  on: null,
  out: (value) => withMember(value, 'error', moved),
}
