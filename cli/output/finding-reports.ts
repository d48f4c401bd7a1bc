import { escapeInvisible } from '../../shared/format/invisible-characters.ts'
import { toMarkdownCode } from '../../shared/format/markup.ts'
import { describeFinding, type DescribedFinding } from '../../electron/core/protocol/described-finding.ts'
import { findingRuleIds, type LocatedFinding } from '../../shared/protocol/finding.ts'
import { isAdvice, ruleTable, type FindingSeverity } from '../../shared/protocol/rule-table.ts'
import { toSingleLine, type Io, toPlainText } from '../base/io.ts'
import { withOutput } from '../base/output-file.ts'
import { describePlace } from './finding-text.ts'
import { formatJunit } from './junit-report.ts'
import { formatSarifLog, type SarifLevel, type SarifResult } from '../../electron/core/sarif/sarif-log.ts'
import { locateSource, type SourceRoots } from './source-file.ts'

export interface FindingReportOptions {
  readonly version: string
  readonly roots: SourceRoots
  /** The file that stands for a finding of which no line is known. */
  readonly artifact: string
}

type FindingReporter = (findings: readonly LocatedFinding[], options: FindingReportOptions) => string

export const DEFAULT_ARTIFACT = 'package.json'

export function saveSarif(
  io: Io,
  file: string,
  findings: readonly LocatedFinding[],
  options: FindingReportOptions,
): Promise<void> {
  return withOutput(io, { output: file }, (print) => print(formatSarif(findings, options)))
}

/** Each report ends with a line break, unless it is empty. */
export const findingReporters: Readonly<Record<'markdown' | 'sarif' | 'junit' | 'github', FindingReporter>> = {
  markdown: formatMarkdown,
  sarif: formatSarif,
  junit: toJunit,
  github: formatGithub,
}

const toLevel = (severity: FindingSeverity): SarifLevel => (severity === 'advice' ? 'note' : severity)

function locate({ initiator }: LocatedFinding, { roots, artifact }: FindingReportOptions) {
  const file = initiator === null ? artifact : locateSource(initiator.file, roots)
  return { file, line: initiator?.line ?? 1, column: initiator?.column ?? 1 }
}

const describe = ({ resource, message, remedy, specReference, count }: DescribedFinding): string =>
  `${resource}${count === 1 ? '' : ` (${count} times)`}: ${message} Instead: ${remedy} (${specReference})`

function formatMarkdown(findings: readonly LocatedFinding[]): string {
  const entries = findings.map(describeFinding).map((finding) => {
    const { rule, severity, message, remedy, specReference, resource, count, exchanges, initiator } = finding
    return [
      `- **${rule}** (${severity}${count === 1 ? '' : `, ${count} times`}): ${toMarkdownCode(toSingleLine(resource))}`,
      `  - ${message}`,
      `  - Instead: ${remedy} (${specReference})`,
      ...(initiator === null ? [] : [`  - Line: ${toMarkdownCode(describePlace(initiator))}`]),
      `  - Exchanges: ${exchanges.join(', ')}`,
    ].join('\n')
  })
  return entries.length === 0 ? '' : `${entries.join('\n')}\n`
}

function formatSarif(findings: readonly LocatedFinding[], options: FindingReportOptions): string {
  return formatSarifLog({
    version: options.version,
    rules: findingRuleIds
      .filter((id) => !isAdvice(id))
      .map((id) => {
        const { severity, violation, remedy, specReference } = ruleTable[id]
        return { id, description: violation, help: `${remedy} (${specReference})`, level: toLevel(severity) }
      }),
    results: toResults(findings, options),
    isSuccessful: true,
    notifications: [],
  })
}

function toResults(findings: readonly LocatedFinding[], options: FindingReportOptions): SarifResult[] {
  return findings.map(describeFinding).map((finding) => ({
    ruleId: finding.rule,
    level: toLevel(finding.severity),
    message: toPlainText(describe(finding)),
    id: finding.id,
    ...locate(finding, options),
    logicalName: toPlainText(finding.initiator?.functionName || finding.resource),
    logicalKind: finding.initiator?.functionName ? ('function' as const) : ('resource' as const),
    count: finding.count,
    justification: null,
  }))
}

/** A suite with a failed test for each finding; with one that passed if there are none. */
function toJunit(findings: readonly LocatedFinding[], options: FindingReportOptions): string {
  const cases = findings.map(describeFinding).map((finding) => {
    const { file, line } = locate(finding, options)
    const place = finding.initiator === null ? '' : `\n${describePlace(finding.initiator)}`
    return {
      className: finding.rule,
      name: toSingleLine(finding.resource),
      place: { file, line },
      problem: {
        kind: 'failure' as const,
        type: finding.severity,
        message: finding.message,
        text: `${describe(finding)}${place}`,
      },
    }
  })
  const passed = { className: 'contract', name: 'no findings', problem: null }
  return formatJunit([{ name: 'Bridge Inspector', cases: cases.length > 0 ? cases : [passed] }])
}

const workflowCommands = { error: 'error', warning: 'warning', note: 'notice' } as const

function formatGithub(findings: readonly LocatedFinding[], options: FindingReportOptions): string {
  return formatAnnotations(toResults(findings, options))
}

/** Formats commands with which a workflow of GitHub Actions marks lines. */
export function formatAnnotations(results: readonly SarifResult[]): string {
  return results
    .map(({ level, file, line, column, ruleId, message }) => {
      const properties = { file, line: String(line), col: String(column), title: ruleId }
      return formatWorkflowCommand(workflowCommands[level], properties, message)
    })
    .join('')
}

/** A line that GitHub Actions reads, with its line break. */
export function formatWorkflowCommand(
  command: string,
  properties: Readonly<Record<string, string>>,
  message: string,
): string {
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`)
  return `::${command} ${list.join(',')}::${escapeData(message)}\n`
}

const escapeData = (text: string): string => encodeCharacters(escapeInvisible(text), /[%\r\n]/g)
const escapeProperty = (text: string): string => encodeCharacters(escapeInvisible(text), /[%\r\n:,]/g)
const encodeCharacters = (text: string, pattern: RegExp): string => text.replace(pattern, encodeURIComponent)
