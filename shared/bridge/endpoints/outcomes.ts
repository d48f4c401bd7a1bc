import type { Mark, Outcome } from './endpoint.ts'

const mark = (at: string, is: Mark['is'], asked?: string): Mark => ({
  at,
  is,
  ...(asked === undefined ? {} : { asked }),
})

/** What any write may say: spec-0.91 §1 `persisted`; observed-0.49 `partial`, `ignoredFields`, `created`, `warnings`. */
const common: Outcome = {
  yes: [mark('/persisted', 'true')],
  // Nothing new was created; an earlier one may stand for it, so this is never a plain success.
  partly: [mark('/partial', 'true'), mark('/ignoredFields', 'some'), mark('/created', 'false')],
  no: [mark('/persisted', 'false')],
  quotes: ['/warnings'],
}

function outcome(own: Partial<Outcome> = {}): Outcome {
  return {
    yes: [...common.yes, ...(own.yes ?? [])],
    partly: [...common.partly, ...(own.partly ?? [])],
    no: [...common.no, ...(own.no ?? [])],
    quotes: [...(own.quotes ?? []), ...common.quotes],
  }
}

/** For writes where one true member means done, and the same member being false means that nothing happened. */
const flagged = (at: string, quotes: readonly string[] = []): Outcome =>
  outcome({ yes: [mark(at, 'true')], no: [mark(at, 'false')], quotes })

/** A write that documents only `persisted` (and what any write may say). */
export const plain = outcome()

/** Acknowledges a session command or a commit: accepted is not finished, whatever `persisted` says (spec §2, §3). */
export const acknowledged: Outcome = {
  yes: [mark('/settled', 'true')],
  partly: [],
  no: [mark('/persisted', 'false')],
  quotes: ['/state', '/outcome', '/settled', '/persisted'],
}

export const outcomes = {
  createStudySet: flagged('/isStudySet', ['/topicid']),
  createDeck: flagged('/isDeck', ['/deckId']),
  upload: outcome({
    yes: [mark('/addedToStudySet', 'true'), mark('/movedToFolder', 'true')],
    partly: [mark('/addedToStudySet', 'false', 'topicid'), mark('/movedToFolder', 'false', 'folder')],
    quotes: ['/bookmd5'],
  }),
  deleteDocument: flagged('/removedFromLibrary', ['/note']),
  addDocument: outcome({
    yes: [mark('/becameMainDocument', 'true'), mark('/addedToBooklist', 'some'), mark('/alreadyPresent', 'true')],
  }),
  removeDocument: flagged('/removed', ['/preRemoveSnapshotId']),
  deleteStudySet: flagged('/removedFromLibrary', ['/preDeleteSnapshotId']),
  snapshot: outcome({ yes: [mark('/created', 'true')], quotes: ['/snapshotId'] }),
  restore: outcome({ quotes: ['/protectionSnapshotId'] }),
  toc: outcome({ partly: [mark('/adjustedLevels', 'some')] }),
  copy: outcome({ partly: [mark('/skipped', 'some')] }),
  deleteCards: outcome({
    yes: [mark('/deleted', 'some')],
    // A hidden card leaves its highlight, so it is not gone.
    partly: [mark('/deleted/*/outcome', { other: ['deleted'] })],
    no: [mark('/deleted', 'none')],
    quotes: ['/childrenReattachedTo', '/orphanedChildren', '/descendants', '/trashEnabled'],
  }),
  fold: outcome({
    yes: [mark('/changed', 'some')],
    partly: [mark('/skipped', 'some')],
    no: [mark('/changed', 'none')],
  }),
  occlusions: outcome({ quotes: ['/existingReviewCardCount'] }),
  text: outcome({ quotes: ['/groupCacheUpdated', '/commentsRevision'] }),
  mergeBranch: outcome({ partly: [mark('/notMergedCount', 'some'), mark('/skipped', 'some')] }),
  deckCards: outcome({ quotes: ['/updatedExisting', '/cards/*/updatedExisting', '/cards/*/resolvedNoteId'] }),
  prepare: outcome({ yes: [mark('/state', { word: 'prepared' })], quotes: ['/state', '/bundleId', '/jobId'] }),
  submit: outcome({
    yes: [mark('/receipt', 'some')],
    partly: [
      mark('/parsed/headings', { unlike: '/parsed/importedCards' }),
      mark('/parsed/failedExcerpts', 'some'),
      mark('/blankInsertion/failed', 'some'),
    ],
    no: [mark('/receipt', 'none')],
    quotes: ['/rootNoteId', '/version', '/preImportSnapshotId'],
  }),
  discard: outcome({ quotes: ['/cancelledJob'] }),
  recheck: outcome({ no: [mark('/accepted', 'false')], quotes: ['/accepted', '/operationId', '/startSequence'] }),
  inventory: outcome({ quotes: ['/accepted', '/operationId', '/startSequence', '/observeOnly'] }),
  // Queued is not done: that takes about a second and a half.
  uiState: outcome({
    partly: [mark('/rejected', 'some'), mark('/conditional', 'some')],
    no: [mark('/queued', 'false')],
    quotes: ['/queued', '/accepted'],
  }),
  blankBand: outcome({ yes: [mark('/band', 'some')] }),
  verdict: outcome({ quotes: ['/tagsChanged', '/commentsRevision'] }),
  navigate: outcome({ quotes: ['/tempOpen'] }),
} as const satisfies Readonly<Record<string, Outcome>>
