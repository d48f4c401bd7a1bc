import { getMember } from '../../../../shared/json/object.ts'
import { takeLast, BoundedMap, type CallerMemory, type RuleContext, type RuleState } from '../rule-state.ts'
import {
  isSuccess,
  isRefused,
  getTextMember,
  type ObservedExchange,
  isWrite,
  getNamedIds,
} from '../observed-exchange.ts'

interface Listing {
  readonly topicid: string
  readonly instance: string | null
  /** The `seq` of the pages since the start of the listing, oldest first. */
  pages: number[]
  /** Cursors that the host issued, with the number of times that each may still be used. */
  readonly issuedCursors: Map<string, number>
  nextCursor: string | null
  end: number
  /** True if the host stopped listing cards before the end. */
  isLimited: boolean
  /** No mistake: one page suffices for `nodeTotal` (spec §2), and a cancelled one is not needed. */
  isExcused: boolean
  /** A write to a card of the study set that no page contained, while further pages may follow. */
  write: { readonly seq: number; readonly id: string } | null
  reported: string | null
  /** The last page that was read successfully. */
  lastPage: { readonly cursor: string | undefined; readonly end: number } | null
  /** True if the caller went on after a stop: a person scrolls, so that it may stop again. */
  isPagedByHand: boolean
}

/** A faulty program requests the same page again at once; a person returns later. */
const SAME_PAGE_MS = 2_000
const MAX_ISSUED_CURSORS = 5_000
const MAX_PAGES = 200
/** After this many reads, it is no longer known which cards their responses named. */
const MAX_OTHER_READS = 200
/** The rule remembers at most this many cards of one read. */
const MAX_READ_ALONE = 500

