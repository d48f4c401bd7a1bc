import { sampleSentences, type SetOutline } from './data/outlines.ts'
import { hashText } from '../../../shared/format/text-hash.ts'
import { toBookId, createRandom } from './random.ts'
import type { DemoBook, DemoPage, DemoPart } from './model.ts'

/** Documents with page texts, handwriting on some pages, and an outline of top-level topics. */
export function buildBooks(seed: number, outlines: readonly SetOutline[]): Map<string, DemoBook> {
  const books = new Map<string, DemoBook>()
  for (const { documents, outline } of outlines) {
    const topics = outline.split('\n').filter((line) => !line.startsWith('    '))
    for (const { title, pages: count, missing } of documents) {
      const bookmd5 = toBookId(seed, title)
      const random = createRandom(seed ^ hashText(title))
      const pages = Array.from({ length: count }, (_, index) => buildPage(bookmd5, index + 1, random))
      books.set(bookmd5, {
        bookmd5,
        title,
        sourceState: missing ? 'missing_file' : 'normal',
        pages,
        originalToc: topics.slice(0, count).map((line, index) => ({
          title: line.trim(),
          page: 1 + Math.floor((index * count) / topics.length),
          level: line.startsWith('  ') ? 1 : 0,
        })),
        writtenToc: null,
        shownToc: 'original',
        folder: `Textbooks/${title.split(/[\s&—-]/)[0] ?? 'Other'}`,
      })
    }
  }
  return books
}

/** Generates the documents of the generated study set. */
export function generateBooks(seed: number, ids: readonly string[], pages: number): DemoBook[] {
  return ids.map((bookmd5, index) => {
    const random = createRandom(seed ^ hashText(bookmd5))
    return {
      bookmd5,
      title: `Generated volume ${index + 1}.pdf`,
      sourceState: 'normal',
      pages: Array.from({ length: pages }, (_, page) => buildPage(bookmd5, page + 1, random)),
      originalToc: [],
      writtenToc: null,
      shownToc: 'original',
      folder: 'Generated',
    }
  })
}

const createText = (random: () => number): string =>
  Array.from(
    { length: 6 + Math.floor(random() * 6) },
    () => sampleSentences[Math.floor(random() * sampleSentences.length)],
  ).join('\n')

function buildPage(bookmd5: string, number: number, random: () => number): DemoPage {
  const text = createText(random)
  const count = random() < 0.4 ? 1 + Math.floor(random() * 3) : 0
  const parts: DemoPart[] = Array.from({ length: count }, (_, index) => ({
    contentId: `page-${bookmd5.slice(0, 8)}-${number}-${index}`,
    kind: index === 0 ? 'ink' : 'blank_image',
    mimeType: 'image/png',
    seed: Math.floor(random() * 1e9),
  }))
  return { text, parts, mapBacked: random() < 0.5 }
}
