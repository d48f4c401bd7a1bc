import { useI18n } from 'vue-i18n'
import { BY_HAND_MARK, HELD_MARK } from '../../../shared/panel/breakpoints.ts'
import { panelCallDecisions } from '../../../shared/panel/panel.ts'

/**
 * Returns a function that says what responded instead of the host: an override rule, the panel's
 * own policy, or a person at a breakpoint. Its argument is the `rule` of an exchange.
 */
export function useResponderText(): (rule: string) => string {
  const { t } = useI18n()
  return (rule) => {
    if (rule === HELD_MARK) return t('breakpoints.wasHeld')
    if (rule === BY_HAND_MARK) return t('breakpoints.answeredByHand')
    return panelCallDecisions.some((decision) => decision === rule)
      ? t('overrides.answeredByGate')
      : t('overrides.answeredBy', { name: rule })
  }
}
