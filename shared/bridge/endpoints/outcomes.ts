import type { OutcomeMark, OutcomeMarks } from './endpoint.ts'

const createMark = (pointer: string, test: OutcomeMark['test'], onlyIfSent?: string): OutcomeMark => ({
  pointer,
  test,
  ...(onlyIfSent === undefined ? {} : { onlyIfSent }),
})

/** Any write may return `persisted` (spec-0.91 §1), and the others (observed-0.49). */
const commonOutcome: OutcomeMarks = {
  success: [createMark('/persisted', 'true')],
  // If nothing new was created, an older object exists already, which is never a plain success.
  partial: [createMark('/partial', 'true'), createMark('/ignoredFields', 'some'), createMark('/created', 'false')],
  failure: [createMark('/persisted', 'false')],
  quotedPointers: ['/warnings'],
}

function createOutcome(ownMarks: Partial<OutcomeMarks> = {}): OutcomeMarks {
  return {
    success: [...commonOutcome.success, ...(ownMarks.success ?? [])],
    partial: [...commonOutcome.partial, ...(ownMarks.partial ?? [])],
    failure: [...commonOutcome.failure, ...(ownMarks.failure ?? [])],
    quotedPointers: [...(ownMarks.quotedPointers ?? []), ...commonOutcome.quotedPointers],
  }
}

const createFlagOutcome = (pointer: string, quotedPointers: readonly string[] = []): OutcomeMarks =>
  createOutcome({ success: [createMark(pointer, 'true')], failure: [createMark(pointer, 'false')], quotedPointers })

/** The contract names only `persisted` for these writes. */
export const plainOutcome = createOutcome()

/** A host only acknowledges it: accepted is not finished, despite `persisted` (spec §2, §3). */
export const acknowledgedOutcome: OutcomeMarks = {
  success: [createMark('/settled', 'true')],
  partial: [],
  failure: [createMark('/persisted', 'false')],
  quotedPointers: ['/state', '/outcome', '/settled', '/persisted'],
}

export const writeOutcomes = {
  createStudySet: createFlagOutcome('/isStudySet', ['/topicid']),
  createDeck: createFlagOutcome('/isDeck', ['/deckId']),
  upload: createOutcome({
    success: [createMark('/addedToStudySet', 'true'), createMark('/movedToFolder', 'true')],
    partial: [createMark('/addedToStudySet', 'false', 'topicid'), createMark('/movedToFolder', 'false', 'folder')],
    quotedPointers: ['/bookmd5'],
  }),
  deleteDocument: createFlagOutcome('/removedFromLibrary', ['/note']),
  addDocument: createOutcome({
    success: [
      createMark('/becameMainDocument', 'true'),
      createMark('/addedToBooklist', 'some'),
      createMark('/alreadyPresent', 'true'),
    ],
  }),
  removeDocument: createFlagOutcome('/removed', ['/preRemoveSnapshotId']),
  deleteStudySet: createFlagOutcome('/removedFromLibrary', ['/preDeleteSnapshotId']),
  snapshot: createOutcome({ success: [createMark('/created', 'true')], quotedPointers: ['/snapshotId'] }),
  restore: createOutcome({ quotedPointers: ['/protectionSnapshotId'] }),
  toc: createOutcome({ partial: [createMark('/adjustedLevels', 'some')] }),
  copy: createOutcome({ partial: [createMark('/skipped', 'some')] }),
  deleteCards: createOutcome({
    success: [createMark('/deleted', 'some')],
    // A hidden card keeps its highlight, so it is not deleted.
    partial: [createMark('/deleted/*/outcome', { other: ['deleted'] })],
    failure: [createMark('/deleted', 'none')],
    quotedPointers: ['/childrenReattachedTo', '/orphanedChildren', '/descendants', '/trashEnabled'],
  }),
  fold: createOutcome({
    success: [createMark('/changed', 'some')],
    partial: [createMark('/skipped', 'some')],
    failure: [createMark('/changed', 'none')],
  }),
  occlusions: createOutcome({ quotedPointers: ['/existingReviewCardCount'] }),
  text: createOutcome({ quotedPointers: ['/groupCacheUpdated', '/commentsRevision'] }),
  mergeBranch: createOutcome({ partial: [createMark('/notMergedCount', 'some'), createMark('/skipped', 'some')] }),
  deckCards: createOutcome({
    quotedPointers: ['/updatedExisting', '/cards/*/updatedExisting', '/cards/*/resolvedNoteId'],
  }),
  prepare: createOutcome({
    success: [createMark('/state', { word: 'prepared' })],
    quotedPointers: ['/state', '/bundleId', '/jobId'],
  }),
  submit: createOutcome({
    success: [createMark('/receipt', 'some')],
    partial: [
      createMark('/parsed/headings', { unlike: '/parsed/importedCards' }),
      createMark('/parsed/failedExcerpts', 'some'),
      createMark('/blankInsertion/failed', 'some'),
    ],
    failure: [createMark('/receipt', 'none')],
    quotedPointers: ['/rootNoteId', '/version', '/preImportSnapshotId'],
  }),
  discard: createOutcome({ quotedPointers: ['/cancelledJob'] }),
  recheck: createOutcome({
    failure: [createMark('/accepted', 'false')],
    quotedPointers: ['/accepted', '/operationId', '/startSequence'],
  }),
  inventory: createOutcome({ quotedPointers: ['/accepted', '/operationId', '/startSequence', '/observeOnly'] }),
  // A queued change is not done yet: the host takes about a second and a half.
  uiState: createOutcome({
    partial: [createMark('/rejected', 'some'), createMark('/conditional', 'some')],
    failure: [createMark('/queued', 'false')],
    quotedPointers: ['/queued', '/accepted'],
  }),
  blankBand: createOutcome({ success: [createMark('/band', 'some')] }),
  verdict: createOutcome({ quotedPointers: ['/tagsChanged', '/commentsRevision'] }),
  navigate: createOutcome({ quotedPointers: ['/tempOpen'] }),
} as const satisfies Readonly<Record<string, OutcomeMarks>>
