import { useI18n } from 'vue-i18n'
import type { CallConditions } from '../../../shared/panel/call-match.ts'

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
