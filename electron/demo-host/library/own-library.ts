import { hashText } from '../../../shared/format/text-hash.ts'
import { createLibraryError, type LibraryFile, type LibraryFileCard } from './library-file.ts'
import {
  PRACTICE_ADDON_ID,
  demoPlugins,
  type DemoBook,
  type DemoCard,
  type DemoLibrary,
  type DemoPlugin,
  type DemoStudySet,
} from './model.ts'
import { toBookId, toUuid } from './random.ts'

/** Fixed, so that the same file gives the same library at every start. */
const LAST_MODIFIED_MS = Date.UTC(2026, 9, 30, 8)

const mimeTypes: Readonly<Record<string, string>> = {
  audio: 'audio/wav',
  video: 'video/webm',
  attachment: 'text/plain',
}

interface OwnLibrary {
  readonly library: DemoLibrary
  readonly plugins: readonly DemoPlugin[]
  readonly openState: { topicid: string | null; bookmd5: string | null; noteid: string | null; page: number }
}

/** Missing ids come from places in the file. @throws LIBRARY_INVALID for a double or stray id */
export function buildOwnLibrary(file: LibraryFile): OwnLibrary {
  const library: DemoLibrary = { sets: [], books: new Map(), excerpts: new Map(), decks: [], cards: new Map() }
  const plugins = file.template ? file.template.plugins.map(toPlugin) : demoPlugins
  const usedIds = new Set<string>()
  const takeId = (id: string | undefined, path: string, toDefault: (path: string) => string = toUuid): string => {
    const ownId = id ?? toDefault(path)
    if (usedIds.has(ownId)) throw createLibraryError([`${path}.id: "${ownId}" stands twice`])
    usedIds.add(ownId)
    return ownId
  }
  const assertDocument = (id: string, path: string): string => {
    if (library.books.has(id)) return id
    throw createLibraryError([`${path}: there is no document "${id}"`])
  }

  for (const [index, document] of (file.documents ?? []).entries()) {
    const bookmd5 = takeId(document.id, `documents[${index}]`, (path) => toBookId(0, path))
    library.books.set(bookmd5, createBook(bookmd5, document))
    const wrong = document.contents?.findIndex(({ page }) => page > document.pages.length) ?? -1
    if (wrong >= 0) throw createPageError(`documents[${index}].contents[${wrong}].page`, document.pages.length)
  }

  function addCards(cards: readonly LibraryFileCard[], path: string, parent: string | null, set: DemoStudySet): void {
    for (const [index, source] of cards.entries()) {
      const cardPath = `${path}[${index}]`
      const card = createCard(source, cardPath, set.topicid, parent)
      set.cards.push(card)
      library.cards.set(card.noteid, card)
      addCards(source.children ?? [], `${cardPath}.children`, card.noteid, set)
    }
  }

  function createCard(source: LibraryFileCard, path: string, topicid: string, parent: string | null): DemoCard {
    const noteid = takeId(source.id, path)
    const [firstExcerpt] = source.excerpts ?? []
    const document = source.document ?? firstExcerpt?.document
    const excerptTexts = (source.excerpts ?? []).map(({ text }) => text)
    const texts = [...(source.texts ?? []), ...excerptTexts].map((text, index) => {
      const isExcerpt = index >= (source.texts?.length ?? 0)
      return { index, text, excerpt: isExcerpt, noteid, kind: isExcerpt ? 'excerpt' : 'text' }
    })
    for (const [index, { id, document: bookmd5, page, start, end, text }] of (source.excerpts ?? []).entries()) {
      const excerptPath = `${path}.excerpts[${index}]`
      const list = library.excerpts.get(assertDocument(bookmd5, `${excerptPath}.document`)) ?? []
      library.excerpts.set(bookmd5, list)
      list.push({
        noteid: takeId(id, excerptPath),
        cardNoteId: noteid,
        topicid,
        page,
        startpos: start,
        endpos: end,
        text,
      })
    }
    return {
      noteid,
      topicid,
      parent,
      title: source.title,
      texts,
      parts: (source.parts ?? []).map(({ id, kind, ocrText, masks }, index) => {
        const partPath = `${path}.parts[${index}]`
        return {
          contentId: takeId(id, partPath),
          kind,
          mimeType: mimeTypes[kind] ?? 'image/png',
          seed: hashText(partPath),
          ...(ocrText === undefined ? {} : { ocrText }),
          ...(masks === undefined ? {} : { masks: masks.map((rect, mask) => ({ index: mask, rect })) }),
        }
      }),
      hashtags: [...(source.tags ?? [])],
      colorIndex: source.color ?? 0,
      fillIndex: source.fill ?? -1,
      revision: source.revision ?? 1,
      bands: (source.bands ?? []).map((band, seq) => ({
        noteid,
        closed: band.closed ?? false,
        owner: band.owner ?? 'user',
        blankPageNo: seq + 1,
        hasInk: band.hasInk ?? false,
        seq,
        live: band.live ?? true,
        inkParts: band.hasInk === true ? 1 : 0,
        height: band.height,
        physicalNoteId: takeId(band.id, `${path}.bands[${seq}]`),
        role: band.role ?? 'practice',
        pageNo: seq + 1,
      })),
      practice: (source.practice ?? []).map(({ self, reason = '', plugin, at }) => {
        const addon = plugin ?? findConfiguredPlugin(plugins)?.id ?? PRACTICE_ADDON_ID
        const reasons = plugins.find(({ id }) => id === addon)?.config?.reasons ?? []
        return {
          addon,
          topic: topicid,
          card: noteid,
          self,
          reason,
          reasonLabel: reasons.find(({ id }) => id === reason)?.label ?? '',
          at: at ?? LAST_MODIFIED_MS,
        }
      }),
      subMapId: source.subMap === true ? toUuid(`${path}/sub-map`) : null,
      folded: source.folded ?? false,
      docBookmd5: document === undefined ? null : assertDocument(document, `${path}.document`),
      docPage: source.page ?? firstExcerpt?.page ?? null,
    }
  }

  for (const [index, { id, title, documents = [], cards }] of file.studySets.entries()) {
    const path = `studySets[${index}]`
    const set: DemoStudySet = {
      topicid: takeId(id, path),
      title,
      lastModifiedAt: new Date(LAST_MODIFIED_MS).toISOString(),
      cards: [],
      documents: documents.map((document, n) => assertDocument(document, `${path}.documents[${n}]`)),
      snapshots: [],
    }
    addCards(cards, `${path}.cards`, null, set)
    library.sets.push(set)
  }
  return { library, plugins, openState: createOpenState(file, library) }
}

