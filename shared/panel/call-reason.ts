import { z } from 'zod'

/** Why the panel policy decided as it did; the texts are under `panel.reason.<code>`. */
const panelCallReasonCodes = [
  'listed',
  'write-let-through',
  /** `message`, and the host's or our own `code`. */
  'failed',
  'no-answer',
  'outside-list',
  'hands-out-token',
  'path-ambiguous',
  /** `limit` in megabytes. */
  'body-too-large',
  /** By `rule`, in place of the host. */
  'overridden',
  /** The host answered, and `rule` was applied to that. */
  'override-applied',
  'not-connected',
  'query-repeated',
  'writes-refused',
  'asks-full',
  'person-refused',
  'given-up',
] as const

export const panelCallReasonSchema = z.strictObject({
  code: z.enum(panelCallReasonCodes),
  params: z.record(z.string(), z.string()),
})
export type PanelCallReason = z.infer<typeof panelCallReasonSchema>

export const createPanelCallReason = (
  code: PanelCallReason['code'],
  params: PanelCallReason['params'] = {},
): PanelCallReason => ({ code, params })
