import { Readable } from 'node:stream'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import type { PanelResponse } from '../call/types.ts'

type Fault = Extract<OverrideRule['answer'], { kind: 'fault' }>

const JSON_TYPE = ['Content-Type', 'application/json; charset=utf-8'] as const
const RETRY_AFTER = 5

/** Begins like an answer of the bridge. */
const BEGINNING = '{"bridgeApiVersion":"0.91","items":[{"id":"'
/** What the head of a body that is cut off announces. */
const ANNOUNCED = 4096

/** An answer in the contract's error shape (spec §7). */
export function createErrorResponse(
  status: number,
  error: { readonly code: string; readonly message: string; readonly retryAfterSeconds?: number },
  headers: readonly (readonly [string, string])[] = [],
): PanelResponse {
  return { kind: 'answer', status, headers: [JSON_TYPE, ...headers], body: Buffer.from(JSON.stringify({ error })) }
}

/**
 * The answer that a fault makes, without any host. `hang` never answers: it ends when the call is
 * given up.
 */
export async function createFaultResponse(
  { fault, retryAfterSeconds }: Fault,
  signal: AbortSignal,
): Promise<PanelResponse> {
  switch (fault) {
    case 'offline':
    case 'reset':
      return { kind: 'broken' }
    case 'hang':
      await waitForAbort(signal)
      return { kind: 'broken' }
    case 'rate-limit':
      return rateLimited(retryAfterSeconds ?? RETRY_AFTER)
    case 'html-error':
      return {
        kind: 'answer',
        status: 500,
        headers: [['Content-Type', 'text/html; charset=utf-8']],
        body: Buffer.from(
          '<!doctype html><html><head><title>500 Internal Server Error</title></head><body><h1>Internal Server Error</h1></body></html>\n',
        ),
      }
    case 'cut':
      return {
        kind: 'answer',
        status: 200,
        headers: [JSON_TYPE, ['Content-Length', String(ANNOUNCED)]],
        body: cutOff(),
      }
    case 'malformed':
      return { kind: 'answer', status: 200, headers: [JSON_TYPE], body: Buffer.from(`${BEGINNING}1",}]`) }
  }
}

const rateLimited = (retryAfterSeconds: number): PanelResponse =>
  createErrorResponse(
    429,
    { code: 'RATE_LIMITED', message: `Too many requests. Try again in ${retryAfterSeconds} s.`, retryAfterSeconds },
    [['Retry-After', String(retryAfterSeconds)]],
  )

/** A body that begins, and breaks off once that much was read. */
function cutOff(): Readable {
  let begun = false
  return new Readable({
    read() {
      if (begun) this.destroy(new Error('cut off by an override'))
      else this.push(BEGINNING)
      begun = true
    },
  })
}

/** Resolves once the signal is aborted. */
export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
