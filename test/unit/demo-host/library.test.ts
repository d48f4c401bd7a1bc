import { PNG } from 'pngjs'
import { describe, expect, it } from 'vitest'
import { buildLibrary } from '../../../electron/demo-host/library/small-library.ts'
import { getPartContent } from '../../../electron/demo-host/media/part-content.ts'

const library = buildLibrary(20_260)
const cards = [...library.cards.values()]
const parts = cards.flatMap((card) => card.parts)

describe('demo library', () => {
  it('has six study sets and an empty one, three decks, ten documents with a few hundred pages', () => {
    expect(library.sets.filter((set) => set.cards.length > 0).length).toBe(6)
    expect(library.sets.length).toBe(7)
    expect(library.decks.map((deck) => deck.cards.length > 0)).toEqual([true, true, true])
    expect(library.books.size).toBe(10)
    const pages = [...library.books.values()].reduce((sum, book) => sum + book.pages.length, 0)
    expect(pages).toBeGreaterThan(300)
    expect(pages).toBeLessThan(900)
  })

  it('is written in Chinese, English and Japanese', () => {
    const titles = cards.map(({ title }) => title).join('\n')
    expect(titles).toMatch(/[一-鿿]/)
    expect(titles).toMatch(/[a-z]{4}/)
    expect(titles).toMatch(/[ぁ-ん]/)
  })

  it('contains one of everything that a reader must handle', () => {
    for (const kind of ['ink', 'excerpt_image', 'image', 'audio', 'video', 'blank_image', 'attachment']) {
      expect(
        parts.some((part) => part.kind === kind),
        kind,
      ).toBe(true)
    }
    const bands = cards.flatMap((card) => card.bands)
    expect(new Set(bands.map(({ hasInk }) => hasInk))).toEqual(new Set([true, false]))
    expect(new Set(bands.map(({ live }) => live))).toEqual(new Set([true, false]))
    expect(new Set(bands.map(({ closed }) => closed))).toEqual(new Set([true, false]))
    expect(bands.every(({ hasInk, inkParts }) => hasInk === inkParts > 0)).toBe(true)
    expect(cards.some(({ practice }) => practice.length > 0)).toBe(true)
    expect(parts.some(({ masks }) => (masks?.length ?? 0) > 1)).toBe(true)
    const getCombination = (band: (typeof bands)[number]): string => [band.live, band.closed, band.hasInk].join()
    expect(new Set(bands.map(getCombination)).size).toBe(8)
    expect(cards.some(({ practice }) => practice.length > 2)).toBe(true)
    const indexes = cards.map(({ texts }) => texts.map(({ index }) => index))
    expect(indexes.some((list) => Math.max(...list) >= list.length)).toBe(true)
    expect(cards.some((card) => card.parts.some(({ noteid }) => noteid !== undefined && noteid !== card.noteid))).toBe(
      true,
    )
    expect(library.decks.some((deck) => deck.cards.some(({ sourceNoteId }) => !library.cards.has(sourceNoteId)))).toBe(
      true,
    )
    expect([...library.books.values()].map(({ sourceState }) => sourceState)).toContain('missing_file')
    expect(library.sets.some((set) => set.cards.some(({ subMapId }) => subMapId !== null))).toBe(true)
  })

  it('has unique ids and references that resolve', () => {
    const all = library.sets.flatMap((set) => set.cards)
    expect(new Set(all.map(({ noteid }) => noteid)).size).toBe(all.length)
    expect(library.cards.size).toBe(all.length)
    for (const set of library.sets) {
      const earlierIds = new Set<string>()
      for (const card of set.cards) {
        expect(card.parent === null || earlierIds.has(card.parent)).toBe(true)
        earlierIds.add(card.noteid)
        expect(card.noteid).toMatch(/^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/)
        if (card.docBookmd5 === null) continue
        const book = library.books.get(card.docBookmd5)
        expect(book?.pages[(card.docPage ?? 0) - 1]).toBeDefined()
      }
    }
    expect([...library.books.keys()].every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true)
    const records = [...library.excerpts.values()].flat()
    expect(new Set(records.map(({ noteid }) => noteid)).size).toBe(records.length)
    for (const { cardNoteId, topicid, startpos, endpos } of records) {
      expect(library.cards.get(cardNoteId)?.topicid).toBe(topicid)
      expect(endpos).toBeGreaterThan(startpos)
    }
  })
})

describe('pictures of the demo library', () => {
  const [ink] = parts.filter(({ kind }) => kind === 'ink')

  it('show strokes of ink on paper, and neither noise nor one color', () => {
    if (!ink) throw new Error('no ink')
    const { data, width, height } = PNG.sync.read(getPartContent(ink, 'composite', 600).bytes)
    let dark = 0
    for (let index = 0; index < data.length; index += 4) if ((data[index] ?? 255) < 128) dark += 1
    const share = dark / (width * height)
    expect(share).toBeGreaterThan(0.005)
    expect(share).toBeLessThan(0.3)
  })

  it('are never enlarged', () => {
    if (!ink) throw new Error('no ink')
    const picture = PNG.sync.read(getPartContent(ink, 'composite', 4096).bytes)
    expect(picture.width).toBe(1400)
  })
})
