import type { PaletteColor } from '../../../shared/bridge/resources/study-sets.ts'
import { readResponse } from '../../../shared/bridge/response-reading.ts'
import { getMember, isObject } from '../../../shared/json/object.ts'
import {
  appendMember,
  DETAILS_MEMBER,
  EXCERPTS_MEMBER,
  getCardId,
  toCardDetails,
} from '../../../shared/snapshots/card-content.ts'
import { toKey } from '../../../shared/snapshots/cause.ts'
import { buildForest, getForestHash } from '../../../shared/snapshots/forest.ts'
import { snapshotPaletteSchema, type SnapshotPalette } from '../../../shared/snapshots/palette.ts'
import { hasAllExcerpts, type SnapshotGap } from '../../../shared/snapshots/snapshot.ts'
import { parsePage, type ReadListing } from './listing-collector.ts'

/** The response that is read beyond the listing of cards. */
export type ListingAddition =
  { readonly kind: 'palette' | 'documents' | 'details' } | { readonly kind: 'excerpts'; readonly document: string }

export interface AddedResponse {
  readonly addition: ListingAddition
  readonly instance: string | null
  readonly endedAt: number
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Beyond these numbers no more are read, and then no excerpts are compared. */
const MAX_EXCERPTS = 500_000
const MAX_DOCUMENTS = 1_000

/** A listing that the user asked for, while more is read about its cards. */
export class TakenListing {
  readonly #listing: ReadListing
  readonly #detailsById = new Map<string, Record<string, unknown>>()
  readonly #excerptsByCard = new Map<string, Record<string, unknown>[]>()
  #excerptCount = 0
  #documents: readonly string[] = []
  #excerpts: ReadListing['excerpts'] = null
  #palette: SnapshotPalette | null = null
  #additionCount = 0
  #endedAt: number
  #isRestarted = false

  constructor(listing: ReadListing) {
    this.#listing = listing
    this.#endedAt = listing.endedAt
  }

  get topicid(): string {
    return this.#listing.topicid
  }

  listIds(offset: number, limit: number): string[] {
    return this.#listing.forest.ids.slice(offset, offset + limit)
  }

  /** The documents whose excerpts are to be read. */
  listDocuments(): readonly string[] {
    return this.#documents.slice(0, MAX_DOCUMENTS)
  }

  /** @returns how many of all cards or documents were read; null if that is not counted */
  add({ addition, bytes, instance, endedAt }: AddedResponse): { count: number; total: number } | null {
    this.#additionCount += 1
    this.#endedAt = Math.max(this.#endedAt, endedAt)
    this.#isRestarted ||= instance !== null && this.#listing.instance !== null && instance !== this.#listing.instance
    const response = parsePage(bytes)
    switch (addition.kind) {
      case 'palette':
        this.#palette = parsePalette(response)
        return null
      case 'documents':
        this.#addDocuments(response)
        return null
      case 'excerpts': {
        this.#addExcerpts(response, addition.document)
        const { documents = 0, total = 0 } = this.#excerpts ?? {}
        return { count: documents, total }
      }
      case 'details':
        this.#addDetails(response)
        return { count: this.#detailsById.size, total: this.#listing.forest.count }
    }
  }

  #addDetails(response: unknown): void {
    const items = getMember(response, 'items')
    for (const item of Array.isArray(items) ? (items as unknown[]) : []) {
      const id = isObject(item) ? getCardId(item) : ''
      if (isObject(item) && id !== '') this.#detailsById.set(id, toCardDetails(item))
    }
  }

  #addDocuments(response: unknown): void {
    const { value, omittedEntryCount } = readResponse('studySets.documents', response)
    const ids = (value?.documents ?? []).map(({ bookmd5 }) => bookmd5)
    this.#documents = [...new Map(ids.map((id) => [toKey(id), id])).values()]
    // A document that cannot be named keeps its excerpts from being complete.
    const unnamed = value ? omittedEntryCount : 1
    this.#excerpts = { documents: 0, total: this.#documents.length + unnamed }
  }

