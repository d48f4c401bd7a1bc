import type { Endpoint } from './endpoints/endpoint.ts'
import type { EndpointId } from './endpoints/index.ts'
import { listPlaceholders } from './endpoints/path-template.ts'

const hasPlaceholder =
  (name: string) =>
  ({ path }: Endpoint): boolean =>
    listPlaceholders(path).includes(name)

/** Codes for which spec-0.91 (§7) or observed-0.49 names endpoints; neither list is complete. */
const errorRules: readonly {
  readonly code: string
  readonly appliesTo: readonly EndpointId[] | ((endpoint: Endpoint) => boolean)
}[] = [
  { code: 'UNAUTHORIZED', appliesTo: ({ auth }) => auth === 'token' },
  { code: 'INVALID_JSON', appliesTo: ({ body }) => body !== null },
  { code: 'MAX_REQUIRED', appliesTo: ({ requiresMax }) => requiresMax === true },
  { code: 'CONFIRM_REQUIRED', appliesTo: ({ confirm }) => confirm === 'body' || confirm === 'query' },
  { code: 'APPROVAL_DENIED', appliesTo: ({ needsApproval }) => needsApproval },
  { code: 'APPROVAL_TIMEOUT', appliesTo: ({ needsApproval }) => needsApproval },
  { code: 'PAIRING_FAILED', appliesTo: ['pair.post'] },
  { code: 'TOPIC_NOT_FOUND', appliesTo: hasPlaceholder('topicid') },
  { code: 'NOT_A_DECK', appliesTo: hasPlaceholder('deckId') },
  { code: 'TITLE_MISMATCH', appliesTo: ['studySets.delete'] },
  { code: 'COMMENT_CHANGED', appliesTo: ['notes.comment', 'notes.deleteComment', 'notes.practiceVerdict'] },
  { code: 'PRACTICE_CONFIG_UNAVAILABLE', appliesTo: ['notes.practiceVerdict'] },
  { code: 'PRACTICE_TOPIC_CHANGED', appliesTo: ['notes.practiceVerdict'] },
  { code: 'PRACTICE_KEY_INVALID', appliesTo: ['notes.practiceVerdict'] },
  { code: 'HASHTAG_ROUTE_REQUIRED', appliesTo: ['notes.title', 'notes.text', 'notes.comments', 'notes.comment'] },
  { code: 'NO_CHILDREN', appliesTo: ['notes.foldIntoSubMap'] },
  { code: 'IMAGE_SOURCE_CHANGED', appliesTo: ['notes.imageOcclusions'] },
  { code: 'OCCLUSION_CHANGED', appliesTo: ['notes.imageOcclusions'] },
  { code: 'STUDY_SET_IN_USE', appliesTo: ['snapshots.restore'] },
  { code: 'DOCUMENT_FILE_MISSING', appliesTo: ['studySets.open'] },
  { code: 'IS_A_DECK', appliesTo: ['studySets.open'] },
  { code: 'DOCUMENT_IN_USE', appliesTo: ['library.deleteDocument'] },
  { code: 'VIRTUAL_DOCUMENT_NOT_DELETABLE', appliesTo: ['library.deleteDocument'] },
  { code: 'TOC_GENERATION_IN_PROGRESS', appliesTo: ['documents.toc'] },
  { code: 'SCAN_BUSY', appliesTo: ['documents.pages', 'documents.tocCandidates'] },
  { code: 'SCAN_TIMEOUT', appliesTo: ['documents.pages'] },
  { code: 'EXPORT_BUSY', appliesTo: ['documents.export', 'studySets.printExport'] },
  { code: 'PREPARE_BUSY', appliesTo: ['bundles.prepare'] },
  { code: 'PREPARE_CANCELLED', appliesTo: ['bundles.prepare'] },
  { code: 'SUBMIT_IN_FLIGHT', appliesTo: ['bundles.submit'] },
  { code: 'USER_EDITS_PRESENT', appliesTo: ['bundles.submit', 'snapshots.restore'] },
  { code: 'DISCARD_FAILED', appliesTo: ['bundles.discard'] },
]

/** Lists the known error codes of an endpoint. A host may send others, too. */
export function listErrorCodes(endpoint: Endpoint): readonly string[] {
  return errorRules
    .filter(({ appliesTo }) =>
      typeof appliesTo === 'function' ? appliesTo(endpoint) : (appliesTo as readonly string[]).includes(endpoint.id),
    )
    .map(({ code }) => code)
}
