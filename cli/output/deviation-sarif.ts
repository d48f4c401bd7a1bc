import { deviationKinds, type Deviation, type DeviationKind } from '../../shared/contract/deviation.ts'
import { formatSarifLog, type SarifResult, type SarifRule } from './sarif.ts'
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

/** @param artifact the file that the results are about, relative to the root of the repository */
export function formatSarif(report: DeviationReport, version: string, artifact = CONTRACT_FILE): string {
  const { deviations, muted, unasked, refused, failed, isPartial } = report
  return formatSarifLog({
    version,
    rules: deviationKinds.map(toRule),
    results: [...deviations, ...muted].map(omitValues).map((deviation) => toResult(deviation, artifact)),
    isSuccessful: !isPartial && failed.length === 0,
    notifications: [
      ...[...unasked, ...refused].map((read) => ({ level: 'note' as const, message: describeRead(read) })),
      ...failed.map((read) => ({ level: 'error' as const, message: describeRead(read) })),
    ],
  })
}

/** The contract as `contract export` names it. */
const CONTRACT_FILE = 'bridge.d.ts'

const getLevel = (kind: DeviationKind): 'error' | 'warning' => (errorKinds.has(kind) ? 'error' : 'warning')

const toRule = (kind: DeviationKind): SarifRule => ({
  id: kind,
  description: descriptions[kind],
  help: `${descriptions[kind]} Compare the host's response with the contract.`,
  level: getLevel(kind),
})

const describeRead = ({ method, path, code, reason }: SkippedRead): string => `${method} ${path}: ${code ?? reason}`

function toResult(
  { id, kind, method, template, pointer, expected, actual, count, muted }: Deviation,
  artifact: string,
): SarifResult {
  const route = `${method} ${template}`
  const parts = [
    `${`${route} ${pointer}`.trimEnd()}:`,
    descriptions[kind],
    expected === '' ? '' : `Expected: ${expected}.`,
    actual === '' ? '' : `Sent: ${actual}.`,
  ]
  return {
    ruleId: kind,
    level: getLevel(kind),
    message: parts.filter((part) => part !== '').join(' '),
    id,
    file: artifact,
    line: 1,
    column: 1,
    logicalName: `${route}#${pointer}`,
    logicalKind: 'member',
    count,
    justification: muted?.reason ?? null,
  }
}
