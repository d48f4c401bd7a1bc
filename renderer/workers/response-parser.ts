import type { JsonEndpointId, ResponseOf } from '../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../shared/bridge/response-reading.ts'
import { createValueAssertion, evaluateAssertions } from '../../shared/collections/assertion-result.ts'
import { combineFindings } from '../model/responses/schema-violations.ts'
import { decodeUtf8, inspectJson } from '../../shared/json/inspection.ts'
import type { AssertionReply, AssertionTask, FormatOptions, FormatResult, ParseResult } from './parse-protocol.ts'
import { formatJson } from '../model/json/json-formatter.ts'

/**
 * Parses the bytes of a response and keeps the part that fits the response schema of `endpointId`;
 * with null, the bytes are only inspected.
 */
export function parseResponse<Id extends JsonEndpointId>(
  endpointId: Id | null,
  bytes: ArrayBuffer,
): ParseResult<ResponseOf<Id>> {
  const { isValid, value: sentValue, text, findings, findingTotal } = inspectJson(new Uint8Array(bytes))
  if (!isValid || endpointId === null) {
    return {
      isJson: isValid,
      value: undefined,
      conforms: false,
      omittedCount: 0,
      lists: {},
      findings,
      findingTotal,
      bytes,
    }
  }
  const reading = readResponse(endpointId, sentValue)
  const { value, bindingProblemCount, omittedEntryCount, lists } = reading
  return {
    isJson: isValid,
    value,
    conforms: bindingProblemCount === 0,
    omittedCount: omittedEntryCount,
    lists,
    ...(reading.isShapeUnknown ? { isShapeUnknown: true as const } : {}),
    ...combineFindings(reading, text, { findings, findingTotal }),
    bytes,
  }
}

/**
 * Formats the text of a response for display, either indented without parsing it into values or as
 * it was sent.
 */
export function formatBodyText(source: ArrayBuffer | string, options: FormatOptions): FormatResult {
  const text = typeof source === 'string' ? source : decodeUtf8(new Uint8Array(source)).text
  if (options.isIndented) return { ...formatJson(text, options.maxChars), sourceChars: text.length }
  return {
    text: text.slice(0, options.maxChars),
    isTruncated: text.length > options.maxChars,
    sourceChars: text.length,
  }
}

export function runAssertionTask(data: AssertionTask): AssertionReply {
  if (data.task === 'create-assertion')
    return { created: createValueAssertion(new Uint8Array(data.bytes), data.pointer) }
  return { results: evaluateAssertions(data.assertions, data.variables, data.response) }
}
