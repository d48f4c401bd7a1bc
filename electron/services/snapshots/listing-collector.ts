import { hash } from 'node:crypto'
import { NodeIdNormalizer } from '../../../shared/bridge/node-ids.ts'
import { getNextCursor } from '../../../shared/bridge/listing-cursor.ts'
import { getMember } from '../../../shared/json/object.ts'
import { BoundedMap } from '../../core/protocol/rule-state.ts'
import { ListedCardParser } from '../../../shared/snapshots/card-content.ts'
import { ForestBuilder, getForestHash, type Forest } from '../../../shared/snapshots/forest.ts'
import type { SnapshotGap, SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import type { Origin } from '../../../shared/traffic/exchange.ts'

/** One page of a card listing that a host returned, already without tokens. */
export interface ObservedPage {
  readonly topicid: string
  readonly host: string
  readonly instance: string | null
  readonly origin: Origin
  readonly root: string
  readonly sort: string
  /** Null for the first page. */
  readonly cursor: string | null
  readonly startedAt: number
  readonly endedAt: number
  readonly bytes: Uint8Array
}

/** A listing that was read to its end, or as far as it will be. */
export interface ReadListing extends Pick<SnapshotInfo, 'excerpts' | 'palette'> {
  readonly topicid: string
  readonly host: string
  readonly origin: Origin
  readonly startedAt: number
  readonly endedAt: number
  /** The process of the host that sent the last page; null if it does not say. */
  readonly instance: string | null
  readonly pages: number
  /** Number of cards whose details were read. */
  readonly detailed: number
  readonly hostCount: number | null
  readonly gaps: readonly SnapshotGap[]
  readonly isInTreeOrder: boolean
  readonly members: readonly string[]
  readonly hash: string
  /** Built when it is first read if the listing equals an earlier one. */
  readonly forest: Forest
}

/** A listing that was read to its end, by which another one with equal pages is known. */
interface EndedListing {
  readonly listing: Omit<ReadListing, 'forest'>
  readonly pages: readonly ListedPage[]
}

interface ListedPage {
  readonly cursor: string | null
  readonly hash: string
}

interface PendingListing {
  readonly first: ObservedPage
  readonly builder: ForestBuilder
  readonly naming: NodeIdNormalizer
  readonly parser: ListedCardParser
  readonly instances: Set<string>
  readonly hostCounts: Set<number>
  /** Pages that arrived before those that lead to them, by their cursor. */
  readonly early: Map<string, ObservedPage>
  /** Null once a page differs from that of the earlier listing. */
  earlier: EndedListing | null
  /** Pages that equal those of the earlier listing, and are not parsed. */
  repeatedPages: readonly ObservedPage[]
  repeatedBytes: number
  readonly pages: ListedPage[]
  nextCursor: string | null
  unreadable: number
  endedAt: number
  isWalkLimited: boolean
  isTruncated: boolean
}

/** More listings are begun than are ever ended, so the oldest ones are dropped. */
const MAX_PENDING_LISTINGS = 6
const MAX_EARLY_PAGES = 8
const MAX_ENDED_LISTINGS = 20
/** Pages beyond this size are parsed, so that their memory is free. */
const MAX_REPEATED_BYTES = 64 * 1024 * 1024
const MAX_PENDING_CARDS = 3_000_000

/** Joins pages by the cursors that one caller received from one host (spec §2 mind-map tree). */
export class ListingCollector {
  readonly #pendingListings = new Map<string, PendingListing>()
  readonly #endedListings = new BoundedMap<EndedListing>(MAX_ENDED_LISTINGS)

  /** Returns the listing if this page ends it. `isRequested`: needed at once, even if known. */
  observePage(page: ObservedPage, isRequested = false): ReadListing | null {
    const key = toListingKey(page)
    const requestKey = toRequestKey(page)
    if (page.cursor === null) {
      const earlier = isRequested ? undefined : this.#endedListings.get(requestKey)
      this.#pendingListings.delete(key)
      this.#pendingListings.set(key, createListing(page, earlier))
      this.#dropOldest()
    }
    const listing = this.#pendingListings.get(key)
    if (!listing) return null
    if (page.cursor !== null && page.cursor !== listing.nextCursor) {
      if (listing.early.size < MAX_EARLY_PAGES) listing.early.set(page.cursor, page)
      return null
    }
    for (let next: ObservedPage | undefined = page; next; next = takeEarly(listing)) {
      if (!addPage(listing, next)) {
        this.#pendingListings.delete(key)
        return null
      }
    }
    if (listing.nextCursor !== null) return null
    this.#pendingListings.delete(key)
    if (listing.earlier && listing.instances.size <= 1) return repeatListing(listing, listing.earlier)
    const { forest, ...facts } = endListing(listing, [])
    if (listing.instances.size <= 1) this.#endedListings.set(requestKey, { listing: facts, pages: listing.pages })
    return { ...facts, forest }
  }

  /** Ends the caller's listing for the reason `gap`; null if none of its pages has arrived. */
  end(caller: string, gap: SnapshotGap): ReadListing | null {
    for (const [key, listing] of this.#pendingListings) {
      if (listing.first.origin.caller !== caller) continue
      this.#pendingListings.delete(key)
      return listing.pages.length === 0 ? null : endListing(listing, [gap])
    }
    return null
  }

  /** @returns how much of a listing has been read; null if it has ended or never began */
  getProgress(page: ObservedPage): { readonly count: number; readonly total: number | null } | null {
    const listing = this.#pendingListings.get(toListingKey(page))
    if (!listing) return null
    const [total = null] = listing.hostCounts
    return { count: listing.builder.count, total }
  }

  #dropOldest(): void {
    const countCards = (): number =>
      [...this.#pendingListings.values()].reduce((sum, { builder }) => sum + builder.count, 0)
    while (this.#pendingListings.size > 1) {
      if (this.#pendingListings.size <= MAX_PENDING_LISTINGS && countCards() <= MAX_PENDING_CARDS) return
      const [oldest] = this.#pendingListings.keys()
      if (oldest !== undefined) this.#pendingListings.delete(oldest)
    }
  }
}

const toRequestKey = ({ topicid, host, root, sort }: ObservedPage): string =>
  JSON.stringify([host, topicid, root, sort])

const toListingKey = (page: ObservedPage): string => {
  const { kind, caller, label, load = 0 } = page.origin
  return JSON.stringify([toRequestKey(page), kind, caller ?? label, load])
}

const createListing = (first: ObservedPage, earlier: EndedListing | null = null): PendingListing => ({
  first,
  builder: new ForestBuilder(),
  naming: new NodeIdNormalizer(),
  parser: new ListedCardParser(),
  instances: new Set(),
  hostCounts: new Set(),
  early: new Map(),
  earlier,
  repeatedPages: [],
  repeatedBytes: 0,
  pages: [],
  nextCursor: null,
  unreadable: 0,
  endedAt: first.endedAt,
  isWalkLimited: false,
  isTruncated: false,
})

function takeEarly(listing: PendingListing): ObservedPage | undefined {
  if (listing.nextCursor === null) return undefined
  const page = listing.early.get(listing.nextCursor)
  listing.early.delete(listing.nextCursor)
  return page
}

/** @returns false if the page is no page of a listing */
function addPage(listing: PendingListing, page: ObservedPage): boolean {
  const { earlier, pages } = listing
  const listedPage = { cursor: page.cursor, hash: hash('sha256', page.bytes) }
  const index = pages.length
  pages.push(listedPage)
  listing.endedAt = Math.max(listing.endedAt, page.endedAt)
  if (page.instance !== null) listing.instances.add(page.instance)
  listing.repeatedBytes += page.bytes.byteLength
  if (earlier?.pages[index]?.hash === listedPage.hash && listing.repeatedBytes <= MAX_REPEATED_BYTES) {
    listing.repeatedPages = [...listing.repeatedPages, page]
    listing.nextCursor = earlier.pages[index + 1]?.cursor ?? null
    return true
  }
  readRepeatedPages(listing)
  return readPage(listing, page)
}

function readRepeatedPages(listing: PendingListing): void {
  const pages = listing.repeatedPages
  listing.earlier = null
  listing.repeatedPages = []
  for (const page of pages) readPage(listing, page)
}

/** @returns false if the page is no page of a listing */
function readPage(listing: PendingListing, page: ObservedPage): boolean {
  const value = parsePage(page.bytes)
  const nodes = getMember(value, 'nodes')
  if (!Array.isArray(nodes)) return false
  for (const node of listing.naming.nameNodes(nodes) ?? nodes) {
    const card = listing.parser.parse(node)
    // A host may name the study set as the parent of a root.
    const parentId = card?.parentId === listing.first.topicid ? '' : (card?.parentId ?? '')
    if (card) listing.builder.add(card.noteid, parentId, card.content)
    else listing.unreadable += 1
  }
  const total = getMember(value, 'nodeTotal')
  // The host counts the whole tree (spec §2), which says nothing about one sub-map.
  if (listing.first.root === '' && typeof total === 'number' && Number.isInteger(total) && total >= 0)
    listing.hostCounts.add(total)
  listing.isWalkLimited ||= getMember(value, 'walkLimitReached') === true
  listing.isTruncated = getMember(value, 'truncated') === true
  listing.nextCursor = getNextCursor(value)
  return true
}

/** @returns null for what is no JSON */
export function parsePage(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown
  } catch {
    return null
  }
}

/** Its cards are not parsed, unless somebody reads them. */
function repeatListing(listing: PendingListing, earlier: EndedListing): ReadListing {
  const { first, endedAt, instances } = listing
  let forest: Forest | null = null
  return {
    ...earlier.listing,
    origin: first.origin,
    startedAt: first.startedAt,
    endedAt,
    instance: [...instances].at(-1) ?? null,
    get forest() {
      if (forest === null) readRepeatedPages(listing)
      forest ??= listing.builder.build()
      return forest
    },
  }
}

function endListing(listing: PendingListing, endGaps: readonly SnapshotGap[]): ReadListing {
  readRepeatedPages(listing)
  const { first, builder, parser, hostCounts, instances } = listing
  const [hostCount = null] = hostCounts
  const gaps: SnapshotGap[] = [...endGaps]
  if (first.root !== '') gaps.push('subMap')
  if (listing.isWalkLimited) gaps.push('walkLimit')
  const isShort = listing.isTruncated || builder.count + listing.unreadable < (hostCount ?? 0)
  // Both other reasons say already that there are more cards.
  if (isShort && !listing.isWalkLimited && endGaps.length === 0) gaps.push('fewer')
  if (listing.unreadable > 0) gaps.push('unreadable')
  if (instances.size > 1) gaps.push('restarted')
  if (hostCounts.size > 1) gaps.push('changed')
  const forest = builder.build()
  return {
    topicid: first.topicid,
    host: first.host,
    origin: first.origin,
    startedAt: first.startedAt,
    endedAt: listing.endedAt,
    instance: [...instances].at(-1) ?? null,
    pages: listing.pages.length,
    detailed: 0,
    excerpts: null,
    palette: null,
    hostCount,
    gaps,
    isInTreeOrder: first.sort === '',
    members: [...parser.members].sort(),
    hash: getForestHash(forest),
    forest,
  }
}
