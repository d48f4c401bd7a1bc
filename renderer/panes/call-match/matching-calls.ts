import { computed, type ComputedRef } from 'vue'
import { createCallMatcher, findTemplateProblem, type CallConditions } from '../../../shared/panel/call-match.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { getHostApiPath } from '../../../shared/traffic/exchange-url.ts'
import { parseCallMatchForm, type CallMatchForm } from '../../model/panel/call-match-form.ts'
import { useOverrides } from '../../stores/overrides.ts'

/** The calls whose method, path and query fit a rule. Conditions on bodies are not tested. */
export function filterMatchingCalls(calls: readonly ExchangeRow[], match: CallConditions): readonly ExchangeRow[] {
  const isMatch = createCallMatcher(match)
  return calls.filter((call) => isMatch({ method: call.method, path: getHostApiPath(call) }))
}

/** Recent calls that meet the conditions of a form; null while the path is not a valid template. */
export function useMatchingCalls(getForm: () => CallMatchForm): ComputedRef<readonly ExchangeRow[] | null> {
  const overrides = useOverrides()
  return computed(() => {
    const form = getForm()
    const path = form.path.trim()
    if (findTemplateProblem(path) !== null) return null
    const parsed = parseCallMatchForm(form)
    return filterMatchingCalls(overrides.calls, 'match' in parsed ? parsed.match : { method: form.method, path })
  })
}
