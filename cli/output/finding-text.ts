import { escapeInvisible } from '../../shared/format/invisible-characters.ts'
import type { FindingGroup } from '../../shared/protocol/finding.ts'
import { ruleTable } from '../../shared/protocol/rule-table.ts'
import { toSingleLine, type Io } from '../base/io.ts'

/** Prints what callers did against the contract, each with what to do instead. */
export async function printFindings(io: Io, findings: readonly FindingGroup[]): Promise<void> {
  const { bold, failure } = io.style
  for (const { rule, resource, count, origins } of findings) {
    const { severity, violation, remedy, specReference } = ruleTable[rule]
    const names = origins.map(({ kind, label }) => (label === null ? kind : `${kind} ${toSingleLine(label)}`))
    const head = [resource, count === 1 ? '' : `${count} times`, names.join(', ')].filter((part) => part !== '')
    await io.printText(
      `${severity === 'error' ? failure(severity) : severity} ${bold(rule)}: ${escapeInvisible(head.join(', '))}\n`,
    )
    await io.printText(`  ${violation}\n  Instead: ${remedy} (${specReference})\n`)
  }
}
