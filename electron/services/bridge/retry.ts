import type { AppError } from '../../../shared/errors.ts'

const FIRST_MS = 250
const LONGEST_MS = 10_000

/** How long to wait before attempt `next` (2, 3, …): what the host asked for, otherwise exponential with full jitter. */
export function delayBefore(next: number, error: AppError, random: () => number = Math.random): number {
  const asked = error.wire.retryAfterSeconds
  if (asked !== undefined) return Math.min(asked * 1000, 60_000)
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** (next - 2))
  return ceiling / 2 + random() * (ceiling / 2)
}

/** Whether repeating a read may help: the network, a busy host, a host that stumbled. A refusal stays a refusal. */
export function worthRepeating(error: AppError): boolean {
  const { kind, status, retryable } = error.wire
  if (kind === 'cancelled' || kind === 'refused' || kind === 'internal') return false
  if (status !== undefined && status >= 400 && status < 500 && status !== 429 && status !== 408) return false
  return retryable
}

/** Resolves after `ms`, or at once when the signal is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
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