const createPageError = (path: string, pageCount: number): Error =>
  createLibraryError([`${path}: ${pageCount === 0 ? 'there is no document' : `the last page is ${pageCount}`}`])

/** Verdicts of a plugin that the template does not name are kept as those of this one. */
export function findConfiguredPlugin(plugins: readonly DemoPlugin[]): DemoPlugin | undefined {
  return plugins.find(({ config }) => config !== undefined)
}

function toPlugin({ id, tagPrefix, reasons }: NonNullable<LibraryFile['template']>['plugins'][number]): DemoPlugin {
  return tagPrefix === undefined || reasons === undefined ? { id } : { id, config: { tagPrefix, reasons } }
}

function createBook(bookmd5: string, document: NonNullable<LibraryFile['documents']>[number]): DemoBook {
  return {
    bookmd5,
    title: document.title,
    sourceState: document.missing === true ? 'missing_file' : 'normal',
    pages: document.pages.map((text) => ({ text, parts: [], mapBacked: false })),
    originalToc: (document.contents ?? []).map(({ title, page, level = 0 }) => ({ title, page, level })),
    writtenToc: null,
    shownToc: 'original',
    folder: document.folder ?? 'Library',
  }
}

function createOpenState({ open }: LibraryFile, { sets, books, cards }: DemoLibrary): OwnLibrary['openState'] {
  const set = open === undefined ? sets[0] : sets.find(({ topicid }) => topicid === open.studySet)
  if (open !== undefined && set === undefined)
    throw createLibraryError([`open.studySet: there is no study set "${open.studySet}"`])
  if (open?.document !== undefined && !books.has(open.document))
    throw createLibraryError([`open.document: there is no document "${open.document}"`])
  if (open?.card !== undefined && cards.get(open.card)?.topicid !== set?.topicid)
    throw createLibraryError([`open.card: the study set has no card "${open.card}"`])
  const bookmd5 = open?.document ?? set?.documents[0] ?? null
  const pageCount = bookmd5 === null ? 0 : (books.get(bookmd5)?.pages.length ?? 0)
  if (open?.page !== undefined && open.page > pageCount) throw createPageError('open.page', pageCount)
  return {
    topicid: set?.topicid ?? null,
    bookmd5,
    noteid: open?.card ?? null,
    page: open?.page ?? 1,
  }
}
