import { Readable } from 'node:stream'
import { createPanelCallReason } from '../../../../shared/panel/call-reason.ts'
import { REPEATED_MARK } from '../../../../shared/panel/panel.ts'
import { BoundedMap } from '../../../core/protocol/rule-state.ts'
import type { PageCall } from '../call/page-call.ts'
import type { PanelResponse } from '../call/types.ts'
import type { CallOutcome } from './call-outcome.ts'

/** A browser repeats a call within milliseconds of its end. */
const MAX_REMEMBERED_CALLS = 10_000
const MAX_REMEMBERED_RESPONSES = 100
/** A repetition gets a longer body empty. */
const MAX_REMEMBERED_BODY_BYTES = 64 * 1024

/** Browsers repeat even a POST: after 408 on a reused connection, after 421 in any case. */
const RESENT_STATUSES: ReadonlySet<number> = new Set([408, 421])

type HttpPanelResponse = Extract<PanelResponse, { kind: 'answer' }>

const REPEATED_OUTCOME: CallOutcome = {
  response: { kind: 'broken' },
  exchangeId: null,
  decision: REPEATED_MARK,
  reason: createPanelCallReason('repeated-by-browser'),
}

/** Recognises what a browser sends again by itself by the helper script's id of each call. */
export class RepeatedCalls {
  readonly #callIds = new BoundedMap<true>(MAX_REMEMBERED_CALLS)
  readonly #responses = new BoundedMap<PanelResponse>(MAX_REMEMBERED_RESPONSES)

  /** Remembers a call to be decided. Returns a repetition's outcome, null for a new call. */
  beginCall({ pageId }: PageCall): CallOutcome | null {
    if (pageId === null) return null
    if (this.#callIds.get(pageId))
      return { ...REPEATED_OUTCOME, response: this.#responses.get(pageId) ?? REPEATED_OUTCOME.response }
    this.#callIds.set(pageId, true)
    return null
  }

  /**
   * Returns what the page gets. After a status that makes a browser repeat the call, a repetition
   * gets the same status, until the browser passes it on to the page. Without an id it could not be
   * told from a further call, so the page gets a failure instead.
   */
  endCall({ pageId, method }: PageCall, outcome: CallOutcome): CallOutcome {
    const { response } = outcome
    if (response.kind === 'broken') return outcome
    const { status, headers } = response
    const isResent = RESENT_STATUSES.has(status)
    const isRedirect = status >= 300 && status < 400 && headers.some(([name]) => /^location$/i.test(name))
    if (!isResent && !isRedirect) return outcome
    if (isRedirect && isFollowedByRead(method, status)) {
      if (pageId !== null) this.#callIds.delete(pageId)
      return outcome
    }
    if (pageId === null) {
      if (response.body instanceof Readable) response.body.destroy()
      const reason = createPanelCallReason('repeatable-status', { status: String(status) })
      return { ...outcome, response: { kind: 'broken' }, reason }
    }
    if (isResent) this.#responses.set(pageId, toRememberedResponse(response))
    return outcome
  }
}

function toRememberedResponse({ status, headers, body }: HttpPanelResponse): PanelResponse {
  if (Buffer.isBuffer(body) && body.byteLength <= MAX_REMEMBERED_BODY_BYTES)
    return { kind: 'answer', status, headers, body }
  const bodilessHeaders = headers.filter(([name]) => !/^content-(?:encoding|length)$/i.test(name))
  return { kind: 'answer', status, headers: bodilessHeaders, body: null }
}

/** See the Fetch standard, HTTP-redirect fetch. */
const isFollowedByRead = (method: string, status: number): boolean =>
  method === 'GET' || method === 'HEAD' || status === 303 || (method === 'POST' && (status === 301 || status === 302))
