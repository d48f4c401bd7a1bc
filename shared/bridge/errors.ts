import { getMember } from '../json/object.ts'
import type { Basis } from './basis.ts'

/** `error.code` (spec §7); empty for an error without one, null without an error. */
export function errorCodeOf(body: unknown): string | null {
  const error = getMember(body, 'error')
  if (error === undefined || error === null) return null
  const code = getMember(error, 'code')
  return typeof code === 'string' ? code : ''
}

/** The value as sent, from the error or its `details` (observed-0.49: most likely there). */
export function getRawRetryAfter(error: unknown): unknown {
  return getMember(error, 'retryAfterSeconds') ?? getMember(getMember(error, 'details'), 'retryAfterSeconds')
}

interface KnownError {
  readonly status: number | null
  readonly meaning: string
  readonly action: string
  /** The host had begun to execute the request. After any other code nothing was executed. */
  readonly hasBegun?: true
  /** Spec §5 or §7 shows the code. Every other code was only observed. */
  readonly isInSpec?: true
}

/** Codes of spec §7 and observed-0.49. There is no full list: unknown ones show unchanged. */
export const knownErrors: Readonly<Record<string, KnownError>> = {
  IN_PROCESS_NOT_ALLOWED: {
    isInSpec: true,
    status: 403,
    meaning: 'The path is not in the web-panel allow-list.',
    action: 'Call it from an external tool, or have the path allowed in the host.',
  },
  PRACTICE_CONFIG_UNAVAILABLE: {
    isInSpec: true,
    status: null,
    meaning:
      'The current scene declares no tag prefix and error-cause list for the plugin. The verdict was not written.',
    action: 'Check plugins[].config of GET /immersive/template.',
  },
  PRACTICE_TOPIC_CHANGED: {
    isInSpec: true,
    status: null,
    meaning: 'The question does not belong to the current study set. No change took effect.',
    action: 'Refresh, read again and submit again; resending the same request gives the same result.',
  },
  PRACTICE_KEY_INVALID: {
    isInSpec: true,
    status: null,
    meaning: 'The identity cannot be written. No change took effect.',
    action: 'Check the study set and card ids of the verdict.',
  },
  INVALID_JSON: { status: 400, meaning: 'The body is not JSON.', action: 'Correct the body.' },
  UNAUTHORIZED: {
    status: 401,
    meaning: 'The token is missing or wrong.',
    action: 'Set the token of the profile again.',
  },
  FORBIDDEN_ORIGIN: {
    status: 403,
    meaning: 'The request carried an Origin header.',
    action: 'Call the host from a program, not from a web page.',
  },
  MAX_REQUIRED: {
    status: 403,
    meaning: 'The route needs a paid subscription of the host.',
    action: 'Use a host with the subscription; panel requests are not restricted.',
  },
  APPROVAL_DENIED: {
    status: 403,
    meaning: 'The request was declined on the device.',
    action: 'Ask for approval again.',
  },
  APPROVAL_TIMEOUT: {
    status: 408,
    meaning: 'Nobody approved the request within 60 seconds.',
    action: 'Send it again while somebody is at the device.',
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
    meaning: 'expectedTitle is not the current title, which is in details.actualTitle. Nothing was done.',
    action: 'Read the title again.',
  },
  COMMENT_CHANGED: {
    status: 409,
    meaning: 'The comments changed since they were read. Nothing was done.',
    action: 'Read the card again, and use its new revision or the new beginning of the text.',
  },
  USER_EDITS_PRESENT: {
    status: 409,
    meaning: 'Cards that would be replaced have been edited; changedNodes names them. Nothing was done.',
    action: 'Look at them. Send it again with force only if the edits may be lost.',
  },
  STUDY_SET_IN_USE: { status: 409, meaning: 'The study set is open.', action: 'Open another one in the host first.' },
  DOCUMENT_IN_USE: {
    status: 409,
    meaning: 'Cards are anchored in the document; details gives their number. Nothing was deleted.',
    action: 'Delete those cards first, or keep the document.',
  },
  VIRTUAL_DOCUMENT_NOT_DELETABLE: {
    status: null,
    meaning: 'The document has no file.',
    action: 'It cannot be deleted.',
  },
  SUBMIT_IN_FLIGHT: {
    status: 409,
    meaning: 'The bundle is being imported.',
    action: 'Wait retryAfterSeconds and read GET /bundles; do not send it again.',
  },
  PREPARE_CANCELLED: {
    status: 409,
    meaning: 'The bundle was discarded in the meantime.',
    action: 'Prepare another one.',
  },
  TOC_GENERATION_IN_PROGRESS: {
    status: 409,
    meaning: 'The host is generating a contents list.',
    action: 'Wait a minute, then read the outline.',
  },
  IMAGE_SOURCE_CHANGED: { status: 409, meaning: 'The image changed.', action: 'Read the parts and preview again.' },
  OCCLUSION_CHANGED: { status: 409, meaning: 'The occlusions changed.', action: 'Read the parts and preview again.' },
  HASHTAG_ROUTE_REQUIRED: {
    status: 422,
    meaning: 'Hashtags are not written as text; details gives an example.',
    action: 'Use the command that changes hashtags.',
  },
  DOCUMENT_FILE_MISSING: { status: 422, meaning: 'The file is not on the device.', action: 'Download it in the host.' },
  NO_CHILDREN: { status: 422, meaning: 'The card has no children.', action: 'Choose a card with children.' },
  NOT_A_DECK: { status: 422, meaning: 'The id is not a deck’s.', action: 'Use a deckId from GET /decks.' },
  IS_A_DECK: { status: 422, meaning: 'The id is a deck’s.', action: 'Use the deck commands.' },
  CONFIRM_REQUIRED: {
    status: 422,
    meaning: 'The body lacked confirm: true. Nothing was executed.',
    action: 'Look at the details (a dry run on some routes), then confirm.',
  },
  SCAN_BUSY: { status: 429, meaning: 'A scan is under way.', action: 'Wait retryAfterSeconds.' },
  EXPORT_BUSY: { status: 429, meaning: 'An export is under way.', action: 'Wait retryAfterSeconds.' },
  PREPARE_BUSY: {
    status: 429,
    meaning: 'A preparation is under way; details.runningJob names it.',
    action: 'Follow it in GET /bundles; do not send it again.',
  },
  DISCARD_FAILED: {
    status: 500,
    hasBegun: true,
    meaning: 'It was cancelled, but its folder was left behind.',
    action: 'Discard it again; that is not an error.',
  },
  SCAN_TIMEOUT: { status: 504, hasBegun: true, meaning: 'The scan took too long.', action: 'Ask for fewer pages.' },
}

/** The complete list of codes is not shown (spec §7): unknown codes are open. */
export function getCodeBasis(code: string): Basis {
  const error = Object.hasOwn(knownErrors, code) ? knownErrors[code] : undefined
  if (error === undefined) return 'open'
  return error.isInSpec ? 'spec' : 'observed'
}

/** A code of the contract says that nothing was executed, whatever the HTTP status is. */
export function isKnownRefusal(code: string | null): boolean {
  return code !== null && Object.hasOwn(knownErrors, code) && knownErrors[code]?.hasBegun !== true
}
