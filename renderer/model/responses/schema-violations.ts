// Reads responses whose shape no document shows, and reports what does not fit the contract.
// Requests and storage are `renderer/stores`. Read this file first; the others are independent of
// each other.

import type { z } from 'zod'
import { salvage } from '../../../shared/bridge/salvage.ts'
import { MAX_JSON_FINDINGS, type JsonFinding, type ShapeConversion } from '../../../shared/json/findings.ts'
import { inspectJson } from '../../../shared/json/inspection.ts'
import { extractRawTexts } from '../../../shared/json/raw-texts.ts'
import type { DataProblem } from '../../../shared/bridge/salvage-result.ts'

/** Limit of the text stored with a finding; the raw response has the rest. */
const MAX_SENT_CHARS = 2_000

/**
 * Converts the data problems of a response to findings, each with the part of `text`, the response
 * itself, that it is about.
 */
export function toSchemaViolations(problems: readonly DataProblem[], text: string): JsonFinding[] {
  if (problems.length === 0) return []
  const texts = extractRawTexts(text, new Set(problems.map(({ path, entry }) => entry ?? path)), MAX_SENT_CHARS)
  return problems.map(({ path, entry, expected, actual, outOfRange }) => {
    const sentText = texts.get(entry ?? path)
    const kind = entry === null ? 'schema' : 'entry'
    return {
      kind,
      path,
      expected,
      actual,
      ...(outOfRange ? { outOfRange } : {}),
      ...(sentText ? { rawText: sentText } : {}),
    }
  })
}

export const toConversionFindings = (conversions: readonly ShapeConversion[]): JsonFinding[] =>
  conversions.map((conversion) => ({ kind: 'read-as', ...conversion }))

interface InspectedPart {
  /** As parsed; undefined if the text is not JSON. */
  readonly value: unknown
  readonly conforms: boolean
  readonly findings: readonly JsonFinding[]
  /** Number of findings, with those that were not stored. */
  readonly findingTotal: number
}

/** Inspects a part of a response, from its text as sent and the schema of that part. */
export function inspectResponsePart(schema: z.ZodType, source: string): InspectedPart {
  const { isValid, value, text, findings, findingTotal } = inspectJson(new TextEncoder().encode(source))
  if (!isValid) return { value: undefined, conforms: false, findings, findingTotal }
  const { problems, problemCount, conversions } = salvage(schema, value)
  return {
    value,
    conforms: problemCount === 0,
    findings: [...toSchemaViolations(problems, text), ...findings, ...toConversionFindings(conversions)].slice(
      0,
      MAX_JSON_FINDINGS,
    ),
    findingTotal: findingTotal + problemCount + conversions.length,
  }
}
