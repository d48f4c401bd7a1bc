import { useI18n } from 'vue-i18n'
import { panelCallDecisions } from '../../../shared/panel/panel.ts'

/**
 * Names what responded in place of the host, from the `rule` of an exchange: an override by its
 * name, or the panel's own policy.
 */
export function useResponderText(): (rule: string) => string {
  const { t } = useI18n()
  return (rule) =>
    panelCallDecisions.some((decision) => decision === rule)
      ? t('overrides.answeredByGate')
      : t('overrides.answeredBy', { name: rule })
}
