import { createRequire } from 'node:module'

// The schema is of draft 4, which only the validator of this package still knows.
const require = createRequire(createRequire(import.meta.url).resolve('@microsoft/jest-sarif/package.json'))

/** Lists in what a value does not fit the published schema of SARIF 2.1.0. */
export function listSarifErrors(log: unknown): unknown {
  const Ajv = require('ajv') as new (options: object) => {
    addMetaSchema(schema: object): void
    validate(schema: object, value: unknown): boolean
    errors: unknown
  }
  const ajv = new Ajv({ schemaId: 'auto', meta: false, unknownFormats: 'ignore' })
  ajv.addMetaSchema(require('ajv/lib/refs/json-schema-draft-04.json') as object)
  ajv.validate(require('./lib/schemas/sarif-2.1.0-rtm.5.json') as object, log)
  return ajv.errors
}

interface CodeScanningLog {
  readonly version: string
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly name: string; readonly rules: readonly Rule[] } }
    readonly results: readonly Result[]
  }[]
}
interface Rule {
  readonly id: string
  readonly shortDescription?: { readonly text: string }
  readonly fullDescription?: { readonly text: string }
  readonly help?: { readonly text: string }
}
interface Result {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly message: { readonly text: string }
  readonly locations?: readonly {
    readonly physicalLocation?: {
      readonly artifactLocation?: { readonly uri?: string }
      readonly region?: Readonly<Record<'startLine' | 'startColumn' | 'endLine' | 'endColumn', number>>
    }
  }[]
  readonly partialFingerprints?: Readonly<Record<string, string>>
}

/**
 * Lists in what a log breaks the rules that code scanning publishes for uploads, beyond the schema.
 * @see https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
 */
export function listCodeScanningErrors(value: unknown): string[] {
  const { version, runs } = value as CodeScanningLog
  const errors: string[] = []
  const expectThat = (isTrue: boolean, error: string): void => void (isTrue || errors.push(error))
  expectThat(version === '2.1.0', 'version')
  expectThat(runs.length >= 1 && runs.length <= 20, 'number of runs')
  for (const { tool, results } of runs) {
    const { name, rules } = tool.driver
    expectThat(name !== '', 'name of the tool')
    expectThat(rules.length <= 25_000 && results.length <= 25_000, 'number of rules or results')
    for (const { id, shortDescription, fullDescription, help } of rules) {
      for (const text of [shortDescription?.text, fullDescription?.text])
        expectThat(text !== undefined && text !== '' && text.length <= 1_024, `description of ${id}`)
      expectThat((help?.text ?? '') !== '', `help of ${id}`)
    }
    const fingerprints = results.map(({ partialFingerprints }) => partialFingerprints?.['primaryLocationLineHash'])
    expectThat(new Set(fingerprints).size === results.length && !fingerprints.includes(undefined), 'fingerprints')
    for (const { ruleId, ruleIndex, message, locations = [] } of results) {
      expectThat(rules[ruleIndex]?.id === ruleId, `rule of ${ruleId}`)
      expectThat(message.text !== '', `message of ${ruleId}`)
      expectThat(locations.length >= 1 && locations.length <= 1_000, `locations of ${ruleId}`)
      for (const { physicalLocation } of locations) {
        const uri = physicalLocation?.artifactLocation?.uri ?? ''
        const isRelative = uri !== '' && !/^(?:\/|\\|[a-z][a-z0-9+.-]*:)/i.test(uri) && !uri.split('/').includes('..')
        expectThat(isRelative && URL.canParse(uri, 'file:///repository/'), `location ${uri} of ${ruleId}`)
        const { startLine = 0, startColumn = 0, endLine = 0, endColumn = 0 } = physicalLocation?.region ?? {}
        const isRegion = startLine >= 1 && startColumn >= 1 && endLine >= startLine && endColumn >= startColumn
        expectThat(isRegion, `region of ${ruleId}`)
      }
    }
  }
  return errors
}
