import type { PanelCallReason, PanelErrorCode } from '../../../../shared/panel/call-reason.ts'
import type { PanelCall, PanelCallChange } from '../../../../shared/panel/panel.ts'
import { createErrorResponse } from '../call/response.ts'
import type { PanelResponse } from '../call/types.ts'

/** The response to a call, with the decision and the reason that the list of calls shows. */
export interface CallOutcome {
  readonly response: PanelResponse
  /** Null if nothing was sent to the host. */
  readonly exchangeId: string | null
  readonly decision: PanelCall['decision']
  readonly reason: PanelCallReason
  readonly changes?: readonly PanelCallChange[]
  readonly operationId?: string | null
}

/** Creates the outcome of a call that was not sent: an error response for the page. */
export function createNotSentOutcome(
  status: number,
  code: PanelErrorCode,
  message: string,
  reason: PanelCallReason,
): CallOutcome {
  return {
    response: createErrorResponse(status, code, message),
    exchangeId: null,
    decision: 'not-sent',
    reason,
  }
}
