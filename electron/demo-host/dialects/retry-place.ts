import { withMember, without, type Trait } from './trait.ts'
import { isObject } from '../../../shared/json/object.ts'

/** Moves it from `error.details` to `error` itself. */
function moved(error: unknown): unknown {
  const details = isObject(error) ? error['details'] : undefined
  if (!isObject(error) || !isObject(details) || details['retryAfterSeconds'] === undefined) return error
  const { retryAfterSeconds } = details
  return { ...error, details: without(details, 'retryAfterSeconds'), retryAfterSeconds }
}

export const retryPlace: Trait = {
  name: 'retry-place',
  what: '`retryAfterSeconds` is in `error` itself, not in its `details`.',
  on: null,
  out: (value) => withMember(value, 'error', moved),
}
