import { createHash } from 'node:crypto'
import {
  getBook,
  getChangeableStudySet,
  markStudySetChanged,
  type DemoState,
  type RouteTable,
} from '../state/context.ts'
import type { DemoBook, ExcerptRecord } from '../library/model.ts'
import { createParameterError, DemoError, createJsonReply } from '../state/reply.ts'

/** Routes that list the folders of the document library and their documents (observed §2). */
export const libraryRoutes = {
  'library.folders'(state, { query }) {
    const path = query['path'] ?? ''
    const depth = Number(query['depth'] ?? 1)
    const books = [...state.library.books.values()]
    if (path !== '' && !books.some(({ folder }) => isWithin(folder, path))) {
      throw new DemoError(404, 'FOLDER_NOT_FOUND', 'There is no such folder.')
    }
    return createJsonReply({ path, ...listFolder(books, path, depth) })
  },

  async 'library.upload'(state, { query, bytes }) {
    const name = query['filename'] ?? ''
    if (/[/\\]|\.\.|^\./.test(name)) throw createParameterError('filename', 'must be a bare name.')
    if (bytes.byteLength === 0) throw new DemoError(422, 'BODY_INVALID', 'The file is empty. Nothing was done.')
    const set = query['topicid'] === undefined ? null : getChangeableStudySet(state, query['topicid'])
    const bookmd5 = createHash('md5').update(bytes).digest('hex')
    const folder = query['folder'] ?? 'Inbox'
    const existing = state.library.books.get(bookmd5)
    const isNameInUse = [...state.library.books.values()].some((book) => book.folder === folder && book.title === name)
    const warnings: string[] = []
    if (existing) warnings.push('The library already has this document.')
    if (isNameInUse) warnings.push('The folder already has a document of this name; nothing was overwritten.')
    if (!existing)
      state.library.books.set(bookmd5, await createUploadedBook(bookmd5, name, isNameInUse ? 'Inbox' : folder, bytes))
    else if (!isNameInUse) existing.folder = folder
    const isAdded = set !== null && !set.documents.includes(bookmd5)
    if (isAdded) markStudySetChanged(set).documents.push(bookmd5)
    const persisted = !existing || !isNameInUse || isAdded
    return createJsonReply({
      ...(persisted ? { persisted } : {}),
      bookmd5,
      addedToStudySet: set !== null,
      movedToFolder: !isNameInUse,
      warnings,
    })
  },

  'library.deleteDocument'(state, { params }) {
    const { bookmd5 } = getBook(state, params['bookmd5'])
    const count = countAnchors(state, bookmd5)
    if (count > 0) {
      const details = { notesAnchored: count }
      throw new DemoError(409, 'DOCUMENT_IN_USE', 'Cards are anchored in the document. Nothing was deleted.', {
        details,
      })
    }
    state.library.books.delete(bookmd5)
    for (const set of state.library.sets) set.documents = set.documents.filter((id) => id !== bookmd5)
    if (state.openState.bookmd5 === bookmd5) state.openState.bookmd5 = null
    return createJsonReply({
      persisted: true,
      removedFromLibrary: true,
      note: 'The empty document notebook that was created on import stays.',
      warnings: [],
    })
  },
} satisfies RouteTable

function countAnchors(state: DemoState, bookmd5: string): number {
  const cards = [...state.library.cards.values()].filter(({ docBookmd5 }) => docBookmd5 === bookmd5).length
  return Math.max(cards, getExcerpts(state, bookmd5, null, 0).total)
}

async function createUploadedBook(bookmd5: string, title: string, folder: string, bytes: Buffer): Promise<DemoBook> {
  const { PDFDocument } = await import('pdf-lib')
  // A file that cannot be read as a PDF counts as one page.
  const count = await PDFDocument.load(bytes, { ignoreEncryption: true })
    .then((pdf) => pdf.getPageCount())
    .catch(() => 1)
  const pages = Array.from({ length: Math.max(1, count) }, () => ({ text: '', parts: [], mapBacked: false }))
  return {
    bookmd5,
    title,
    sourceState: 'normal',
    pages,
    originalToc: [],
    writtenToc: null,
    shownToc: 'original',
    folder,
  }
}

const isWithin = (folder: string, path: string): boolean =>
  path === '' || folder === path || folder.startsWith(`${path}/`)

function listFolder(
  books: readonly DemoBook[],
  path: string,
  depth: number,
): { folders: object[]; documents: object[] } {
  const start = path === '' ? 0 : path.length + 1
  const names = new Set(
    books
      .filter(({ folder }) => folder !== path && isWithin(folder, path))
      .map(({ folder }) => folder.slice(start).split('/')[0] ?? ''),
  )
  return {
    folders: [...names].sort().map((name) => {
      const inner = path === '' ? name : `${path}/${name}`
      const below = books.filter(({ folder }) => isWithin(folder, inner))
      return {
        name,
        path: inner,
        documentCount: below.length,
        ...(depth > 1 ? listFolder(books, inner, depth - 1) : {}),
      }
    }),
    documents: books.filter(({ folder }) => folder === path).map(({ bookmd5, title }) => ({ bookmd5, title })),
  }
}

/** Their number, that of study sets with them (or of the named one), the first `maxItems`. */
export function getExcerpts(
  state: DemoState,
  bookmd5: string,
  studySet: string | null,
  maxItems: number,
): { total: number; topicCount: number; items: ExcerptRecord[] } {
  if (state.generatedSet.books.includes(bookmd5)) {
    const isOtherSet = studySet !== null && studySet !== state.generatedSet.topicid
    const { total, items } = state.generatedSet.getExcerpts(bookmd5, isOtherSet ? 0 : maxItems)
    return isOtherSet ? { total: 0, topicCount: 0, items } : { total, topicCount: Math.min(1, total), items }
  }
  const all = state.library.excerpts.get(bookmd5) ?? []
  const items = studySet === null ? all : all.filter(({ topicid }) => topicid === studySet)
  const topicCount = new Set(items.map((item) => item.topicid)).size
  return { total: items.length, topicCount, items: items.slice(0, maxItems) }
}

/** Segments at the same position in several excerpts. The result's shape is our own choice. */
export function findDuplicateExcerpts(items: readonly ExcerptRecord[]): object[] {
  const groups = new Map<string, ExcerptRecord[]>()
  for (const item of items) {
    const key = `${item.page}/${item.startpos}/${item.endpos}`
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map((group) => ({
      page: group[0]?.page,
      startpos: group[0]?.startpos,
      endpos: group[0]?.endpos,
      noteids: group.map((item) => item.noteid),
      cardNoteIds: group.map((item) => item.cardNoteId),
    }))
}