  #addExcerpts(response: unknown, document: string): void {
    const { value, omittedEntryCount } = readResponse('documents.excerpts', response)
    if (!value || !this.#excerpts) return
    this.#excerptCount += value.items.length
    const isWhole = value.truncated !== true && omittedEntryCount === 0 && this.#excerptCount <= MAX_EXCERPTS
    if (!isWhole) return
    this.#excerpts = { ...this.#excerpts, documents: this.#excerpts.documents + 1 }
    for (const { cardNoteId, topicid, ...members } of value.items) {
      const isOfOtherSet = typeof topicid === 'string' && topicid !== '' && toKey(topicid) !== toKey(this.topicid)
      const id = cardNoteId || members.noteid
      if (isOfOtherSet || typeof id !== 'string' || id === '') continue
      const excerpt = sortMembers({ bookmd5: document, ...members })
      const list = this.#excerptsByCard.get(toKey(id))
      if (list) list.push(excerpt)
      else this.#excerptsByCard.set(toKey(id), [excerpt])
    }
  }

  /** The listing with what was read about its cards until now. */
  end(): ReadListing {
    const listing = this.#listing
    const gaps: SnapshotGap[] = [...listing.gaps]
    if (this.#isRestarted && !gaps.includes('restarted')) gaps.push('restarted')
    const excerpts = this.#excerpts
    const facts = { excerpts, palette: this.#palette, gaps, endedAt: this.#endedAt }
    const pages = listing.pages + this.#additionCount
    const hasExcerpts = hasAllExcerpts({ excerpts })
    if (this.#detailsById.size === 0 && !hasExcerpts) return { ...listing, ...facts, pages }
    let detailed = 0
    const { forest } = listing
    const contents = forest.contents.map((listed, index) => {
      let content = listed
      const details = this.#detailsById.get(forest.ids[index] ?? '')
      if (details) {
        detailed += 1
        content = appendMember(content, DETAILS_MEMBER, details)
      }
      const cardExcerpts = hasExcerpts ? this.#excerptsByCard.get(toKey(forest.ids[index] ?? '')) : undefined
      return cardExcerpts ? appendMember(content, EXCERPTS_MEMBER, sortExcerpts(cardExcerpts)) : content
    })
    const detailedForest = { ...buildForest({ ...forest, contents }), anomalies: forest.anomalies }
    return { ...listing, ...facts, pages, detailed, hash: getForestHash(detailedForest), forest: detailedForest }
  }
}

const sortMembers = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).sort(([first], [second]) => (first < second ? -1 : 1)))

/** A host may list the same excerpts in another order. */
function sortExcerpts(excerpts: readonly Record<string, unknown>[]): readonly Record<string, unknown>[] {
  if (excerpts.length === 1) return excerpts
  const toPlace = (excerpt: Record<string, unknown>): readonly number[] =>
    (['page', 'startpos'] as const).map((name) => Number(excerpt[name]) || 0)
  const entries = excerpts.map((excerpt) => ({ excerpt, place: toPlace(excerpt), text: JSON.stringify(excerpt) }))
  entries.sort(
    (first, second) =>
      (first.place[0] ?? 0) - (second.place[0] ?? 0) ||
      (first.place[1] ?? 0) - (second.place[1] ?? 0) ||
      (first.text < second.text ? -1 : 1),
  )
  return entries.map(({ excerpt }) => excerpt)
}

/** @returns null if the response has no complete palette */
function parsePalette(response: unknown): SnapshotPalette | null {
  const { value, omittedEntryCount } = readResponse('studySets.palette', response)
  if (!value || omittedEntryCount > 0 || (value.count ?? 0) > value.colors.length) return null
  const levels = new Map<number, SnapshotPalette['levels'][number]>()
  for (const { colorIndex, baseColor, displayColor } of value.colors) {
    const level = { colorIndex, base: formatColor(baseColor), display: formatColor(displayColor) }
    if (!levels.has(colorIndex)) levels.set(colorIndex, level)
  }
  const palette = {
    appearance: typeof value.appearance === 'string' ? value.appearance : null,
    levels: [...levels.values()].sort((first, second) => first.colorIndex - second.colorIndex),
  }
  return snapshotPaletteSchema.safeParse(palette).data ?? null
}

function formatColor({ hex, rgba }: PaletteColor['baseColor']): string {
  const alpha = Math.round(Math.max(0, rgba.a) * 255)
  return `${hex}${rgba.a >= 1 ? '' : alpha.toString(16).padStart(2, '0')}`.toUpperCase()
}
