import { AppError, createCancelledError } from '../../../../shared/errors.ts'
import type { BridgeRequest } from '../types.ts'
import { isReadRequest } from './access-check.ts'

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 10_000
/** After a longer wait that a host asks for, the user decides about another read. */
const MAX_RETRY_AFTER_S = 30

/** Milliseconds, exponential with jitter, not below the host's wish; `attempt` counts from 2. */
export function computeRetryDelay(attempt: number, error: AppError, random: () => number = Math.random): number {
  const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 2))
  const backoffMs = ceiling / 2 + random() * (ceiling / 2)
  return Math.max(backoffMs, (error.wire.retryAfterSeconds ?? 0) * 1000)
}

const DEFAULT_ATTEMPTS = 3

/** Repeats a read as long as it fails with an error that a further attempt may fix. */
export async function withRetries<T>(request: BridgeRequest, attempt: (number: number) => Promise<T>): Promise<T> {
  const { endpoint, attempts = DEFAULT_ATTEMPTS, signal } = request
  const maxAttempts = isReadRequest(endpoint, request) ? attempts : 1
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number)
    } catch (error) {
      if (!(error instanceof AppError) || number >= maxAttempts || !isRetryable(error)) throw error
      await waitMs(computeRetryDelay(number + 1, error), signal)
      if (signal?.aborted) throw createCancelledError()
    }
  }
}

/**
 * True if repeating a read automatically may help: after a network error, or after an error of a
 * busy or failing host. A 4xx status other than 429 would only recur, and after a timeout the user
 * decides whether to wait again.
 */
export function isRetryable(error: AppError): boolean {
  const { kind, code, status, retryable, retryAfterSeconds = 0 } = error.wire
  if (kind === 'cancelled' || kind === 'refused' || kind === 'internal') return false
  if (kind === 'timeout' && code !== 'TIMEOUT_CONNECT') return false
  if (status !== undefined && status >= 400 && status < 500 && status !== 429) return false
  return retryable && retryAfterSeconds <= MAX_RETRY_AFTER_S
}

/** The wait in seconds: a number, digits, or the date of a `Retry-After` header. */
export function parseRetryAfterSeconds(value: unknown, now = Date.now()): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined
  if (typeof value !== 'string') return undefined
  if (/^\s*\d{1,9}(?:\.\d{1,9})?\s*$/.test(value)) return Number(value)
  const timestamp = /[A-Za-z]{3}/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(timestamp) ? undefined : Math.max(0, Math.ceil((timestamp - now) / 1000))
}

export function waitMs(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
  })
}
