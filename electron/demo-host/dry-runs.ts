import { forEndpoint, type ByEndpoint } from '../../shared/bridge/endpoints/index.ts'
import { bookOf, deckOf, setOf, type DemoRequest, type DemoState } from './state/context.ts'
import { plannedToc } from './routes/contents.ts'
import { checkBody } from './state/check-body.ts'
import { DemoError } from './state/reply.ts'
import { plannedCopies, skippedOf } from './routes/card-moves.ts'
import { plannedDeletion, plannedMerge } from './routes/card-removals.ts'
import { questionOf } from './routes/decks.ts'
import { plannedOcclusions } from './routes/occlusions.ts'
import { versionOf } from './routes/snapshots.ts'

type Asked = Pick<DemoRequest, 'endpoint' | 'params' | 'body'>
type DryRun = (state: DemoState, request: Asked) => object

/** What a write would do, computed like the write itself but without doing it (observed-0.49: `details` of each). */
const dryRuns: ByEndpoint<DryRun> = {
  'notes.delete': (state, { body }) => plannedDeletion(state, body),

  'notes.copy'(state, { body }) {
    const planned = plannedCopies(state, body)
    return {
      wouldCopy: planned.reduce((sum, { branches }) => sum + branches.flat().length, 0),
      skipped: skippedOf(planned.flatMap(({ covered }) => covered)),
    }
  },

  'notes.imageOcclusions'(state, { params, body }) {
    const { sourceFingerprint, maskFingerprint, masks, existingReviewCardCount } = plannedOcclusions(
      state,
      params['noteid'],
      body,
    )
    return {
      sourceFingerprint,
      maskFingerprint,
      maskCount: masks.length,
      mappingCount: 1,
      existingReviewCardCount,
      ...(existingReviewCardCount > 0 ? { warnings: ['Review cards are copies: they stay as they are.'] } : {}),
    }
  },

  'documents.toc'(state, { params, body }) {
    const book = bookOf(state, params['bookmd5'])
    const { entries, adjustedLevels } = plannedToc(book, body)
    return { wouldWrite: entries.length, adjustedLevels, pageCount: book.pages.length }
  },

  'snapshots.restore'(state, { params }) {
    const { snapshot } = versionOf(state, params['snapshotId'])
    return {
      wouldRestoreToVersion: snapshot.version,
      snapshotCreatedAt: snapshot.createdAt,
      snapshotDescription: snapshot.description,
      noteCountInSnapshot: snapshot.noteCount,
    }
  },

  'notes.mergeBranch'(state, { params, body }) {
    const { merged, skipped } = plannedMerge(state, params['noteid'], body)
    return { willMerge: merged.map(({ noteid, title }) => ({ noteid, title })), skipped }
  },

  'studySets.removeDocument'(state, { params }) {
    const { cards, documents } = setOf(state, params['topicid'])
    const bookmd5 = params['bookmd5'] ?? ''
    return {
      notesLosingSource: cards.filter(({ docBookmd5 }) => docBookmd5 === bookmd5).length,
      newMainDocumentAfter: documents.find((id) => id !== bookmd5) ?? null,
    }
  },

  'decks.addCards'(state, { params, body }) {
    deckOf(state, params['deckId'])
    const cards = body['cards'] as readonly Parameters<typeof questionOf>[1][]
    return { cards: cards.map((one) => ({ sourceNoteId: one.sourceNoteId, questionPart: questionOf(state, one) })) }
  },
}

/**
 * `details` of `CONFIRM_REQUIRED`. If the table promises a dry run, its checks have all run, and whatever the write would be refused for
 * is thrown here already. If details are only described, what cannot be computed is left out. Otherwise nothing is checked, and the
 * result is null.
 */
export function dryRunOf(state: DemoState, request: Asked): object | null {
  const { id, dryRun } = request.endpoint
  const dryRunFor = forEndpoint(dryRuns, id)
  if (dryRun === false || dryRunFor === undefined) return null
  try {
    checkBody(request.endpoint, request.body)
    return dryRunFor(state, request)
  } catch (error) {
    if (dryRun === true || !(error instanceof DemoError)) throw error
    return null
  }
}