/** How one load pages through cards (spec §2 mind-map tree, §4 card listing). */
export function createListingRule(memory: CallerMemory): RuleState {
  const listings = new BoundedMap<Listing>(50)
  /** Cards that were read individually and not from the listing. */
  const readAlone = new BoundedMap<true>(5_000)
  /** The `seq` of the other reads, any of which may name a card, such as the focused one. */
  let otherReads: number[] = []

  function observePage(exchange: ObservedExchange, context: RuleContext): void {
    const topicid = exchange.params['topicid'] ?? ''
    const bare = exchange.path.split('?', 1)[0] ?? ''
    const key = [bare, exchange.query.get('root') ?? '', exchange.query.get('sort') ?? ''].join('\n')
    const cursor = exchange.query.get('cursor')
    const previousListing = listings.get(key)
    if (previousListing && !isSameRun(previousListing, exchange)) listings.delete(key)
    const existingListing = previousListing && isSameRun(previousListing, exchange) ? previousListing : undefined
    if (cursor !== undefined && existingListing) checkCursor(cursor, existingListing, exchange, context)
    if (!isSuccess(exchange)) {
      if (existingListing) existingListing.isExcused = true
      return
    }
    if (exchange.response === undefined) {
      memory.hasUnknownCursors = true
      return void listings.delete(key)
    }
    const listing: Listing =
      cursor !== undefined && existingListing
        ? existingListing
        : {
            topicid,
            instance: exchange.instance,
            pages: [],
            issuedCursors: existingListing?.issuedCursors ?? new Map<string, number>(),
            nextCursor: null,
            end: 0,
            isLimited: false,
            isExcused: false,
            write: null,
            reported: null,
            lastPage: null,
            isPagedByHand: false,
          }
    if (cursor !== undefined && listing.reported !== null) {
      context.withdraw(listing.reported)
      listing.isPagedByHand = true
    }
    listing.reported = null
    // Paging continues, so the listing was not abandoned.
    listing.write = null
    listing.pages = takeLast([...listing.pages, exchange.seq], MAX_PAGES)
    listing.end = exchange.endedAt
    listing.lastPage = { cursor, end: exchange.endedAt }
    listing.nextCursor = getTextMember(exchange.response, 'nextCursor')
    listing.isLimited = getMember(exchange.response, 'walkLimitReached') === true
    if (isLastPage(exchange) && !listing.isLimited && exchange.query.get('root') === undefined)
      memory.addCompleteTopic(toTopicKey(listing))
    listing.isExcused = exchange.query.get('limit') === '1'
    if (listing.nextCursor !== null) memory.addCursor(listing.nextCursor)
    if (listing.nextCursor !== null && listing.issuedCursors.size < MAX_ISSUED_CURSORS) {
      listing.issuedCursors.set(listing.nextCursor, (listing.issuedCursors.get(listing.nextCursor) ?? 0) + 1)
    }
    listings.set(key, listing)
    // At the walk limit, callers continue with sub-maps.
    if (exchange.query.get('root') !== undefined) {
      for (const otherListing of listings.values())
        if (otherListing.topicid === topicid && otherListing.isLimited) otherListing.isExcused = true
    }
  }

  /**
   * Checks a sent cursor. Each page that contains a cursor allows one use of the cursor. A failed
   * use does not count, and one repetition is excused when paging continues after a stop.
   */
  function checkCursor(cursor: string, listing: Listing, exchange: ObservedExchange, context: RuleContext): void {
    const remainingUses = listing.issuedCursors.get(cursor)
    const first = listing.pages[0] ?? exchange.seq
    if (remainingUses === undefined) {
      // The page may have kept the cursor over a reload, or got it from a different tab.
      if (memory.hasUnknownCursors || memory.hasCursor(cursor)) return
      const isRefusedHere = context.isRecordingComplete && isRefused(exchange) && isCursorFault(exchange)
      if (isRefusedHere || context.isCallerComplete) {
        context.report('cursor-invented', [first, exchange.seq].slice(first === exchange.seq ? 1 : 0), {
          cursor,
          how: 'invented',
        })
      }
    } else if (isSuccess(exchange)) {
      // A caller that stops and continues reads the interrupted page again; after the last page
      // there is nothing to continue. Pages of this program read more than they show and continue
      // where they stopped.
      const isSamePageAgain =
        listing.lastPage?.cursor === cursor && exchange.startedAt - listing.lastPage.end < SAME_PAGE_MS
      if (
        exchange.origin.kind !== 'place' &&
        isSamePageAgain &&
        (remainingUses < 0 || (remainingUses === 0 && listing.nextCursor === null))
      ) {
        context.report('cursor-invented', [...takeLast(listing.pages, 2), exchange.seq], { cursor, how: 'reused' })
      }
      listing.issuedCursors.set(cursor, remainingUses - 1)
    }
  }

  function observeWrite(exchange: ObservedExchange, context: RuleContext): void {
    const ids = getNamedIds(exchange)
    for (const listing of listings.values()) {
      // A change of the data is a good reason to read a page again.
      for (const [cursor, remainingUses] of listing.issuedCursors)
        if (remainingUses <= 0) listing.issuedCursors.set(cursor, 1)
      if (listing.isExcused || listing.write || (listing.nextCursor === null && !listing.isLimited)) continue
      if (memory.isTopicComplete(toTopicKey(listing))) continue
      if (!isSameRun(listing, exchange) || exchange.startedAt < listing.end) continue
      // Without the study set, nothing shows that the listing would have contained the card.
      if (!ids.topics.includes(listing.topicid)) continue
      const id = ids.cards.find((card) => !readAlone.get(card) && isInNoPage(card, listing.topicid, context))
      if (id === undefined) continue
      listing.write = { seq: exchange.seq, id }
      if (listing.nextCursor === null) reportIncompleteListing(listing, context)
    }
  }

  /** Returns true only if it is certain that no response contained the card. */
  function isInNoPage(card: string, topicid: string, context: RuleContext): boolean {
    const isAbsent = (seq: number): boolean => context.responseContains(seq, card) === false
    if (otherReads.length >= MAX_OTHER_READS || !otherReads.every(isAbsent)) return false
    return [...listings.values()]
      .filter((listing) => listing.topicid === topicid)
      .every(({ pages }) => pages.length < MAX_PAGES && pages.every(isAbsent))
  }

  function reportIncompleteListing(listing: Listing, context: RuleContext): void {
    if (!listing.write) return
    const { topicid } = listing
    const params = {
      topicid,
      id: listing.write.id,
      why: listing.nextCursor === null ? 'walkLimitReached' : 'truncated',
    }
    const seqs = [...takeLast(listing.pages, 45), listing.write.seq]
    listing.reported = context.report('incomplete-listing-then-write', seqs, params)
    // The mistake is reported once per listing.
    listing.isExcused = true
  }

  /** A card that was read individually does not depend on the progress of the listing. */
  function observeRead(exchange: ObservedExchange): void {
    // Sub-maps are parts of the listing that are read by their root cards (spec §4).
    if (exchange.endpoint !== 'studySets.subMaps') otherReads = takeLast([...otherReads, exchange.seq], MAX_OTHER_READS)
    const { cards } = getNamedIds(exchange)
    for (const card of cards.slice(0, MAX_READ_ALONE)) readAlone.set(card, true)
    for (const listing of listings.values()) if (listing.write && cards.includes(listing.write.id)) listing.write = null
  }

  return {
    observe(exchange, context) {
      if (exchange.endpoint === 'studySets.tree') observePage(exchange, context)
      else if (!isSuccess(exchange)) return
      else if (isWrite(exchange)) observeWrite(exchange, context)
      else observeRead(exchange)
    },
    observeSibling(exchange, context) {
      if (exchange.endpoint !== 'studySets.tree' && isSuccess(exchange) && !isWrite(exchange)) observeRead(exchange)
      const cursor = exchange.query.get('cursor')
      if (exchange.endpoint !== 'studySets.tree' || cursor === undefined) return
      for (const listing of listings.values()) {
        if (listing.nextCursor !== cursor) continue
        if (listing.reported !== null) context.withdraw(listing.reported)
        listing.reported = null
        listing.isExcused = true
      }
    },
    isOwing: () =>
      [...listings.values()].some(({ nextCursor, write, isExcused }) => nextCursor !== null && write && !isExcused),
    checkOverdue(context) {
      for (const listing of listings.values()) {
        const { nextCursor: next, pages, topicid } = listing
        if (
          next === null ||
          listing.isExcused ||
          listing.isPagedByHand ||
          memory.isTopicComplete(toTopicKey(listing)) ||
          listing.reported !== null ||
          !context.isOverdue(listing.end)
        )
          continue
        if (listing.write) reportIncompleteListing(listing, context)
        // A page that has ended may not have needed the other pages.
        else if (!context.hasEnded)
          listing.reported = context.report('paging-stopped', takeLast(pages), { topicid, cursor: next })
      }
    },
  }
}

/** The refusal is about the cursor, and not the token, the study set or a busy host. */
const isCursorFault = ({ status, code }: ObservedExchange): boolean =>
  /CURSOR/.test(code ?? '') ||
  ((status === 400 || status === 410 || status === 422) && !/^(?:CONFIRM|UNAUTHORIZED)/.test(code ?? ''))

/** Returns whether the host said that no further page exists. */
const isLastPage = ({ response }: ObservedExchange): boolean =>
  getMember(response, 'nextCursor') === null || getMember(response, 'truncated') === false

const toTopicKey = ({ instance, topicid }: Listing): string => JSON.stringify([instance, topicid])

const isSameRun = (listing: Listing, exchange: ObservedExchange): boolean =>
  listing.instance === null || exchange.instance === null || listing.instance === exchange.instance
