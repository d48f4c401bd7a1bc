import type { RouteLocationRaw } from 'vue-router'
import type { Assertion } from '../../../shared/collections/assertion.ts'

/** A question to what is recorded: about a deviation, or about a route. */
interface PastAddress {
  readonly deviation?: string
  readonly method?: string
  readonly template?: string
  readonly assertion?: Assertion
}

/** Returns the address of the place that asks this question. */
export function toPastLocation({ assertion, ...address }: PastAddress): RouteLocationRaw {
  return {
    path: '/contract/past',
    query: { ...address, ...(assertion ? { assertion: JSON.stringify(assertion) } : {}) },
  }
}
