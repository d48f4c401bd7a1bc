import { useI18n } from 'vue-i18n'
import { joinSentences } from '../../model/format/joined-sentences.ts'
import { ruleTable, type FindingSeverity } from '../../../shared/protocol/rule-table.ts'
import type { Finding, FindingRuleId } from '../../../shared/protocol/finding.ts'

export function useFindingTexts() {
  const { t, n, d } = useI18n()
  const range = ({ min = '', max = '' }: Finding['params']): string =>
    max === '' && min !== '' ? t('protocol.rangeFrom', { min }) : `${min}–${max}`
  return {
    getSeverity: (rule: FindingRuleId): FindingSeverity => ruleTable[rule].severity,
    formatSeverity: (rule: FindingRuleId): string => t(`protocol.severity.${ruleTable[rule].severity}`),
    getTitle: (rule: FindingRuleId): string => t(`protocol.rule.${rule}.title`),
    /** The text includes the ids. */
    describeFinding({ rule, params }: Pick<Finding, 'rule' | 'params'>): string {
      const part = rule === 'unknown-route' && !params['nearest'] ? 'whatAlone' : 'what'
      return t(`protocol.rule.${rule}.${part}`, { ...params, range: range(params) })
    },
    /** Says when a finding was decided or withdrawn; empty if that was at its last exchange. */
    describeDecision({ at, late, withdrawnAt }: Pick<Finding, 'at' | 'late' | 'withdrawnAt'>): string {
      const text = late?.because === 'ended' ? 'protocol.lateEnded' : 'protocol.lateTimeout'
      return joinSentences([
        late && t(text, { time: d(at, 'seconds'), seconds: n(Math.round(late.afterMs / 100) / 10) }),
        withdrawnAt !== undefined && t('protocol.withdrawnAt', { time: d(withdrawnAt, 'seconds') }),
      ])
    },
    explainRule: (rule: FindingRuleId): string => t(`protocol.rule.${rule}.why`),
    getAdvice: (rule: FindingRuleId): string => t(`protocol.rule.${rule}.instead`),
    getSpecSection: (rule: FindingRuleId): string => ruleTable[rule].specReference,
  }
}
