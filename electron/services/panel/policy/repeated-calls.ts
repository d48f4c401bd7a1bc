import { BoundedMap } from '../../../../shared/protocol/rule-state.ts'
import { createPanelCallReason } from '../../../../shared/panel/call-reason.ts'
import { REPEATED_MARK } from '../../../../shared/panel/panel.ts'
import type { PageCall } from '../call/page-call.ts'
import type { CallOutcome } from './call-outcome.ts'

/** A browser repeats a call within milliseconds of its end. */
const MAX_REMEMBERED_CALLS = 10_000

/** After this status over a kept connection, a browser sends a request again, even a POST. */
const TIMEOUT_STATUS = 408

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
   * Remembers a call that is about to be decided. Returns the outcome of a repetition, which is not
   * sent; null for a call that was not made before.
   */
  beginCall({ pageId }: PageCall): CallOutcome | null {
    const repetitionOutcome = pageId === null ? undefined : this.#repetitionOutcomes.get(pageId)
    if (pageId !== null && !repetitionOutcome) this.#repetitionOutcomes.set(pageId, REPEATED_OUTCOME)
    return repetitionOutcome ?? null
  }

  /**
   * Returns what the page gets. After a status that makes a browser repeat the call, the repetitions
   * get the same status, until the browser passes it on to the page; without an id, they could not
   * be told from further calls.
   */
  endCall({ pageId }: PageCall, outcome: CallOutcome): CallOutcome {
    const { response } = outcome
    if (response.kind === 'broken' || response.status !== TIMEOUT_STATUS) return outcome
    if (pageId === null)
      return { ...outcome, response: { kind: 'broken' }, reason: createPanelCallReason('timeout-status') }
    const body = Buffer.isBuffer(response.body) ? response.body : null
    this.#repetitionOutcomes.set(pageId, { ...REPEATED_OUTCOME, response: { ...response, body } })
    return outcome
  }
}
