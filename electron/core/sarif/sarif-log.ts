import { createHash } from 'node:crypto'

/** The levels of SARIF are the severities of findings. */
export type SarifLevel = 'error' | 'warning' | 'note'

export interface SarifRule {
  readonly id: string
  readonly description: string
  readonly help: string
  readonly level: SarifLevel
}

export interface SarifResult {
  readonly ruleId: string
  readonly level: SarifLevel
  readonly message: string
  /** Stays the same when the same is found again. */
  readonly id: string
  /** Path relative to the root of the repository. */
  readonly file: string
  /** Lines and columns are counted from 1. */
  readonly line: number
  readonly column: number
  readonly logicalName: string
  readonly logicalKind: 'function' | 'member' | 'resource'
  readonly count: number
  /** Why the result is accepted; null if it is not. */
  readonly justification: string | null
}

interface SarifRun {
  readonly version: string
  readonly rules: readonly SarifRule[]
  readonly results: readonly SarifResult[]
  readonly isSuccessful: boolean
  readonly notifications: readonly { readonly level: SarifLevel; readonly message: string }[]
}

/** Code scanning refuses a run with more. */
const MAX_RESULTS = 25_000
const MAX_DESCRIPTION_CHARS = 1_024

/**
 * Code scanning refuses a whole file if one of its results has no physical location.
 * @see SARIF 2.1.0, https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export function formatSarifLog({ version, rules, results, isSuccessful, notifications }: SarifRun): string {
  const ruleIds = rules.map(({ id }) => id)
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Bridge Inspector', version, rules: rules.map(toRule) } },
        invocations: [
          {
            executionSuccessful: isSuccessful,
            toolExecutionNotifications: notifications.map(({ level, message }) => ({
              level,
              message: { text: message },
            })),
          },
        ],
        results: results.slice(0, MAX_RESULTS).map((result) => toResult(result, ruleIds.indexOf(result.ruleId))),
        columnKind: 'utf16CodeUnits',
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

const toRule = ({ id, description, help, level }: SarifRule) => ({
  id,
  shortDescription: { text: description.slice(0, MAX_DESCRIPTION_CHARS) },
  fullDescription: { text: description.slice(0, MAX_DESCRIPTION_CHARS) },
  help: { text: help },
  defaultConfiguration: { level },
})

const toResult = (result: SarifResult, ruleIndex: number) => ({
  ruleId: result.ruleId,
  ruleIndex,
  level: result.level,
  message: { text: result.message },
  locations: [
    {
      physicalLocation: {
        artifactLocation: { uri: result.file.split('/').map(encodeURIComponent).join('/') },
        region: {
          startLine: result.line,
          startColumn: result.column,
          endLine: result.line,
          endColumn: result.column + 1,
        },
      },
      logicalLocations: [{ fullyQualifiedName: result.logicalName, kind: result.logicalKind }],
    },
  ],
  partialFingerprints: {
    primaryLocationLineHash: createHash('sha256').update(`${result.ruleId} ${result.id}`).digest('hex').slice(0, 32),
  },
  occurrenceCount: result.count,
  ...(result.justification === null
    ? {}
    : { suppressions: [{ kind: 'external', status: 'accepted', justification: result.justification }] }),
})
