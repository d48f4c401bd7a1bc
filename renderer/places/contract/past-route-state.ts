import { computed } from 'vue'
import { assertionSchema, type Assertion } from '../../../shared/collections/assertion.ts'
import { useQueryTexts } from '../../panes/query-texts.ts'

/** Reads the question from the address, which `toPastLocation` writes. */
export function usePastRouteState() {
  const { getText } = useQueryTexts()
  return {
    /** Id of the deviation that is asked about; empty if the question is an assertion. */
    deviationId: computed(() => getText('deviation')),
    method: computed(() => getText('method')),
    template: computed(() => getText('template')),
    /** Null until the user asks. */
    assertion: computed(() => parseAssertion(getText('assertion'))),
  }
}

function parseAssertion(text: string): Assertion | null {
  try {
    return assertionSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}
