import { useI18n } from 'vue-i18n'
import { getResponder } from '../../../shared/panel/panel.ts'

/**
 * Returns a function that says what responded instead of the host: an override rule, the panel's
 * own policy, or a person at a breakpoint. Its argument is the `rule` of an exchange.
 */
export function useResponderText(): (rule: string) => string {
  const { t } = useI18n()
  return (rule) => {
    switch (getResponder(rule)) {
      case 'held':
        return t('breakpoints.wasHeld')
      case 'by-hand':
        return t('breakpoints.answeredByHand')
      case 'gate':
        return t('overrides.answeredByGate')
      case 'override':
        return t('overrides.answeredBy', { name: rule })
    }
  }
}
