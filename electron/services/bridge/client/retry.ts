import { getRowAccess } from '../../../../shared/bridge/row-access.ts'
import { AppError, createCancelledError } from '../../../../shared/errors.ts'
import type { BridgeRequest } from '../types.ts'

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 10_000
/** If a host asks for a longer wait, we do not wait automatically: the user is told and decides. */
const MAX_RETRY_AFTER_S = 30

/** How long to wait before attempt `next` (2, 3, …), in milliseconds: exponential with jitter, and never less than the host asked for. */
export function computeRetryDelay(next: number, error: AppError, random: () => number = Math.random): number {
  const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (next - 2))
  const own = ceiling / 2 + random() * (ceiling / 2)
  return Math.max(own, (error.wire.retryAfterSeconds ?? 0) * 1000)
}

const DEFAULT_ATTEMPTS = 3

/** Makes attempts until one succeeds, as long as a read fails in a way that repeating may help; never repeats anything else. */
export async function withRetries<T>(
  { endpoint, body, attempts = DEFAULT_ATTEMPTS, signal }: BridgeRequest,
  attempt: (number: number) => Promise<T>,
): Promise<T> {
  const most = getRowAccess(endpoint, body) === 'read' ? attempts : 1
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number)
    } catch (error) {
      if (!(error instanceof AppError) || number >= most || !isRetryable(error)) throw error
      await waitMs(computeRetryDelay(number + 1, error), signal)
      if (signal?.aborted) throw createCancelledError()
    }
  }
}

/**
 * Whether repeating a read automatically may help: the network, a busy host, a host that stumbled. A refusal stays a refusal (4xx other
 * than 429), and a user who has waited for an answer in vain is asked before the wait begins again.
 */
export function isRetryable(error: AppError): boolean {
  const { kind, code, status, retryable, retryAfterSeconds = 0 } = error.wire
  if (kind === 'cancelled' || kind === 'refused' || kind === 'internal') return false
  if (kind === 'timeout' && code !== 'TIMEOUT_CONNECT') return false
  if (status !== undefined && status >= 400 && status < 500 && status !== 429) return false
  return retryable && retryAfterSeconds <= MAX_RETRY_AFTER_S
}

/** How many seconds a host asks to wait: a number, digits, or the date of a `Retry-After` header; undefined for anything else. */
export function parseRetryAfterSeconds(value: unknown, now = Date.now()): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined
  if (typeof value !== 'string') return undefined
  if (/^\s*\d{1,9}(?:\.\d{1,9})?\s*$/.test(value)) return Number(value)
  const at = /[A-Za-z]{3}/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000))
}

/** Resolves after `ms`, or as soon as the signal is aborted. */
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
