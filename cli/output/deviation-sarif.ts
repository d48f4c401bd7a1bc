import { deviationKinds, type Deviation, type DeviationKind } from '../../shared/contract/deviation.ts'
import { omitValues, type DeviationReport, type SkippedRead } from './deviation-report.ts'

const descriptions: Readonly<Record<DeviationKind, string>> = {
  'unknown-route': 'Neither the contract nor the host’s own capabilities list the route.',
  'unknown-member': 'An object has a member that the contract does not show.',
  missing: 'A member that the contract shows is not there.',
  'wrong-type': 'A value has another JSON type than the contract shows.',
  'unknown-value': 'A value is none of those that the contract lists, or outside their range.',
  'limit-exceeded': 'There is more than the host’s own, or the documented, limit.',
  'unknown-status': 'The contract does not have this status.',
  'unknown-code': 'The contract does not have this error code.',
  'broken-promise': 'There is more than the request asked for, or members contradict each other.',
}

/** Kinds that no reader of the contract can be prepared for. */
const errorKinds: ReadonlySet<DeviationKind> = new Set(['missing', 'wrong-type', 'limit-exceeded', 'broken-promise'])

/** @see SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
export function formatSarif(report: DeviationReport, version: string): string {
  const { deviations, muted, unasked, refused, failed, isPartial } = report
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Bridge Inspector', version, rules: deviationKinds.map(toRule) } },
        invocations: [
          {
            executionSuccessful: !isPartial && failed.length === 0,
            toolExecutionNotifications: [
              ...[...unasked, ...refused].map((read) => toNotification(read, 'note')),
              ...failed.map((read) => toNotification(read, 'error')),
            ],
          },
        ],
        results: [...deviations, ...muted].map(omitValues).map(toResult),
        columnKind: 'utf16CodeUnits',
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

const toRule = (kind: DeviationKind) => ({
  id: kind,
  shortDescription: { text: descriptions[kind] },
  defaultConfiguration: { level: errorKinds.has(kind) ? 'error' : 'warning' },
})

const toNotification = ({ method, path, code, reason }: SkippedRead, level: 'note' | 'error') => ({
  level,
  message: { text: `${method} ${path}: ${code ?? reason}` },
})

function toResult({ id, kind, method, template, pointer, expected, actual, count, muted }: Deviation) {
  const route = `${method} ${template}`
  const parts = [
    `${`${route} ${pointer}`.trimEnd()}:`,
    descriptions[kind],
    expected === '' ? '' : `Expected: ${expected}.`,
    actual === '' ? '' : `Sent: ${actual}.`,
  ]
  return {
    ruleId: kind,
    ruleIndex: deviationKinds.indexOf(kind),
    level: errorKinds.has(kind) ? 'error' : 'warning',
    message: { text: parts.filter((part) => part !== '').join(' ') },
    locations: [{ logicalLocations: [{ fullyQualifiedName: `${route}#${pointer}`, kind: 'member' }] }],
    partialFingerprints: { 'deviation/v1': id },
    occurrenceCount: count,
    ...(muted ? { suppressions: [{ kind: 'external', status: 'accepted', justification: muted.reason }] } : {}),
  }
}
