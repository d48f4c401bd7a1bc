import { createPanelCallReason } from '../../../../shared/panel/call-reason.ts'
import { REPEATED_MARK } from '../../../../shared/panel/panel.ts'
import { BoundedMap } from '../../../../shared/protocol/rule-state.ts'
import type { PageCall } from '../call/page-call.ts'
import type { CallOutcome } from './call-outcome.ts'

/** A browser repeats a call within milliseconds of its end. */
const MAX_REMEMBERED_CALLS = 10_000

/**
 * After these statuses a browser sends a request again by itself, even a POST: after 408 if its
 * connection was used before, after 421 in any case.
 */
const RESENT_STATUSES: ReadonlySet<number> = new Set([408, 421])

const REPEATED_OUTCOME: CallOutcome = {
  response: { kind: 'broken' },
  exchangeId: null,
  decision: REPEATED_MARK,
  reason: createPanelCallReason('repeated-by-browser'),
}

/**
 * Recognises calls that a browser sends again by itself, by the id that the page's helper script
 * gives each call.
 */
export class RepeatedCalls {
  readonly #repetitionOutcomes = new BoundedMap<CallOutcome>(MAX_REMEMBERED_CALLS)

  /**
   * Remembers a call that is about to be decided. Returns the outcome of a repetition, which is
   * not sent; null for a call that was not made before.
   */
  beginCall({ pageId }: PageCall): CallOutcome | null {
    if (pageId === null) return null
    const repetitionOutcome = this.#repetitionOutcomes.get(pageId)
    if (!repetitionOutcome) this.#repetitionOutcomes.set(pageId, REPEATED_OUTCOME)
    return repetitionOutcome ?? null
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
      if (pageId !== null) this.#repetitionOutcomes.delete(pageId)
      return outcome
    }
    if (pageId === null) {
      const reason = createPanelCallReason('repeatable-status', { status: String(status) })
      return { ...outcome, response: { kind: 'broken' }, reason }
    }
    const body = Buffer.isBuffer(response.body) ? response.body : null
    if (isResent) this.#repetitionOutcomes.set(pageId, { ...REPEATED_OUTCOME, response: { ...response, body } })
    return outcome
  }
}

/** Whether a browser follows a redirect by a read (Fetch standard, HTTP-redirect fetch). */
const isFollowedByRead = (method: string, status: number): boolean =>
  method === 'GET' || method === 'HEAD' || status === 303 || (method === 'POST' && (status === 301 || status === 302))
