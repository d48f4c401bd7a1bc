import { useI18n } from 'vue-i18n'
import { panelCallDecisions } from '../../../shared/panel/panel.ts'

/**
 * Returns a function that says what responded instead of the host: an override rule or the panel's
 * own policy. Its argument is the `rule` of an exchange.
 */
export function useResponderText(): (rule: string) => string {
  const { t } = useI18n()
  return (rule) =>
    panelCallDecisions.some((decision) => decision === rule)
      ? t('overrides.answeredByGate')
      : t('overrides.answeredBy', { name: rule })
}
