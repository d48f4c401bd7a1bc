// Finds the parts of a response that violate the contract. Other files of this folder read
// responses whose shape the contract does not show. Read this file first; the others are
// independent of each other.

import type { z } from 'zod'
import { salvage } from '../../../shared/bridge/salvage.ts'
import { MAX_JSON_FINDINGS, type JsonFinding, type ShapeConversion } from '../../../shared/json/findings.ts'
import { inspectJson } from '../../../shared/json/inspection.ts'
import { extractRawTexts } from '../../../shared/json/raw-texts.ts'
import { isBinding } from '../../../shared/bridge/basis.ts'
import type { DataProblem, SalvageResult } from '../../../shared/bridge/salvage-result.ts'

/** A finding stores at most this many characters; the stored response has the complete text. */
const MAX_SENT_CHARS = 2_000

/** Converts problems to findings, each with the part of the body `text` that is wrong. */
export function toSchemaViolations(problems: readonly DataProblem[], text: string): JsonFinding[] {
  if (problems.length === 0) return []
  const texts = extractRawTexts(text, new Set(problems.map(({ path, entry }) => entry ?? path)), MAX_SENT_CHARS)
  return problems.map(({ path, entry, expected, actual, basis }) => {
    const sentText = texts.get(entry ?? path)
    const kind = !isBinding(basis) ? 'observed' : entry === null ? 'schema' : 'entry'
    return {
      kind,
      path,
      expected,
      actual,
      ...(sentText ? { rawText: sentText } : {}),
    }
  })
}

/**
 * Adds the findings of reading a response to those of its text. Violations come first, because the
 * value does not contain the invalid parts. What is only otherwise than seen comes last and is not
 * counted.
 */
export function combineFindings(
  { problems, bindingProblemCount, conversions }: Omit<SalvageResult<unknown>, 'value' | 'keptPositions'>,
  text: string,
  inText: Pick<InspectedPart, 'findings' | 'findingTotal'>,
): Pick<InspectedPart, 'findings' | 'findingTotal'> {
  const violations = toSchemaViolations(problems, text)
  const counted = [
    ...violations.filter(({ kind }) => kind !== 'observed'),
    ...inText.findings,
    ...toConversionFindings(conversions),
  ].slice(0, MAX_JSON_FINDINGS)
  return {
    findings: [...counted, ...violations.filter(({ kind }) => kind === 'observed')],
    findingTotal: inText.findingTotal + bindingProblemCount + conversions.length,
  }
}

export function toConversionFindings(conversions: readonly ShapeConversion[]): JsonFinding[] {
  return conversions.map((conversion) => ({ kind: 'read-as', ...conversion }))
}

interface InspectedPart {
  /** The parsed value; undefined if the text is not JSON. */
  readonly value: unknown
  readonly conforms: boolean
  readonly findings: readonly JsonFinding[]
  /** Number of all findings but `observed` ones, including those that were not stored. */
  readonly findingTotal: number
}

export function inspectResponsePart(schema: z.ZodType, source: string): InspectedPart {
  const { isValid, value, text, findings, findingTotal } = inspectJson(new TextEncoder().encode(source))
  if (!isValid) return { value: undefined, conforms: false, findings, findingTotal }
  const result = salvage(schema, value)
  return {
    value,
    conforms: result.bindingProblemCount === 0,
    ...combineFindings(result, text, { findings, findingTotal }),
  }
}
