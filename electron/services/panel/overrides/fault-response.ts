import { Readable } from 'node:stream'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import type { PanelResponse } from '../call/types.ts'

type Fault = Extract<OverrideRule['answer'], { kind: 'fault' }>

const JSON_TYPE = ['Content-Type', 'application/json; charset=utf-8'] as const
const DEFAULT_RETRY_AFTER_S = 5

/** The beginning of a plausible response, for faults that cut the body or make its JSON invalid. */
const JSON_BEGINNING = '{"bridgeApiVersion":"0.91","items":[{"id":"'
/** Declared length of a body that is cut: more than the bytes that are sent. */
const CUT_CONTENT_BYTES = 4096

/** Creates an error as the spec defines it, with the override's headers. @see spec §7 */
export function createOverrideErrorResponse(
  status: number,
  error: { readonly code: string; readonly message: string; readonly retryAfterSeconds?: number },
  headers: readonly (readonly [string, string])[] = [],
): PanelResponse {
  return { kind: 'answer', status, headers: [JSON_TYPE, ...headers], body: Buffer.from(JSON.stringify({ error })) }
}

/** Sends nothing to the host. The fault `hang` resolves only when the call is aborted. */
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
      return createRateLimitResponse(retryAfterSeconds ?? DEFAULT_RETRY_AFTER_S)
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
        headers: [JSON_TYPE, ['Content-Length', String(CUT_CONTENT_BYTES)]],
        body: createCutBody(),
      }
    case 'malformed':
      return { kind: 'answer', status: 200, headers: [JSON_TYPE], body: Buffer.from(`${JSON_BEGINNING}1",}]`) }
  }
}

const createRateLimitResponse = (retryAfterSeconds: number): PanelResponse =>
  createOverrideErrorResponse(
    429,
    { code: 'RATE_LIMITED', message: `Too many requests. Try again in ${retryAfterSeconds} s.`, retryAfterSeconds },
    [['Retry-After', String(retryAfterSeconds)]],
  )

/** Creates a body that fails after its first bytes have been read. */
function createCutBody(): Readable {
  let hasBegun = false
  return new Readable({
    read() {
      if (hasBegun) this.destroy(new Error('cut off by an override'))
      else this.push(JSON_BEGINNING)
      hasBegun = true
    },
  })
}

export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
