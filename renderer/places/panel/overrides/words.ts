import { useI18n } from 'vue-i18n'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'

/** What rules do, in a few words. */
export function useRuleWords(): { answer(rule: OverrideRule): string } {
  const { t, n } = useI18n()
  const of = ({ answer }: OverrideRule): string => {
    if (answer.kind === 'fault') return t(`overrides.fault.${answer.fault}`)
    if (answer.kind === 'canned') return t('overrides.answers', { status: answer.status })
    return t('overrides.changes', { n: n(answer.changes.length) }, answer.changes.length)
  }
  return {
    answer: (rule) => (rule.delayMs === 0 ? of(rule) : t('overrides.after', { what: of(rule), ms: n(rule.delayMs) })),
  }
}
