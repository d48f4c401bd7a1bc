import { computed, type ComputedRef } from 'vue'
import { useRoute } from 'vue-router'
import { assertionSchema, type Assertion } from '../../../shared/collections/assertion.ts'

interface PastRouteState {
  /** Id of the deviation that is asked about; empty if the question is an assertion. */
  readonly deviationId: ComputedRef<string>
  readonly method: ComputedRef<string>
  readonly template: ComputedRef<string>
  /** Null until the user asks. */
  readonly assertion: ComputedRef<Assertion | null>
}

/** Reads the question from the address, which `toPastLocation` writes. */
export function usePastRouteState(): PastRouteState {
  const route = useRoute()
  const getQueryText = (name: string): string => (typeof route.query[name] === 'string' ? route.query[name] : '')
  return {
    deviationId: computed(() => getQueryText('deviation')),
    method: computed(() => getQueryText('method')),
    template: computed(() => getQueryText('template')),
    assertion: computed(() => parseAssertion(getQueryText('assertion'))),
  }
}

function parseAssertion(text: string): Assertion | null {
  try {
    return assertionSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}
