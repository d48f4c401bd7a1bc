import type { JsonEndpointId, ResponseOf } from '../../shared/bridge/endpoints/index.ts'
import { readResponse, type ResponseReading } from '../../shared/bridge/response-reading.ts'
import type { Assertion } from '../../shared/collections/assertion.ts'
import {
  createValueAssertion,
  evaluateAssertions,
  type AssertedResponse,
  type AssertionResult,
} from '../../shared/collections/assertion-result.ts'
import type { Variables } from '../../shared/collections/variables.ts'
import { combineFindings } from '../model/responses/schema-violations.ts'
import type { JsonFinding } from '../../shared/json/findings.ts'
import { decodeUtf8, inspectJson } from '../../shared/json/inspection.ts'
import { formatText, type FormatOptions, type FormattedText } from '../model/json/json-formatter.ts'

/** Evaluates assertions, or creates the one that the value at a JSON pointer stays as it is. */
export type AssertionTask =
  | {
      readonly task: 'assert'
      readonly assertions: unknown
      readonly variables: Variables
      readonly response: AssertedResponse
    }
  | { readonly task: 'create-assertion'; readonly pointer: string; readonly bytes: ArrayBuffer }

/** `created` is null if there is no value at the pointer. */
export type AssertionReply = { readonly results: readonly AssertionResult[] } | { readonly created: Assertion | null }

export interface ParseResult<T> {
  /** The part that fits the response schema, with unknown members; undefined if no part fits. */
  readonly value: T | undefined
  /** See `ResponseReading`. */
  readonly isShapeUnknown?: true
  /** False if the bytes are not JSON or are nested too deeply. */
  readonly isJson: boolean
  /** All members that the contract requires are there. Findings list deviations. */
  readonly conforms: boolean
  readonly omittedCount: number
  /** Positions of the value's lists in the bytes. */
  readonly lists: ResponseReading<T>['lists']
  readonly findings: readonly JsonFinding[]
  /** Number of all findings but `observed` ones, including those that were not stored. */
  readonly findingTotal: number
  /** The bytes that were parsed, handed back unchanged. */
  readonly bytes: ArrayBuffer
}

/** Keeps what fits the schema of `endpointId`; with null, bytes are only inspected. */
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

export function formatBodyText(source: ArrayBuffer | string, options: FormatOptions): FormattedText {
  return formatText(typeof source === 'string' ? source : decodeUtf8(new Uint8Array(source)).text, options)
}

export function runAssertionTask(data: AssertionTask): AssertionReply {
  if (data.task === 'create-assertion')
    return { created: createValueAssertion(new Uint8Array(data.bytes), data.pointer) }
  return { results: evaluateAssertions(data.assertions, data.variables, data.response) }
}
