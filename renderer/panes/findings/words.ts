import { useI18n } from 'vue-i18n'
import { ruleTable } from '../../../shared/protocol/rule-table.ts'
import type { Finding, FindingRule } from '../../../shared/protocol/finding.ts'

interface FindingWords {
  title(rule: FindingRule): string
  /** What happened, with the ids. */
  what(finding: Pick<Finding, 'rule' | 'params'>): string
  why(rule: FindingRule): string
  instead(rule: FindingRule): string
  /** The part of the contract. */
  spec(rule: FindingRule): string
}

/** What is said about a finding, wherever one is shown. */
export function useFindingWords(): FindingWords {
  const { t } = useI18n()
  const range = ({ min = '', max = '' }: Finding['params']): string => `${min}–${max === '' ? '…' : max}`
  return {
    title: (rule) => t(`protocol.rule.${rule}.title`),
    what({ rule, params }) {
      const part = rule === 'unknown-route' && !params['nearest'] ? 'whatAlone' : 'what'
      return t(`protocol.rule.${rule}.${part}`, { ...params, range: range(params) })
    },
    why: (rule) => t(`protocol.rule.${rule}.why`),
    instead: (rule) => t(`protocol.rule.${rule}.instead`),
    spec: (rule) => ruleTable[rule].spec,
  }
}
