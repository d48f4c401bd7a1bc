import { useI18n } from 'vue-i18n'
import { ruleTable, type FindingSeverity } from '../../../shared/protocol/rule-table.ts'
import type { Finding, FindingRuleId } from '../../../shared/protocol/finding.ts'

interface FindingTexts {
  getSeverity(rule: FindingRuleId): FindingSeverity
  formatSeverity(rule: FindingRuleId): string
  getTitle(rule: FindingRuleId): string
  /** The text includes the ids. */
  describeFinding(finding: Pick<Finding, 'rule' | 'params'>): string
  /** Says when a finding was decided or withdrawn; empty if that was at its last exchange. */
  describeDecision(finding: Pick<Finding, 'at' | 'late' | 'withdrawnAt'>): string
  explainRule(rule: FindingRuleId): string
  getAdvice(rule: FindingRuleId): string
  getSpecSection(rule: FindingRuleId): string
}

export function useFindingTexts(): FindingTexts {
  const { t, n, d } = useI18n()
  const range = ({ min = '', max = '' }: Finding['params']): string =>
    max === '' && min !== '' ? t('protocol.rangeFrom', { min }) : `${min}–${max}`
  return {
    getSeverity: (rule) => ruleTable[rule].severity,
    formatSeverity: (rule) => t(`protocol.severity.${ruleTable[rule].severity}`),
    getTitle: (rule) => t(`protocol.rule.${rule}.title`),
    describeFinding({ rule, params }) {
      const part = rule === 'unknown-route' && !params['nearest'] ? 'whatAlone' : 'what'
      return t(`protocol.rule.${rule}.${part}`, { ...params, range: range(params) })
    },
    describeDecision({ at, late, withdrawnAt }) {
      const text = late?.because === 'ended' ? 'protocol.lateEnded' : 'protocol.lateTimeout'
      return [
        late && t(text, { time: d(at, 'seconds'), seconds: n(Math.round(late.afterMs / 100) / 10) }),
        withdrawnAt !== undefined && t('protocol.withdrawnAt', { time: d(withdrawnAt, 'seconds') }),
      ]
        .filter(Boolean)
        .join(' ')
    },
    explainRule: (rule) => t(`protocol.rule.${rule}.why`),
    getAdvice: (rule) => t(`protocol.rule.${rule}.instead`),
    getSpecSection: (rule) => ruleTable[rule].specReference,
  }
}
