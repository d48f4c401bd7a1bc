import type { LocatedFinding } from '../../../shared/protocol/finding.ts'
import { ruleTable, type FindingSeverity } from '../../../shared/protocol/rule-table.ts'

/** A group of findings with the texts of its rule. */
export interface DescribedFinding extends LocatedFinding {
  readonly severity: FindingSeverity
  /** The caller's act that breaks the rule. */
  readonly message: string
  /** Advice to the caller. */
  readonly remedy: string
  readonly specReference: string
}

/** Adds the texts of the rule, for reports that are read outside of this program. */
export function describeFinding(finding: LocatedFinding): DescribedFinding {
  const { severity, violation, remedy, specReference } = ruleTable[finding.rule]
  return { ...finding, severity, message: violation, remedy, specReference }
}
