import { z } from 'zod'

/** Reasons of the panel policy for its decision. The texts are under `panel.reason.<code>`. */
const panelCallReasonCodes = [
  'listed',
  'write-let-through',
  /** Its parameters are `message` and the `code` of the host or of this program. */
  'failed',
  'no-answer',
  'outside-list',
  'hands-out-token',
  'path-ambiguous',
  /** The parameter `limit` is in megabytes. */
  'body-too-large',
  /** The override named `rule` responded instead of the host. */
  'overridden',
  /** The host responded, and the override named `rule` changed the response. */
  'override-applied',
  'not-connected',
  /** The connection changed while the call was held at a breakpoint. */
  'host-changed',
  'query-repeated',
  'writes-refused',
  'asks-full',
  'person-refused',
  'given-up',
  /** A person answered the call at a breakpoint, let it fail, or edited the host's response. */
  'answered-by-hand',
  'failed-by-hand',
  'edited-by-hand',
  /** A call with this id was made before. */
  'repeated-by-browser',
  /** A browser would repeat a call after the host's `status`, and this call has no id. */
  'repeatable-status',
] as const

/** Codes of the errors with which this program itself responds to a panel's call. */
export const panelErrorCodes = [
  'BAD_STATUS',
  'BODY_TOO_LARGE',
  'HOST_CHANGED',
  'IN_PROCESS_NOT_ALLOWED',
  'NOT_CONNECTED',
  'PANEL_WRITE_REFUSED',
  'PATH_AMBIGUOUS',
  'QUERY_REPEATED',
  'READ_ONLY',
] as const
export type PanelErrorCode = (typeof panelErrorCodes)[number]

export const panelCallReasonSchema = z.strictObject({
  code: z.enum(panelCallReasonCodes),
  params: z.record(z.string(), z.string()),
})
export type PanelCallReason = z.infer<typeof panelCallReasonSchema>

export function createPanelCallReason(
  code: PanelCallReason['code'],
  params: PanelCallReason['params'] = {},
): PanelCallReason {
  return { code, params }
}
