import { isBinding } from '../bridge/basis.ts'
import { errorCodeOf } from '../bridge/errors.ts'
import { isJsonEndpointId } from '../bridge/endpoints/index.ts'
import { readResponse } from '../bridge/response-reading.ts'
import { JsonFindingList } from '../json/findings.ts'
import { inspectJson, type JsonInspection } from '../json/inspection.ts'
import { isObject } from '../json/object.ts'
import { extractRawTexts, type RawText } from '../json/raw-texts.ts'
import { scanJson } from '../json/scan.ts'
import {
  assertionSchema,
  formatAssertion,
  parseAssertions,
  type Assertion,
  type InvalidAssertion,
  type jsonTypes,
} from './assertion.ts'
import { matchesTextPattern } from './text-pattern.ts'
import { escapeReferences, fillValueVariables, type Variables } from './variables.ts'

export interface AssertedResponse {
  readonly status: number
  /** Milliseconds until the last byte; null if the time is unknown. */
  readonly durationMs: number | null
  /** Id in the endpoint table; null if none fits. */
  readonly endpointId: string | null
  /** All bytes of the body; null if a part of them is missing. */
  readonly body: Uint8Array | null
}

/**
 * Why an assertion has its outcome. `body-incomplete`: a part of the body was not kept or not read.
 * `value-too-long`: the value is too long to be compared. `inexact-number`: the value holds a
 * number that JavaScript would round. `no-schema`: the contract describes no JSON response here.
 * `no-duration`: the time is unknown. `no-variable`: a variable has no value. `not-json` and
 * `no-value`: there is nothing at the pointer. `not-text`: a pattern needs a text, number or flag.
 */
export type AssertionReason =
  | 'body-incomplete'
  | 'value-too-long'
  | 'inexact-number'
  | 'no-schema'
  | 'no-duration'
  | 'no-variable'
  | 'not-json'
  | 'no-value'
  | 'not-text'

export interface AssertionResult {
  readonly assertion: Assertion | InvalidAssertion
  /** Only `passed` is a success. */
  readonly outcome: 'passed' | 'failed' | 'not-evaluated' | 'invalid'
  readonly reason: AssertionReason | null
  /** The found value, cut if it is long; null if it is not a text. */
  readonly actual: string | null
}

/** A longer body is not read for assertions. */
export const MAX_ASSERTED_BODY_BYTES = 64 * 1024 * 1024

/** Longer values are not compared. */
const MAX_VALUE_CHARS = 1_000_000
/** Together with the longest pattern, this takes about 50 ms. */
const MAX_MATCHED_CHARS = 20_000
const MAX_ACTUAL_CHARS = 200

export function needsBody({ kind }: Assertion | InvalidAssertion): boolean {
  return !['status', 'duration', 'invalid'].includes(kind)
}

/** Where a status is expected, an error response may be right. */
export function expectsStatus(assertions: unknown): boolean {
  return parseAssertions(assertions).some(({ kind }) => kind === 'status' || kind === 'error-code')
}

/** Tests a response; entries of `assertions` that are none are reported. */
export function evaluateAssertions(
  assertions: unknown,
  variables: Variables,
  response: AssertedResponse,
): readonly AssertionResult[] {
  const filled = fillAssertions(parseAssertions(assertions), variables)
  const pointers = filled.flatMap(({ assertion }) => ('pointer' in assertion ? [assertion.pointer] : []))
  const needsJson = filled.some(({ assertion }) => needsBody(assertion))
  const inspection = response.body && needsJson ? inspectJson(response.body) : null
  const texts = inspection?.isValid
    ? extractRawTexts(inspection.text, pointers, MAX_VALUE_CHARS)
    : new Map<string, RawText>()
  return filled.map(({ assertion, isFilled }) => {
    if (assertion.kind === 'invalid') return { assertion, outcome: 'invalid', reason: null, actual: null }
    const verdict = isFilled ? evaluate(assertion, response, { inspection, texts }) : skip('no-variable')
    return { assertion, ...verdict }
  })
}

