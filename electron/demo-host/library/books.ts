import { sentences, type SetOutline } from './data/outlines.ts'
import { bookId, hash, randomFrom } from './random.ts'
import type { Book, Page, Part } from './model.ts'

/** The documents of every study set: page texts, handwriting on some pages, an outline from the set's top-level topics. */
export function buildBooks(seed: number, outlines: readonly SetOutline[]): Map<string, Book> {
  const books = new Map<string, Book>()
  for (const { documents, outline } of outlines) {
    const topics = outline.split('\n').filter((line) => !line.startsWith('    '))
    for (const { title, pages: count, missing } of documents) {
      const bookmd5 = bookId(seed, title)
      const random = randomFrom(seed ^ hash(title))
      const pages = Array.from({ length: count }, (_, at) => buildPage(bookmd5, at + 1, random))
      books.set(bookmd5, {
        bookmd5,
        title,
        sourceState: missing ? 'missing_file' : 'normal',
        pages,
        original: topics.slice(0, count).map((line, at) => ({
          title: line.trim(),
          page: 1 + Math.floor((at * count) / topics.length),
          level: line.startsWith('  ') ? 1 : 0,
        })),
        written: null,
        shown: 'original',
        folder: `Textbooks/${title.split(/[\s&—-]/)[0] ?? 'Other'}`,
      })
    }
  }
  return books
}

/** The documents of the generated study set: plain text, no handwriting. */
export function generatedBooks(seed: number, ids: readonly string[], pages: number): Book[] {
  return ids.map((bookmd5, at) => {
    const random = randomFrom(seed ^ hash(bookmd5))
    return {
      bookmd5,
      title: `Generated volume ${at + 1}.pdf`,
      sourceState: 'normal',
      pages: Array.from({ length: pages }, () => ({ text: textOf(random), parts: [], mapBacked: false })),
      original: [],
      written: null,
      shown: 'original',
      folder: 'Generated',
    }
  })
}

const textOf = (random: () => number): string =>
  Array.from({ length: 6 + Math.floor(random() * 6) }, () => sentences[Math.floor(random() * sentences.length)]).join(
    '\n',
  )

function buildPage(bookmd5: string, number: number, random: () => number): Page {
  const text = textOf(random)
  const count = random() < 0.4 ? 1 + Math.floor(random() * 3) : 0
  const parts: Part[] = Array.from({ length: count }, (_, at) => ({
    contentId: `page-${bookmd5.slice(0, 8)}-${number}-${at}`,
    kind: at === 0 ? 'ink' : 'blank_image',
    mimeType: 'image/png',
    seed: Math.floor(random() * 1e9),
  }))
  return { text, parts, mapBacked: random() < 0.5 }
}
