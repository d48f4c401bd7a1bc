import { errorCodeOf, getRawRetryAfter } from '../../../../shared/bridge/errors.ts'
import { getMember } from '../../../../shared/json/object.ts'
import { decodeUtf8, inspectJson } from '../../../../shared/json/inspection.ts'
import { maskBytes, TokenMask } from '../../mask/mask.ts'
import type { HttpAgents } from '../wire/http-agents.ts'
import { parseBoundedJson, type JsonBudget } from '../wire/bounded-json.ts'
import { parseRetryAfterSeconds } from './retry.ts'
import { sendWireRequest, type WireResponse } from '../wire/exchange.ts'
import { createTooDeepError } from '../wire/wire-errors.ts'
import { isJsonTruncated, outlineJson } from '../wire/json-outline.ts'
import type { PreparedRequest } from './prepared-request.ts'
import { toMaskedError } from '../wire/certificate.ts'
import type { ExchangeTrace } from '../exchange-trace.ts'
import type { SendResult } from '../types.ts'
import type { ExchangeObserver } from './exchange-observer.ts'

/** Far larger than any response to a command in the contract. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
/** A longer response is not built whole, because a record stores only a part of it. */
const MAX_WHOLE_BYTES = 262_144
/** Limits for the members of a longer response and of its error, and what a record stores below. */
const RECORD_BUDGET: JsonBudget = {
  shallowDepth: 2,
  maxValues: 5_000,
  maxChars: 20_000,
  maxTextChars: 8_000,
  maxDepth: 64,
}
/** Limit for the text of a longer response that is not JSON. */
const MAX_EXCERPT_CHARS = 20_000

/** Sends commands, and polls for their outcome: never rejects and never retries. */
export async function sendOnce(
  prepared: PreparedRequest,
  agents: HttpAgents,
  observer: ExchangeObserver,
): Promise<SendResult> {
  const { target, wireRequest } = prepared
  let mayHaveReached = false
  const onWrite = (): void => {
    mayHaveReached = true
  }
  let response: WireResponse | null = null
  try {
    const limits = { ...wireRequest.limits, maxBytes: Math.min(wireRequest.limits.maxBytes, MAX_RESPONSE_BYTES) }
    response = await sendWireRequest(
      { ...wireRequest, limits, onWrite, trace: observer.trace, onResend: observer.startResend },
      agents,
    )
    if (response.decodingError) throw response.decodingError
    const { id, trace } = observer
    // The duration is read here, because masking and parsing do not count.
    const { elapsedMs } = trace
    const result = toSendResult(response, target.token, id, elapsedMs)
    passResponseOn(prepared, id, response, trace)
    observer.recordResponse(response, null, errorCodeOf(result.value))
    return result
  } catch (thrown) {
    const { id: exchangeId } = observer
    const error = toMaskedError(thrown, target.token, exchangeId)
    if (response) observer.recordResponse(response, error)
    else observer.recordFailure(error)
    return { kind: 'failure', reached: mayHaveReached ? 'maybe' : 'no', error, exchangeId }
  }
}

/** Passes the response on; `toSendResult` has already masked the token in the bytes. */
function passResponseOn(
  { request, target }: PreparedRequest,
  exchangeId: string,
  { status, bytes }: WireResponse,
  trace: ExchangeTrace,
): void {
  if (!request.onResponse) return
  const mask = TokenMask.forToken(target.token)
  const headers = trace.responseHeaders.map(([name, value]) => [name, mask.conceal(value)] as const)
  request.onResponse({ exchangeId, status, headers, bytes: Uint8Array.from(bytes) })
}

function toSendResult(response: WireResponse, token: string | null, exchangeId: string, durationMs: number) {
  const { status, headers, bytes } = response
  const { firstKind, errorOffset } = outlineJson(bytes)
  const isJson = firstKind === 'object' || firstKind === 'array'
  maskBytes(bytes, token, isJson)
  const { value, isTruncated } = parseValue(response, isJson, errorOffset !== null || status >= 400)
  const retryAfterSeconds =
    parseRetryAfterSeconds(getRawRetryAfter(getMember(value, 'error'))) ??
    parseRetryAfterSeconds(headers['retry-after']) ??
    null
  return { kind: 'answer' as const, status, value, isTruncated, exchangeId, durationMs, retryAfterSeconds }
}

/** The value, or text if it is not JSON. @throws TOO_DEEP unless the response is an error */
function parseValue({ status, bytes, isTruncated }: WireResponse, isJson: boolean, isError: boolean) {
  if (!isTruncated && bytes.byteLength <= MAX_WHOLE_BYTES) {
    const { value, isValid, text, findings } = inspectJson(bytes)
    if (isValid) return { value, isTruncated: false }
    if (!findings.some(({ kind }) => kind === 'too-deep')) return { value: text, isTruncated: false }
    if (!isError) throw createTooDeepError(status)
    return parseBoundedJson(text, RECORD_BUDGET)
  }
  const { text } = decodeUtf8(bytes)
  return isJson && (isTruncated || !isJsonTruncated(bytes))
    ? parseBoundedJson(text, RECORD_BUDGET)
    : { value: text.slice(0, MAX_EXCERPT_CHARS), isTruncated: true }
}
