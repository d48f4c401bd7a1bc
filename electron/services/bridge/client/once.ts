import { errorCodeOf, waitIn } from '../../../../shared/bridge/errors.ts'
import { member } from '../../../../shared/json/object.ts'
import { decodeUtf8, inspectJson } from '../../../../shared/json/inspect.ts'
import { maskBytes, TokenMask } from '../../mask/mask.ts'
import type { Agents } from '../wire/agents.ts'
import { boundedJson, type JsonBudget } from '../wire/bounded-json.ts'
import { askedSeconds } from './retry.ts'
import { exchange, type WireAnswer } from '../wire/exchange.ts'
import { tooDeepFailure } from '../wire/failure.ts'
import { breaksOff, outlineJson } from '../wire/outline.ts'
import type { Call } from './prepare.ts'
import { sealed } from '../wire/tls.ts'
import type { Trace } from '../trace.ts'
import type { SendResult } from '../types.ts'
import type { Watch } from './watch.ts'

/** Maximum bytes of an answer to a command; none in the contract comes close. */
const MOST_BYTES = 4 * 1024 * 1024
/** Maximum bytes of an answer that is built whole: of a longer one a record keeps only a part, so no more than that is built. */
const WHOLE_BYTES = 262_144
/** Of a longer answer: its members, those of its error, and as much below them as a record keeps. */
const budget: JsonBudget = { shallow: 2, values: 5_000, characters: 20_000, text: 8_000, depth: 64 }
/** Characters kept of a longer answer that is not JSON. */
const BEGINNING = 20_000

/**
 * Sends a request once and reports the result, even if the host answered with an error. Never rejects and never repeats, whatever the
 * request is: for commands, and for looking up what became of them.
 */
export async function sendOnce(call: Call, agents: Agents, watch: Watch): Promise<SendResult> {
  const { target, wire } = call
  let reached = false
  const onWrite = (): void => {
    reached = true
  }
  let answer: WireAnswer | null = null
  try {
    const limits = { ...wire.limits, maxBytes: Math.min(wire.limits.maxBytes, MOST_BYTES) }
    answer = await exchange({ ...wire, limits, onWrite, trace: watch.trace, onSentAgain: watch.again }, agents)
    const { id, trace } = watch
    // Of what was sent: masking and parsing do not count.
    const { elapsedMs } = trace
    const outcome = answered(answer, target.token, id, elapsedMs)
    tell(call, id, answer, trace)
    watch.answered(answer, null, errorCodeOf(outcome.value))
    return outcome
  } catch (thrown) {
    const { id: exchangeId } = watch
    const error = sealed(thrown, target.token, exchangeId)
    if (answer) watch.answered(answer, error)
    else watch.failed(error)
    return { kind: 'failure', reached: reached ? 'maybe' : 'no', error, exchangeId }
  }
}

/** Whoever asked through us gets the bytes as they came; the token was masked in them when they were judged. */
function tell({ asked, target }: Call, exchangeId: string, { status, bytes }: WireAnswer, trace: Trace): void {
  if (!asked.onAnswer) return
  const mask = TokenMask.ofOne(target.token)
  const headers = trace.responseHeaders.map(([name, value]) => [name, mask.conceal(value)] as const)
  asked.onAnswer({ exchangeId, status, headers, bytes: Uint8Array.from(bytes) })
}

function answered(answer: WireAnswer, token: string | null, exchangeId: string, durationMs: number) {
  const { status, headers, bytes } = answer
  const { starts, errorAt } = outlineJson(bytes)
  const isJson = starts === 'object' || starts === 'array'
  maskBytes(bytes, token, isJson)
  const { value, cut } = valueOf(answer, isJson, errorAt !== null || status >= 400)
  const retryAfterSeconds = askedSeconds(waitIn(member(value, 'error'))) ?? askedSeconds(headers['retry-after']) ?? null
  return { kind: 'answer' as const, status, value, cut, exchangeId, durationMs, retryAfterSeconds }
}

/** The answer's value, or its text if it is not JSON. Throws `TOO_DEEP`, except for errors, which count at any depth. */
function valueOf({ status, bytes, cut }: WireAnswer, isJson: boolean, isError: boolean) {
  if (!cut && bytes.byteLength <= WHOLE_BYTES) {
    const { value, ok, text, findings } = inspectJson(bytes)
    if (ok) return { value, cut: false }
    if (!findings.some(({ kind }) => kind === 'too-deep')) return { value: text, cut: false }
    if (!isError) throw tooDeepFailure(status)
    return boundedJson(text, budget)
  }
  const { text } = decodeUtf8(bytes)
  return isJson && (cut || !breaksOff(bytes))
    ? boundedJson(text, budget)
    : { value: text.slice(0, BEGINNING), cut: true }
}
