import { useI18n } from 'vue-i18n'
import { panelCallDecisions } from '../../../shared/panel/panel.ts'

/**
 * An override rule or the panel's own policy can respond instead of the host. The text is made from
 * the `rule` of an exchange.
 */
export function useResponderText(): (rule: string) => string {
  const { t } = useI18n()
  return (rule) =>
    panelCallDecisions.some((decision) => decision === rule)
      ? t('overrides.answeredByGate')
      : t('overrides.answeredBy', { name: rule })
}
