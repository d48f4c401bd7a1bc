import { useI18n } from 'vue-i18n'
import { gateDecisions } from '../../../shared/panel/panel.ts'

/** What answered in place of the host, from the `rule` of an exchange: an override by its name, or the gate of a panel itself. */
export function useAnsweredBy(): (rule: string) => string {
  const { t } = useI18n()
  return (rule) =>
    gateDecisions.some((decision) => decision === rule)
      ? t('overrides.answeredByGate')
      : t('overrides.answeredBy', { name: rule })
}
