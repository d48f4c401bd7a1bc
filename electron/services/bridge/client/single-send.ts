import { errorCodeOf, getRetryAfterSeconds } from '../../../../shared/bridge/errors.ts'
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

/** Maximum bytes of an answer to a command; none in the contract comes close. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
/** Maximum bytes of an answer that is built whole: of a longer one a record keeps only a part, so no more than that is built. */
const MAX_WHOLE_BYTES = 262_144
/** Of a longer answer: its members, those of its error, and as much below them as a record keeps. */
const budget: JsonBudget = { shallowDepth: 2, maxValues: 5_000, maxChars: 20_000, maxTextChars: 8_000, maxDepth: 64 }
/** Characters kept of a longer answer that is not JSON. */
const MAX_EXCERPT_CHARS = 20_000

/**
 * Sends a request once and reports the result, even if the host answered with an error. Never rejects and never repeats, whatever the
 * request is: for commands, and for looking up what became of them.
 */
export async function sendOnce(
  call: PreparedRequest,
  agents: HttpAgents,
  watch: ExchangeObserver,
): Promise<SendResult> {
  const { target, wireRequest: wire } = call
  let reached = false
  const onWrite = (): void => {
    reached = true
  }
  let answer: WireResponse | null = null
  try {
    const limits = { ...wire.limits, maxBytes: Math.min(wire.limits.maxBytes, MAX_RESPONSE_BYTES) }
    answer = await sendWireRequest(
      { ...wire, limits, onWrite, trace: watch.trace, onResend: watch.startResend },
      agents,
    )
    const { id, trace } = watch
    // Of what was sent: masking and parsing do not count.
    const { elapsedMs } = trace
    const outcome = answered(answer, target.token, id, elapsedMs)
    tell(call, id, answer, trace)
    watch.recordResponse(answer, null, errorCodeOf(outcome.value))
    return outcome
  } catch (thrown) {
    const { id: exchangeId } = watch
    const error = toMaskedError(thrown, target.token, exchangeId)
    if (answer) watch.recordResponse(answer, error)
    else watch.recordFailure(error)
    return { kind: 'failure', reached: reached ? 'maybe' : 'no', error, exchangeId }
  }
}

/** Whoever asked through us gets the bytes as they came; the token was masked in them when they were judged. */
function tell(
  { request: asked, target }: PreparedRequest,
  exchangeId: string,
  { status, bytes }: WireResponse,
  trace: ExchangeTrace,
): void {
  if (!asked.onResponse) return
  const mask = TokenMask.forToken(target.token)
  const headers = trace.responseHeaders.map(([name, value]) => [name, mask.conceal(value)] as const)
  asked.onResponse({ exchangeId, status, headers, bytes: Uint8Array.from(bytes) })
}

function answered(answer: WireResponse, token: string | null, exchangeId: string, durationMs: number) {
  const { status, headers, bytes } = answer
  const { firstKind: starts, errorOffset: errorAt } = outlineJson(bytes)
  const isJson = starts === 'object' || starts === 'array'
  maskBytes(bytes, token, isJson)
  const { value, isTruncated } = valueOf(answer, isJson, errorAt !== null || status >= 400)
  const retryAfterSeconds =
    parseRetryAfterSeconds(getRetryAfterSeconds(getMember(value, 'error'))) ??
    parseRetryAfterSeconds(headers['retry-after']) ??
    null
  return { kind: 'answer' as const, status, value, isTruncated, exchangeId, durationMs, retryAfterSeconds }
}

/** The answer's value, or its text if it is not JSON. Throws `TOO_DEEP`, except for errors, which count at any depth. */
function valueOf({ status, bytes, isTruncated: cut }: WireResponse, isJson: boolean, isError: boolean) {
  if (!cut && bytes.byteLength <= MAX_WHOLE_BYTES) {
    const { value, isValid: ok, text, findings } = inspectJson(bytes)
    if (ok) return { value, isTruncated: false }
    if (!findings.some(({ kind }) => kind === 'too-deep')) return { value: text, isTruncated: false }
    if (!isError) throw createTooDeepError(status)
    return parseBoundedJson(text, budget)
  }
  const { text } = decodeUtf8(bytes)
  return isJson && (cut || !isJsonTruncated(bytes))
    ? parseBoundedJson(text, budget)
    : { value: text.slice(0, MAX_EXCERPT_CHARS), isTruncated: true }
}
