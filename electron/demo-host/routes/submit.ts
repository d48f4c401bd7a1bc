import { branchOf, insertBranch, removeCards } from './card-moves.ts'
import { findBundle } from './bundles.ts'
import { cardOf, changeable, findCard, marked, type DemoState, type Routes } from '../state/context.ts'
import type { DemoBundle, DemoCard } from '../library/model.ts'
import { newCard } from './study-sets.ts'
import { badParameter, DemoError, json } from '../state/reply.ts'
import { takeSnapshot } from './snapshots.ts'

/** Characters of an excerpt that are searched for on its page. */
const EXCERPT = 60

interface Planned {
  readonly title: string
  readonly text: string
  readonly page: number | null
}

/** What is imported: the headings of a text from the user, or one card per segment. */
function plannedCards(state: DemoState, { segments, bookmd5 }: DemoBundle, markdown: unknown): Planned[] {
  if (typeof markdown === 'string') {
    const headings = [...markdown.matchAll(/^#{1,6} +(.+)$/gm)].map(([, title = '']) => title.trim())
    return headings.map((title) => ({ title, text: '', page: null }))
  }
  const pages = state.library.books.get(bookmd5)?.pages ?? []
  return segments.map(({ title, startPage }) => {
    const text = (pages[startPage - 1]?.text ?? '').slice(0, EXCERPT)
    return { title, text, page: text === '' ? null : startPage }
  })
}

/** Cards that were changed since they were imported. */
function changedNodes(state: DemoState, { imported }: DemoBundle): string[] {
  if (!imported) return []
  return [...imported.cards]
    .filter(([noteid, revision]) => (findCard(state, noteid)?.revision ?? revision) !== revision)
    .map(([noteid]) => noteid)
}

/** Importing a bundle (observed §7): at once, without a gate; the second time replaces what was imported first. */
export const submitRoutes = {
  'bundles.submit'(state, { params, body }) {
    const bundle = findBundle(state, params['bundleId'])
    if (bundle.state !== 'prepared' && bundle.state !== 'imported') {
      throw new DemoError(409, 'BUNDLE_NOT_PREPARED', `The bundle is ${bundle.state}. Nothing was submitted.`)
    }
    const target = typeof body['targetParentNoteId'] === 'string' ? cardOf(state, body['targetParentNoteId']) : null
    const set = changeable(state, target?.topicid ?? bundle.topicid)
    const edited = changedNodes(state, bundle)
    if (edited.length > 0 && body['force'] !== true) {
      const details = { changedNodes: edited }
      throw new DemoError(409, 'USER_EDITS_PRESENT', 'Imported cards have been changed since. Nothing was done.', {
        details,
      })
    }
    const planned = plannedCards(state, bundle, body['resultMarkdown'])
    if (planned.length === 0) throw badParameter('resultMarkdown', 'holds no heading.')
    const snapshot = takeSnapshot(state, set, 'Before a bundle was imported')
    marked(set)
    const old = bundle.imported && findCard(state, bundle.imported.rootNoteId)
    if (old) removeCards(state, branchOf(state, old))
    const root = newCard(set.topicid, target?.noteid ?? null, 'Imported bundle')
    const withBlank = body['withBlank'] === true
    const cards = planned.map((one) => cardFrom(one, root, bundle.bookmd5, withBlank))
    insertBranch(state, set.topicid, target, [root, ...cards])
    const all = [root, ...cards]
    Object.assign(bundle, {
      state: 'imported',
      version: bundle.version + 1,
      imported: { rootNoteId: root.noteid, cards: new Map(all.map(({ noteid, revision }) => [noteid, revision])) },
    })
    const anchored = planned.filter(({ page }) => page !== null).length
    return json({
      persisted: true,
      rootNoteId: root.noteid,
      version: bundle.version,
      preImportSnapshotId: snapshot.snapshotId,
      receipt: all.map(({ noteid, title, parent }) => ({
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
          .filter((_, at) => planned[at]?.page === null)
          .map(({ noteid, title }) => ({ noteid, excerpt: title, reason: 'missing_info' })),
      },
      warnings: [],
      // Only children are made here.
      ...(body['excerptMode'] === 'link' ? { ignoredFields: ['excerptMode'] } : {}),
      ...(withBlank ? { blankInsertion: { requested: anchored, created: anchored, failed: 0 } } : {}),
    })
  },
} satisfies Routes

function cardFrom({ title, text, page }: Planned, root: DemoCard, bookmd5: string, withBlank: boolean): DemoCard {
  const card = newCard(root.topicid, root.noteid, title)
  if (page === null) return card
  const excerpt = { index: 0, text, excerpt: true, noteid: card.noteid, kind: 'excerpt' }
  const blank = { index: 1, text: '', excerpt: false, noteid: card.noteid, kind: 'blank' }
  return { ...card, texts: withBlank ? [excerpt, blank] : [excerpt], docBookmd5: bookmd5, docPage: page }
}
