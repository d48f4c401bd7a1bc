import { useI18n } from 'vue-i18n'
import type { CallConditions } from '../../../shared/panel/call-match.ts'
import type { OverrideRule } from '../../../shared/panel/overrides.ts'

/** Returns a function that names the conditions on a call's body and number, after a comma each. */
export function useConditionTexts(): (match: CallConditions) => string {
  const { t, n } = useI18n()
  return ({ body = [], nth }) =>
    [
      ...body.map(({ at, equals }) => (equals === undefined ? at || '/' : `${at} = ${JSON.stringify(equals)}`)),
      ...(nth === undefined ? [] : [t('overrides.times.number', { n: n(nth) })]),
    ]
      .map((text) => `, ${text.slice(0, 200)}`)
      .join('')
}

/** Returns a function that describes the response of a rule in a few words. */
export function useRuleResponseText(): (rule: OverrideRule) => string {
  const { t, n } = useI18n()
  const describeUndelayed = ({ answer }: OverrideRule): string => {
    if (answer.kind === 'fault') return t(`overrides.fault.${answer.fault}`)
    if (answer.kind === 'canned') return t('overrides.answers', { status: answer.status })
    return t('overrides.changes', { n: n(answer.changes.length) }, answer.changes.length)
  }
  return (rule) =>
    rule.delayMs === 0
      ? describeUndelayed(rule)
      : t('overrides.after', { what: describeUndelayed(rule), ms: n(rule.delayMs) })
}
