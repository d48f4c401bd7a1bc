import { sentences, type SetOutline } from './data/outlines.ts'
import { bookId } from './book-id.ts'
import type { Book, Page, Part } from './model.ts'
import { hash, randomFrom } from './random.ts'

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
        outline: topics.slice(0, count).map((line, at) => ({
          title: line.trim(),
          page: 1 + Math.floor((at * count) / topics.length),
          depth: line.startsWith('  ') ? 1 : 0,
        })),
      })
    }
  }
  return books
}

function buildPage(bookmd5: string, number: number, random: () => number): Page {
  const lines = Array.from(
    { length: 6 + Math.floor(random() * 6) },
    () => sentences[Math.floor(random() * sentences.length)],
  )
  const count = random() < 0.4 ? 1 + Math.floor(random() * 3) : 0
  const parts: Part[] = Array.from({ length: count }, (_, at) => ({
    contentId: `page-${bookmd5.slice(0, 8)}-${number}-${at}`,
    kind: at === 0 ? 'ink' : 'blank_image',
    mimeType: 'image/png',
    seed: Math.floor(random() * 1e9),
  }))
  return { text: lines.join('\n'), parts, mapBacked: random() < 0.5 }
}
