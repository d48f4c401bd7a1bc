import { collectBranch, insertBranch, removeCards } from './card-moves.ts'
import { getBundle } from './bundles.ts'
import {
  getCard,
  getChangeableStudySet,
  findCard,
  markStudySetChanged,
  type DemoState,
  type RouteTable,
} from '../state/context.ts'
import type { DemoBundle, DemoCard } from '../library/model.ts'
import { createCard } from './study-sets.ts'
import { createParameterError, DemoError, createJsonReply } from '../state/reply.ts'
import { createSnapshot } from './snapshots.ts'

/** The number of an excerpt's characters that are searched for on its page. */
const MAX_EXCERPT_CHARS = 60

interface PlannedCard {
  readonly title: string
  readonly text: string
  readonly page: number | null
}

/** Plans a card for each heading of the user's text, or else for each segment of the document. */
function planCards(state: DemoState, { segments, bookmd5 }: DemoBundle, markdown: unknown): PlannedCard[] {
  if (typeof markdown === 'string') {
    const headings = [...markdown.matchAll(/^#{1,6} +(\S.*)$/gm)].map(([, title = '']) => title.trim())
    return headings.map((title) => ({ title, text: '', page: null }))
  }
  const pages = state.library.books.get(bookmd5)?.pages ?? []
  return segments.map(({ title, startPage }) => {
    const text = (pages[startPage - 1]?.text ?? '').slice(0, MAX_EXCERPT_CHARS)
    return { title, text, page: text === '' ? null : startPage }
  })
}

function findChangedNodes(state: DemoState, { importResult }: DemoBundle): string[] {
  if (!importResult) return []
  return [...importResult.cards]
    .filter(([noteid, revision]) => (findCard(state, noteid)?.revision ?? revision) !== revision)
    .map(([noteid]) => noteid)
}

/** An import happens at once; a second import replaces the first (observed §7). */
export const bundleImportRoutes = {
  'bundles.submit'(state, { params, body }) {
    const bundle = getBundle(state, params['bundleId'])
    if (bundle.state !== 'prepared' && bundle.state !== 'imported') {
      throw new DemoError(409, 'BUNDLE_NOT_PREPARED', `The bundle is ${bundle.state}. Nothing was submitted.`)
    }
    const target = typeof body['targetParentNoteId'] === 'string' ? getCard(state, body['targetParentNoteId']) : null
    const set = getChangeableStudySet(state, target?.topicid ?? bundle.topicid)
    const changedIds = findChangedNodes(state, bundle)
    if (changedIds.length > 0 && body['force'] !== true) {
      const details = { changedNodes: changedIds }
      throw new DemoError(409, 'USER_EDITS_PRESENT', 'Imported cards have been changed since. Nothing was done.', {
        details,
      })
    }
    const planned = planCards(state, bundle, body['resultMarkdown'])
    if (planned.length === 0) throw createParameterError('resultMarkdown', 'holds no heading.')
    const snapshot = createSnapshot(state, set, 'Before a bundle was imported')
    markStudySetChanged(set)
    const previousRoot = bundle.importResult && findCard(state, bundle.importResult.rootNoteId)
    if (previousRoot) removeCards(state, collectBranch(state, previousRoot))
    const root = createCard(set.topicid, target?.noteid ?? null, 'Imported bundle')
    const withBlank = body['withBlank'] === true
    const cards = planned.map((plan) => createImportedCard(plan, root, bundle.bookmd5, withBlank))
    insertBranch(state, set.topicid, target, [root, ...cards])
    const imported = [root, ...cards]
    Object.assign(bundle, {
      state: 'imported',
      version: bundle.version + 1,
      importResult: {
        rootNoteId: root.noteid,
        cards: new Map(imported.map(({ noteid, revision }) => [noteid, revision])),
      },
    })
    const anchored = planned.filter(({ page }) => page !== null).length
    return createJsonReply({
      persisted: true,
      rootNoteId: root.noteid,
      version: bundle.version,
      preImportSnapshotId: snapshot.snapshotId,
      receipt: imported.map(({ noteid, title, parent }) => ({
        noteid,
        title,
        parent,
        depth: parent === root.noteid ? 1 : 0,
      })),
      parsed: {
        headings: planned.length,
        importedCards: cards.length,
        wikilinks: 0,
        excerptsTotal: planned.length,
        excerptsAnchored: anchored,
        failedExcerpts: cards
          .filter((_, index) => planned[index]?.page === null)
          .map(({ noteid, title }) => ({ noteid, excerpt: title, reason: 'missing_info' })),
      },
      warnings: [],
      // The demo host imports only child cards, so a link mode is ignored.
      ...(body['excerptMode'] === 'link' ? { ignoredFields: ['excerptMode'] } : {}),
      ...(withBlank ? { blankInsertion: { requested: anchored, created: anchored, failed: 0 } } : {}),
    })
  },
} satisfies RouteTable

function createImportedCard(
  { title, text, page }: PlannedCard,
  root: DemoCard,
  bookmd5: string,
  withBlank: boolean,
): DemoCard {
  const card = createCard(root.topicid, root.noteid, title)
  if (page === null) return card
  const excerpt = { index: 0, text, excerpt: true, noteid: card.noteid, kind: 'excerpt' }
  const blank = { index: 1, text: '', excerpt: false, noteid: card.noteid, kind: 'blank' }
  return { ...card, texts: withBlank ? [excerpt, blank] : [excerpt], docBookmd5: bookmd5, docPage: page }
}
