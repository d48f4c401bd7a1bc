import { lookUpByEndpoint, type EndpointMap } from '../../shared/bridge/endpoints/index.ts'
import { getBook, getDeck, getStudySet, type DemoRequest, type DemoState } from './state/context.ts'
import { planToc } from './routes/toc.ts'
import { assertValidBody } from './state/check-body.ts'
import { DemoError } from './state/reply.ts'
import { planCopies, toSkippedEntries } from './routes/card-moves.ts'
import { planDeletion, planMerge } from './routes/card-removals.ts'
import { describeReviewQuestion } from './routes/decks.ts'
import { planOcclusions } from './routes/occlusions.ts'
import { getSnapshot } from './routes/snapshots.ts'

type WriteRequest = Pick<DemoRequest, 'endpoint' | 'params' | 'body'>
type DryRun = (state: DemoState, request: WriteRequest) => object

/** Returns the `details` of a write that is not performed, by endpoint (observed-0.49). */
const dryRuns: EndpointMap<DryRun> = {
  'notes.delete': (state, { body }) => planDeletion(state, body),

  'notes.copy'(state, { body }) {
    const planned = planCopies(state, body)
    return {
      wouldCopy: planned.reduce((sum, { branches }) => sum + branches.flat().length, 0),
      skipped: toSkippedEntries(planned.flatMap(({ covered }) => covered)),
    }
  },

  'notes.imageOcclusions'(state, { params, body }) {
    const { sourceFingerprint, maskFingerprint, masks, existingReviewCardCount } = planOcclusions(
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
    const book = getBook(state, params['bookmd5'])
    const { entries, adjustedLevels } = planToc(book, body)
    return { wouldWrite: entries.length, adjustedLevels, pageCount: book.pages.length }
  },

  'snapshots.restore'(state, { params }) {
    const { snapshot } = getSnapshot(state, params['snapshotId'])
    return {
      wouldRestoreToVersion: snapshot.version,
      snapshotCreatedAt: snapshot.createdAt,
      snapshotDescription: snapshot.description,
      noteCountInSnapshot: snapshot.noteCount,
    }
  },

  'notes.mergeBranch'(state, { params, body }) {
    const { merged, skipped } = planMerge(state, params['noteid'], body)
    return { willMerge: merged.map(({ noteid, title }) => ({ noteid, title })), skipped }
  },

  'studySets.removeDocument'(state, { params }) {
    const { cards, documents } = getStudySet(state, params['topicid'])
    const bookmd5 = params['bookmd5'] ?? ''
    return {
      notesLosingSource: cards.filter(({ docBookmd5 }) => docBookmd5 === bookmd5).length,
      newMainDocumentAfter: documents.find((id) => id !== bookmd5) ?? null,
    }
  },

  'decks.addCards'(state, { params, body }) {
    getDeck(state, params['deckId'])
    const cards = body['cards'] as readonly Parameters<typeof describeReviewQuestion>[1][]
    return {
      cards: cards.map((card) => ({
        sourceNoteId: card.sourceNoteId,
        questionPart: describeReviewQuestion(state, card),
      })),
    }
  },
}

/**
 * Computes `details` of `CONFIRM_REQUIRED`. If the endpoint table promises a dry run, all checks of
 * the write run and throw their errors. If the table only describes details, members that cannot be
 * computed are left out. For all other writes nothing is checked, and the result is null.
 */
export function computeDryRun(state: DemoState, request: WriteRequest): object | null {
  const { id, dryRun } = request.endpoint
  const computeDetails = lookUpByEndpoint(dryRuns, id)
  if (dryRun === false || computeDetails === undefined) return null
  try {
    assertValidBody(request.endpoint, request.body)
    return computeDetails(state, request)
  } catch (error) {
    if (dryRun === true || !(error instanceof DemoError)) throw error
    return null
  }
}
