import { createHash } from 'node:crypto'
import { bookOf, changeable, marked, type DemoState, type Routes } from '../state/context.ts'
import type { Book, ExcerptRecord } from '../library/model.ts'
import { badParameter, DemoError, json } from '../state/reply.ts'

/** Folders of the document library, and the documents in them (observed §2). */
export const libraryRoutes = {
  'library.folders'(state, { query }) {
    const path = query['path'] ?? ''
    const depth = Number(query['depth'] ?? 1)
    const books = [...state.library.books.values()]
    if (path !== '' && !books.some(({ folder }) => isWithin(folder, path))) {
      throw new DemoError(404, 'FOLDER_NOT_FOUND', 'There is no such folder.')
    }
    return json({ path, ...folderOf(books, path, depth) })
  },

  async 'library.upload'(state, { query, bytes }) {
    const name = query['filename'] ?? ''
    if (/[/\\]|\.\.|^\./.test(name)) throw badParameter('filename', 'must be a bare name.')
    if (bytes.byteLength === 0) throw new DemoError(422, 'BODY_INVALID', 'The file is empty. Nothing was done.')
    const set = query['topicid'] === undefined ? null : changeable(state, query['topicid'])
    const bookmd5 = createHash('md5').update(bytes).digest('hex')
    const folder = query['folder'] ?? 'Inbox'
    const there = state.library.books.get(bookmd5)
    const taken = [...state.library.books.values()].some((book) => book.folder === folder && book.title === name)
    const warnings: string[] = []
    if (there) warnings.push('The library already has this document.')
    if (taken) warnings.push('The folder already has a document of this name; nothing was overwritten.')
    if (!there) state.library.books.set(bookmd5, await uploaded(bookmd5, name, taken ? 'Inbox' : folder, bytes))
    else if (!taken) there.folder = folder
    const joins = set !== null && !set.documents.includes(bookmd5)
    if (joins) marked(set).documents.push(bookmd5)
    const persisted = !there || !taken || joins
    return json({
      ...(persisted ? { persisted } : {}),
      bookmd5,
      addedToStudySet: set !== null,
      movedToFolder: !taken,
      warnings,
    })
  },

  'library.deleteDocument'(state, { params }) {
    const { bookmd5 } = bookOf(state, params['bookmd5'])
    const count = anchored(state, bookmd5)
    if (count > 0) {
      const details = { notesAnchored: count }
      throw new DemoError(409, 'DOCUMENT_IN_USE', 'Cards are anchored in the document. Nothing was deleted.', {
        details,
      })
    }
    state.library.books.delete(bookmd5)
    for (const set of state.library.sets) set.documents = set.documents.filter((id) => id !== bookmd5)
    if (state.open.bookmd5 === bookmd5) state.open.bookmd5 = null
    return json({
      persisted: true,
      removedFromLibrary: true,
      note: 'The empty document notebook that was created on import stays.',
      warnings: [],
    })
  },
} satisfies Routes

/** Number of cards and excerpts on a document. */
function anchored(state: DemoState, bookmd5: string): number {
  const cards = [...state.library.cards.values()].filter(({ docBookmd5 }) => docBookmd5 === bookmd5).length
  return Math.max(cards, excerptsOf(state, bookmd5, null, 0).total)
}

async function uploaded(bookmd5: string, title: string, folder: string, bytes: Buffer): Promise<Book> {
  const { PDFDocument } = await import('pdf-lib')
  // Anything but a readable PDF has one page.
  const count = await PDFDocument.load(bytes, { ignoreEncryption: true })
    .then((pdf) => pdf.getPageCount())
    .catch(() => 1)
  const pages = Array.from({ length: Math.max(1, count) }, () => ({ text: '', parts: [], mapBacked: false }))
  return { bookmd5, title, sourceState: 'normal', pages, original: [], written: null, shown: 'original', folder }
}

const isWithin = (folder: string, path: string): boolean =>
  path === '' || folder === path || folder.startsWith(`${path}/`)

function folderOf(books: readonly Book[], path: string, depth: number): { folders: object[]; documents: object[] } {
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
      return { name, path: inner, documentCount: below.length, ...(depth > 1 ? folderOf(books, inner, depth - 1) : {}) }
    }),
    documents: books.filter(({ folder }) => folder === path).map(({ bookmd5, title }) => ({ bookmd5, title })),
  }
}

/** How many excerpts, of how many study sets (or of the named one), a document has, and the first `most`. */
export function excerptsOf(
  state: DemoState,
  bookmd5: string,
  studySet: string | null,
  most: number,
): { total: number; topicCount: number; items: ExcerptRecord[] } {
  if (state.generated.books.includes(bookmd5)) {
    const elsewhere = studySet !== null && studySet !== state.generated.topicid
    const { total, items } = state.generated.excerpts(bookmd5, elsewhere ? 0 : most)
    return elsewhere ? { total: 0, topicCount: 0, items } : { total, topicCount: Math.min(1, total), items }
  }
  const all = state.library.excerpts.get(bookmd5) ?? []
  const items = studySet === null ? all : all.filter(({ topicid }) => topicid === studySet)
  const topicCount = new Set(items.map((item) => item.topicid)).size
  return { total: items.length, topicCount, items: items.slice(0, most) }
}

/** Segments at the same position in more than one record; the spec does not show their shape. */
export function duplicatesOf(items: readonly ExcerptRecord[]): object[] {
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
