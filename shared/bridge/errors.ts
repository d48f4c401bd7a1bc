import { z } from 'zod'

/** Error body of a host (spec §7; the optional members are from observed-0.49). */
export const errorBodySchema = z.looseObject({
  error: z.looseObject({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean().optional(),
    retryAfterSeconds: z.number().optional(),
    details: z.unknown().optional(),
  }),
  bridgeApiVersion: z.string().optional(),
})
export type ErrorBody = z.infer<typeof errorBodySchema>

/** What is known of an error code: when a host answers it and what the person can do. */
export interface KnownError {
  readonly status: number | null
  readonly meaning: string
  readonly action: string
}

/**
 * Codes that the contract names (spec §7, observed-0.49 errors). The list is not complete: the spec does not show one, so an
 * unknown code is shown as it came.
 */
export const knownErrors: Readonly<Record<string, KnownError>> = {
  IN_PROCESS_NOT_ALLOWED: {
    status: 403,
    meaning: 'The path is not in the web-panel allow-list.',
    action: 'Call it from an external tool, or ask the host for the path to be allowed.',
  },
  PRACTICE_CONFIG_UNAVAILABLE: {
    status: null,
    meaning:
      'The current scene declares no tag prefix and error-cause list for the plugin. The verdict was not written.',
    action: 'Look at plugins[].config of GET /immersive/template.',
  },
  PRACTICE_TOPIC_CHANGED: {
    status: null,
    meaning: 'The question does not belong to the current study set. No change took effect.',
    action: 'Refresh, read again and submit anew; sending the same again gives the same result.',
  },
  PRACTICE_KEY_INVALID: {
    status: null,
    meaning: 'The identity cannot be written. No change took effect.',
    action: 'Check the study set and card ids of the verdict.',
  },
  INVALID_JSON: { status: 400, meaning: 'The body is not JSON.', action: 'Correct the body.' },
  UNAUTHORIZED: {
    status: 401,
    meaning: 'The token is missing or wrong.',
    action: 'Set the token of the profile anew.',
  },
  FORBIDDEN_ORIGIN: {
    status: 403,
    meaning: 'The request carried an Origin header.',
    action: 'Call the host from a program, not from a web page.',
  },
  MAX_REQUIRED: {
    status: 403,
    meaning: 'The route needs a paid subscription of the host.',
    action: 'Use a host with the subscription; panel requests are not limited.',
  },
  APPROVAL_DENIED: {
    status: 403,
    meaning: 'A person refused the request on the device.',
    action: 'Ask for approval again.',
  },
  APPROVAL_TIMEOUT: {
    status: 408,
    meaning: 'Nobody approved the request within 60 seconds.',
    action: 'Send it again with somebody at the device.',
  },
  PAIRING_FAILED: {
    status: 403,
    meaning: 'The code is wrong, used, expired, or was voided after three wrong tries.',
    action: 'Ask the device for a new code.',
  },
  TOPIC_NOT_FOUND: { status: 404, meaning: 'There is no such study set.', action: 'Read the library again.' },
  NOTE_NOT_FOUND: { status: 404, meaning: 'There is no such card.', action: 'It may have been deleted; read again.' },
  DOCUMENT_NOT_FOUND: { status: 404, meaning: 'There is no such document.', action: 'Read the documents again.' },
  TITLE_MISMATCH: {
    status: 409,
    meaning: 'expectedTitle is not the present title. Nothing was done.',
    action: 'Read the title again.',
  },
  COMMENT_CHANGED: {
    status: 409,
    meaning: 'The comments changed since they were read. Nothing was done.',
    action: 'Read the card again and use its new revision.',
  },
  USER_EDITS_PRESENT: { status: 409, meaning: 'A person is editing.', action: 'Wait until the edit has ended.' },
  STUDY_SET_IN_USE: { status: 409, meaning: 'The study set is open.', action: 'Close it in the host.' },
  DOCUMENT_IN_USE: { status: 409, meaning: 'The document is open.', action: 'Close it in the host.' },
  SUBMIT_IN_FLIGHT: { status: 409, meaning: 'A submission is under way.', action: 'Wait for it to end.' },
  IMAGE_SOURCE_CHANGED: { status: 409, meaning: 'The image changed.', action: 'Read the parts again.' },
  OCCLUSION_CHANGED: { status: 409, meaning: 'The occlusions changed.', action: 'Read the parts again.' },
  CONFIRM_REQUIRED: {
    status: 422,
    meaning: 'The body lacked confirm: true. Nothing was executed.',
    action: 'Look at the details (a dry run on some routes), then confirm.',
  },
  SCAN_BUSY: { status: 429, meaning: 'A scan is under way.', action: 'Wait retryAfterSeconds.' },
  EXPORT_BUSY: { status: 429, meaning: 'An export is under way.', action: 'Wait retryAfterSeconds.' },
  PREPARE_BUSY: { status: 429, meaning: 'A preparation is under way.', action: 'Wait retryAfterSeconds.' },
  SCAN_TIMEOUT: { status: 504, meaning: 'The scan took too long.', action: 'Narrow the query and try again.' },
}