const fillAssertions = (
  assertions: readonly (Assertion | InvalidAssertion)[],
  variables: Variables,
): readonly { readonly assertion: Assertion | InvalidAssertion; readonly isFilled: boolean }[] =>
  assertions.map((assertion) => {
    if (assertion.kind === 'invalid') return { assertion, isFilled: true }
    const filled = fillValueVariables(assertion, variables)
    if ('missing' in filled) return { assertion, isFilled: false }
    const [filledAssertion = assertion] = parseAssertions([filled.value])
    return { assertion: filledAssertion, isFilled: true }
  })

type Verdict = Omit<AssertionResult, 'assertion'>
interface ReadBody {
  /** Null if the body is incomplete or no assertion needs it. */
  readonly inspection: JsonInspection | null
  /** Texts of the values at the pointers of the assertions. */
  readonly texts: ReadonlyMap<string, RawText>
}

const skip = (reason: AssertionReason): Verdict => ({ outcome: 'not-evaluated', reason, actual: null })
const fail = (reason: AssertionReason): Verdict => ({ outcome: 'failed', reason, actual: null })
const decide = (hasPassed: boolean, actual: string): Verdict => ({
  outcome: hasPassed ? 'passed' : 'failed',
  reason: null,
  actual: actual.length > MAX_ACTUAL_CHARS ? `${actual.slice(0, MAX_ACTUAL_CHARS)}…` : actual,
})

function evaluate(assertion: Assertion, response: AssertedResponse, { inspection, texts }: ReadBody): Verdict {
  if (assertion.kind === 'status') return decide(response.status === assertion.equals, String(response.status))
  if (assertion.kind === 'duration') {
    if (response.durationMs === null) return skip('no-duration')
    return decide(response.durationMs <= assertion.maxMs, `${Math.round(response.durationMs)} ms`)
  }
  if (inspection === null) return skip('body-incomplete')
  if (assertion.kind === 'schema') return evaluateSchema(response, inspection)
  if (assertion.kind === 'error-code') return evaluateErrorCode(assertion.equals, inspection)
  const rawText = texts.get(assertion.pointer)
  if (assertion.kind === 'exists' && inspection.isValid)
    return decide((rawText !== undefined) === assertion.exists, rawText?.text ?? '')
  if (!inspection.isValid) return fail('not-json')
  return rawText ? evaluateValue(assertion, rawText) : fail('no-value')
}

function evaluateErrorCode(expected: string | null, { isValid, value, text }: JsonInspection): Verdict {
  // An empty body has no error; any other text that is not JSON may be one.
  if (!isValid) return expected === null && text.trim() === '' ? decide(true, '') : fail('not-json')
  const code = errorCodeOf(value)
  return decide(code === expected, code ?? '')
}

/** Values that were sent in another JSON type than the contract shows do not fit it. */
function evaluateSchema({ status, endpointId }: AssertedResponse, { isValid, value }: JsonInspection): Verdict {
  if (status < 200 || status > 299 || endpointId === null || !isJsonEndpointId(endpointId)) return skip('no-schema')
  if (!isValid) return fail('not-json')
  const { value: usable, problems, conversions, isShapeUnknown } = readResponse(endpointId, value)
  const problem = problems.find(({ basis }) => isBinding(basis))
  if (problem) return decide(false, `${problem.path}: ${problem.actual} instead of ${problem.expected}`)
  const retyped = conversions.find(({ conversionKind }) => ['number', 'flag'].includes(conversionKind))
  if (retyped)
    return decide(
      false,
      `${retyped.path}: string instead of ${retyped.conversionKind === 'flag' ? 'boolean' : 'number'}`,
    )
  return isShapeUnknown ? skip('no-schema') : decide(usable !== undefined, '')
}

type ValueAssertion = Extract<Assertion, { readonly pointer: string }>

