import { randomUUID } from 'node:crypto'
import type { AppError } from '../../../shared/errors.ts'
import { inspectJson } from '../../../shared/json/inspect.ts'
import type { Agents } from './agents.ts'
import { askedSeconds } from './retry.ts'
import { exchange, type WireAnswer } from './exchange.ts'
import { tooDeep } from './failure.ts'
import { maskToken } from './mask.ts'
import type { Call } from './prepare.ts'
import { sealed } from './seal.ts'
import type { Exchange, Outcome } from './types.ts'

/**
 * Sends a request one time and tells what came of it, also where the host answered an error. Never rejects and never repeats, whatever the
 * request is: for commands, and for looks at what became of them.
 */
export async function sendOnce(
  call: Call,
  agents: Agents,
  onExchange: ((exchange: Exchange) => void) | undefined,
): Promise<Outcome> {
  const { asked, target, path, wire } = call
  const exchangeId = randomUUID()
  const startedAt = Date.now()
  const started = performance.now()
  let reached = false
  const onWrite = (): void => {
    reached = true
  }
  let answer: WireAnswer | null = null
  let error: AppError | null = null
  let outcome: Outcome
  try {
    answer = await exchange({ ...wire, onWrite }, agents)
    outcome = answered(answer, target.token, exchangeId, performance.now() - started)
  } catch (thrown) {
    error = sealed(thrown, target.token, exchangeId)
    outcome = { kind: 'failure', reached: reached ? 'maybe' : 'no', error, exchangeId }
  }
  onExchange?.({
    id: exchangeId,
    endpoint: asked.endpoint.id,
    method: asked.endpoint.method,
    path,
    attempt: 1,
    startedAt,
    durationMs: performance.now() - started,
    status: answer?.status ?? null,
    bytes: answer?.bytes.byteLength ?? 0,
    error: error && { kind: error.kind, ...(error.code === undefined ? {} : { code: error.code }) },
  })
  return outcome
}

function answered({ status, headers, bytes }: WireAnswer, token: string | null, exchangeId: string, ms: number) {
  maskToken(bytes, token)
  const { value, ok, text, findings } = inspectJson(bytes)
  if (findings.some(({ kind }) => kind === 'too-deep')) throw tooDeep(status)
  const error = ok && typeof value === 'object' && value !== null && 'error' in value ? value.error : null
  const asked = typeof error === 'object' && error !== null ? Reflect.get(error, 'retryAfterSeconds') : undefined
  const retryAfterSeconds = askedSeconds(asked) ?? askedSeconds(headers['retry-after']) ?? null
  return { kind: 'answer' as const, status, value: ok ? value : text, exchangeId, durationMs: ms, retryAfterSeconds }
}
