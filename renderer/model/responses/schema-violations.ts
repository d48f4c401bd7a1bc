import type { z } from 'zod'
import { salvage } from '../../../shared/bridge/salvage.ts'
import { MAX_FINDINGS, type JsonFinding, type ShapeConversion } from '../../../shared/json/findings.ts'
import { inspectJson } from '../../../shared/json/inspection.ts'
import { extractRawTexts } from '../../../shared/json/raw-texts.ts'
import type { DataProblem } from '../../../shared/bridge/salvage-result.ts'

/** How many characters of what was left out are kept with a finding; the raw answer has the rest. */
const MAX_SENT_CHARS = 2_000

/** The problems of a parsed answer as findings, each with what is there in `text`, the answer itself. */
export function toSchemaViolations(problems: readonly DataProblem[], text: string): JsonFinding[] {
  if (problems.length === 0) return []
  const texts = extractRawTexts(text, new Set(problems.map(({ path, entry }) => entry ?? path)), MAX_SENT_CHARS)
  return problems.map(({ path, entry, expected, found, outOfRange }) => {
    const sent = texts.get(entry ?? path)
    const kind = entry === null ? 'schema' : 'entry'
    return { kind, path, expected, found, ...(outOfRange ? { outOfRange } : {}), ...(sent ? { sent } : {}) }
  })
}

/** Findings for values that were read in another shape. */
export const toReadAsFindings = (readAs: readonly ShapeConversion[]): JsonFinding[] =>
  readAs.map((one) => ({ kind: 'read-as', ...one }))

/** A part of an answer by itself. */
interface InspectedPart {
  /** As parsed; undefined if the text is not JSON. */
  readonly value: unknown
  readonly conforms: boolean
  readonly findings: readonly JsonFinding[]
  /** All findings, including those not kept. */
  readonly findingTotal: number
}

/** Everything to report about a part of an answer, from its text as sent and the schema of that part. */
export function inspectResponsePart(schema: z.ZodType, source: string): InspectedPart {
  const { isValid: ok, value, text, findings, findingTotal } = inspectJson(new TextEncoder().encode(source))
  if (!ok) return { value: undefined, conforms: false, findings, findingTotal }
  const { problems, problemCount: total, conversions: readAs } = salvage(schema, value)
  return {
    value,
    conforms: total === 0,
    findings: [...toSchemaViolations(problems, text), ...findings, ...toReadAsFindings(readAs)].slice(0, MAX_FINDINGS),
    findingTotal: findingTotal + total + readAs.length,
  }
}