function evaluateValue(assertion: ValueAssertion, { text, isTruncated }: RawText): Verdict {
  if (assertion.kind === 'exists') return decide(assertion.exists, text)
  if (assertion.kind === 'type') {
    const type = getTypeOfText(text)
    return decide(type === assertion.type, type)
  }
  if (isTruncated) return skip('value-too-long')
  const { value, isExact } = parseValue(text)
  if (assertion.kind === 'equals') {
    if (!isExact) return skip('inexact-number')
    return decide(isEqualJson(value, assertion.value), text)
  }
  if (typeof value === 'object' && value !== null) return fail('not-text')
  const matched = typeof value === 'string' ? value : text.trim()
  if (matched.length > MAX_MATCHED_CHARS) return skip('value-too-long')
  return decide(matchesTextPattern(assertion.pattern, matched), text)
}

/** Parses a part of valid JSON. `isExact` is false if a number in it would be rounded. */
function parseValue(text: string): { readonly value: unknown; readonly isExact: boolean } {
  const findings = new JsonFindingList()
  scanJson(text, findings)
  // Findings beyond the ones that are kept may be numbers, too.
  const isExact =
    findings.total === findings.items.length && !findings.items.some(({ kind }) => kind === 'unsafe-number')
  return { value: JSON.parse(text), isExact }
}

type JsonType = (typeof jsonTypes)[number]
const typesByFirstChar: Readonly<Record<string, JsonType>> = {
  '{': 'object',
  '[': 'array',
  '"': 'string',
  t: 'boolean',
  f: 'boolean',
  n: 'null',
}
/** The text may be cut, so only its first character counts. */
const getTypeOfText = (text: string): JsonType => typesByFirstChar[text.charAt(0)] ?? 'number'

function isEqualJson(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((entry, index) => isEqualJson(entry, right[index]))
  if (!isObject(left) || !isObject(right)) return left === right
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isEqualJson(left[name], right[name]))
  )
}

/** A longer value is asserted by its type only, so that the file stays readable. */
const MAX_ASSERTED_CHARS = 1_000

/** The value stays as it is; numbers too long are compared as text. Null without such a value. */
export function createValueAssertion(body: Uint8Array, pointer: string): Assertion | null {
  const { isValid, text } = inspectJson(body)
  const rawText = isValid ? extractRawTexts(text, [pointer], MAX_ASSERTED_CHARS).get(pointer) : undefined
  if (!rawText) return null
  const type = getTypeOfText(rawText.text)
  if (rawText.isTruncated) return { kind: 'type', pointer, type }
  const { value, isExact } = parseValue(rawText.text)
  if (!isExact)
    return type === 'number'
      ? { kind: 'matches', pointer, pattern: rawText.text.trim() }
      : { kind: 'type', pointer, type }
  const parsed = assertionSchema.safeParse({ kind: 'equals', pointer, value: escapeStrings(value) })
  return parsed.success ? parsed.data : null
}

function escapeStrings(value: unknown): unknown {
  if (typeof value === 'string') return escapeReferences(value)
  if (Array.isArray(value)) return value.map(escapeStrings)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, escapeStrings(member)]))
}

/** Describes a result in one English line, for reports. */
export function formatAssertionResult({ assertion, reason, actual }: AssertionResult): string {
  if (assertion.kind === 'invalid') return `${assertion.json}: ${assertion.reason}`
  const text = formatAssertion(assertion)
  if (reason !== null) return `${text} (${reasonTexts[reason]})`
  return actual === null || actual === '' ? text : `${text} (is ${actual})`
}

const reasonTexts: Readonly<Record<AssertionReason, string>> = {
  'body-incomplete': 'the body was not read whole',
  'value-too-long': 'the value is too long',
  'inexact-number': 'it holds a number that would be rounded',
  'no-schema': 'the contract describes no JSON response here',
  'no-duration': 'the time is unknown',
  'no-variable': 'a variable has no value',
  'not-json': 'the body is not JSON',
  'no-value': 'nothing is there',
  'not-text': 'a list or an object matches no pattern',
}
