import type { JsonEndpointId, ResponseOf } from '../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../shared/bridge/response-reading.ts'
import { toSchemaViolations, toReadAsFindings } from '../model/responses/schema-violations.ts'
import { MAX_FINDINGS } from '../../shared/json/findings.ts'
import { decodeUtf8, inspectJson } from '../../shared/json/inspection.ts'
import type { FormatOptions, FormatResult, ParseResult } from './parse-protocol.ts'
import { formatJson } from '../model/json/json-formatter.ts'

/**
 * Parses an answer's JSON bytes and keeps what fits the response schema of `endpointId`. What doesn't fit is among the findings, with its
 * location and its text as sent; it comes first, because it is not part of the value. Null = no schema: only the bytes are inspected.
 */
export function parseResponse<Id extends JsonEndpointId>(
  endpointId: Id | null,
  bytes: ArrayBuffer,
): ParseResult<ResponseOf<Id>> {
  const { isValid: ok, value: sent, text, findings, findingTotal } = inspectJson(new Uint8Array(bytes))
  if (!ok || endpointId === null) {
    return { isJson: ok, value: undefined, conforms: false, omittedCount: 0, lists: {}, findings, findingTotal, bytes }
  }
  const {
    value,
    problems,
    problemCount: total,
    omittedEntryCount: left,
    lists,
    conversions: readAs,
  } = readResponse(endpointId, sent)
  return {
    isJson: ok,
    value,
    conforms: total === 0,
    omittedCount: left,
    lists,
    findings: [...toSchemaViolations(problems, text), ...findings, ...toReadAsFindings(readAs)].slice(0, MAX_FINDINGS),
    findingTotal: findingTotal + total + readAs.length,
    bytes,
  }
}

/** Formats the text of an answer for display: indented without parsing it into values, or exactly as sent; at most `maxChars` of it. */
export function formatBodyText(source: ArrayBuffer | string, options: FormatOptions): FormatResult {
  const text = typeof source === 'string' ? source : decodeUtf8(new Uint8Array(source)).text
  if (options.isIndented) return { ...formatJson(text, options.maxChars), sourceChars: text.length }
  return {
    text: text.slice(0, options.maxChars),
    isTruncated: text.length > options.maxChars,
    sourceChars: text.length,
  }
}
