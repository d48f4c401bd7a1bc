import { deviationKinds, type Deviation, type DeviationKind } from '../../../shared/contract/deviation.ts'
import { formatSarifLog, type SarifResult, type SarifRule } from './sarif-log.ts'

/** A read of the contract that was not sent, and why. */
export interface SkippedRead {
  readonly method: string
  /** Path template of the contract. */
  readonly path: string
  /** Code of the error, or its kind; null if it was not asked. */
  readonly code: string | null
  /** It may contain the host’s own message. */
  readonly reason: string
}

export interface JudgedReads {
  /** Sorted by route, without those that are muted. */
  readonly deviations: readonly Deviation[]
  readonly muted: readonly Deviation[]
  readonly unasked: readonly SkippedRead[]
  /** Reads that the host answered with an error, so that their usual responses are not judged. */
  readonly refused: readonly SkippedRead[]
  /** Reads without a usable response. */
  readonly failed: readonly SkippedRead[]
  /** It was stopped before everything was asked or judged. */
  readonly isPartial: boolean
}

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
export function formatSarif(report: JudgedReads, version: string, artifact = CONTRACT_FILE): string {
  const { deviations, muted, unasked, refused, failed, isPartial } = report
  return formatSarifLog({
    version,
    rules: deviationKinds.map(toRule),
    results: toResults([...deviations, ...muted], artifact),
    isSuccessful: !isPartial && failed.length === 0,
    notifications: [
      ...[...unasked, ...refused].map((read) => ({ level: 'note' as const, message: describeRead(read) })),
      ...failed.map((read) => ({ level: 'error' as const, message: describeRead(read) })),
    ],
  })
}

/** Shows types instead of values. */
export function toResults(deviations: readonly Deviation[], artifact = CONTRACT_FILE): SarifResult[] {
  return deviations.map(omitValues).map((deviation) => toResult(deviation, artifact))
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

/** Replaces values of the library by their JSON types, for reports that are passed on. */
export function omitValues(deviation: Deviation): Deviation {
  const { kind, expected, actual, example } = deviation
  if (kind === 'unknown-value') return { ...deviation, actual: listTypes(actual), example: null }
  if (kind !== 'broken-promise' || isCountOrFlag(deviation)) return { ...deviation, example: null }
  if (expected === '') return { ...deviation, actual: example === null ? 'value' : listTypes(example), example: null }
  // The response repeats a text of the request otherwise.
  return { ...deviation, expected: 'string', actual: 'string', example: null }
}

const isCountOrFlag = ({ pointer, expected }: Deviation): boolean =>
  /^≤ \d+|^true$/.test(expected) || pointer.endsWith('/count')

/** Lists the JSON types of values that `DeviationGroups` joined. */
function listTypes(values: string): string {
  const withoutTexts = values.replace(/"(?:[^"\\]|\\.)*(?:"|$)/g, '"')
  const types = withoutTexts.split(', ').map((value) => typesByFirstCharacter[value.charAt(0)] ?? 'number')
  const hasMore = values.endsWith(', …')
  return [...new Set(types.filter((type) => type !== '…')), ...(hasMore ? ['…'] : [])].join(' | ')
}

const typesByFirstCharacter: Readonly<Record<string, string>> = {
  '"': 'string',
  '{': 'object',
  '[': 'array',
  t: 'boolean',
  f: 'boolean',
  n: 'null',
  '…': '…',
}
