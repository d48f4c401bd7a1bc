import { member } from '../../json/object.ts'
import { lastOf, QUIET_MS, Recent, type CallerMemory, type Scene, type Watch } from '../rule.ts'
import { isOk, isRefused, textAt, type Step, isWrite, namedIds } from '../step.ts'

interface Listing {
  readonly topicid: string
  readonly instance: string | null
  /** Its pages since it was begun, oldest first. */
  pages: number[]
  /** Cursors that were told, and how often each may be used. */
  readonly told: Map<string, number>
  /** Start of the next page; null at the end. */
  next: string | null
  end: number
  /** The host gave up walking before the end. */
  limited: boolean
  /** Whoever asks for one node wants the count (`nodeTotal`, spec §2), and a page that was cancelled was not wanted any more. */
  excused: boolean
  /** A write on its cards while it is not known whether more pages follow. */
  write: { readonly seq: number; readonly id: string } | null
  reported: string | null
  /** The page that was read last with success. */
  last: { readonly cursor: string | undefined; readonly end: number } | null
  /** It was gone on with after a stop: whoever reads on when somebody scrolls may stop again. */
  isPagedByHand: boolean
}

/** A pager that does not move on asks again at once; whoever goes back to a page does so by hand. */
const SAME_PAGE_MS = 2_000
const MOST_TOLD = 5_000
const MOST_PAGES = 200
/** Cards of one read that are remembered. */
const MAX_READ_ALONE = 500

/** Paging of the card listing by one load of a caller (spec §2 mind-map tree, §4 card listing). */
export function watchListing(memory: CallerMemory): Watch {
  const listings = new Recent<Listing>(50)
  /** Cards that were read by themselves. */
  const readAlone = new Recent<true>(5_000)

  function page(step: Step, scene: Scene): void {
    const topicid = step.params['topicid'] ?? ''
    const bare = step.path.split('?', 1)[0] ?? ''
    const key = [bare, step.query.get('root') ?? '', step.query.get('sort') ?? ''].join('\n')
    const cursor = step.query.get('cursor')
    const before = listings.get(key)
    if (before && !sameRun(before, step)) listings.delete(key)
    const known = before && sameRun(before, step) ? before : undefined
    if (cursor !== undefined && known) use(cursor, known, step, scene)
    if (!isOk(step)) {
      if (known) known.excused = true
      return
    }
    if (step.answer === undefined) {
      memory.hasUnknownCursors = true
      return void listings.delete(key)
    }
    const listing: Listing =
      cursor !== undefined && known
        ? known
        : { topicid, instance: step.instance, pages: [], told: known?.told ?? new Map<string, number>(), next: null, end: 0, limited: false, excused: false, write: null, reported: null, last: null, isPagedByHand: false } // prettier-ignore
    if (cursor !== undefined && listing.reported !== null) {
      scene.withdraw(listing.reported)
      listing.isPagedByHand = true
    }
    listing.reported = null
    // The rest is being read: the write may have waited for nothing, but it was not left.
    listing.write = null
    listing.pages = lastOf([...listing.pages, step.seq], MOST_PAGES)
    listing.end = step.end
    listing.last = { cursor, end: step.end }
    listing.next = textAt(step.answer, 'nextCursor')
    listing.limited ||= member(step.answer, 'walkLimitReached') === true
    listing.excused = step.query.get('limit') === '1'
    if (listing.next !== null) memory.addCursor(listing.next)
    if (listing.next !== null && listing.told.size < MOST_TOLD) {
      listing.told.set(listing.next, (listing.told.get(listing.next) ?? 0) + 1)
    }
    listings.set(key, listing)
    // Where the limit is reached, the way on is by sub-maps.
    if (step.query.get('root') !== undefined) {
      for (const whole of listings.values()) if (whole.topicid === topicid && whole.limited) whole.excused = true
    }
  }

  /** Checks a cursor that is sent. One page in which it was told is one time that it may be used; a failed use is none, and going on after a stop is excused once. */
  function use(cursor: string, listing: Listing, step: Step, scene: Scene): void {
    const left = listing.told.get(cursor)
    const first = listing.pages[0] ?? step.seq
    if (left === undefined) {
      // Kept over a reload, or shared with another tab.
      if (memory.hasUnknownCursors || memory.hasCursor(cursor)) return
      const isRefusedHere = scene.unbroken && isRefused(step) && isCursorFault(step)
      if (isRefusedHere || scene.whole) {
        scene.report('cursor-invented', [first, step.seq].slice(first === step.seq ? 1 : 0), {
          cursor,
          how: 'invented',
        })
      }
    } else if (isOk(step)) {
      // Who stops and goes on later reads the page again that was on its way; after the last page there is nothing to go on with.
      // A place of this program reads ahead of what it shows, up to the end, and goes on where it stopped.
      const isAgain = listing.last?.cursor === cursor && step.at - listing.last.end < SAME_PAGE_MS
      if (step.origin.kind !== 'place' && isAgain && (left < 0 || (left === 0 && listing.next === null))) {
        scene.report('cursor-invented', [...lastOf(listing.pages, 2), step.seq], { cursor, how: 'reused' })
      }
      listing.told.set(cursor, left - 1)
    }
  }

  function write(step: Step, scene: Scene): void {
    const ids = namedIds(step)
    for (const listing of listings.values()) {
      // Whatever changed may make reading a page again sensible.
      for (const [cursor, left] of listing.told) if (left <= 0) listing.told.set(cursor, 1)
      if (listing.excused || listing.write || (listing.next === null && !listing.limited)) continue
      if (!sameRun(listing, step) || step.at < listing.end) continue
      const id = ids.cards.find((one) => lastOf(listing.pages).some((seq) => scene.contains(seq, one) === true))
      const named = ids.topics.includes(listing.topicid) ? listing.topicid : id
      if (named === undefined) continue
      // Cards that were read by themselves do not depend on how far the listing was read.
      if (ids.cards.length > 0 && ids.cards.every((card) => readAlone.get(card))) continue
      listing.write = { seq: step.seq, id: id ?? named }
      if (listing.next === null) told(listing, scene)
    }
  }

  function told(listing: Listing, scene: Scene): void {
    if (!listing.write) return
    const { topicid } = listing
    const params = { topicid, id: listing.write.id, why: listing.next === null ? 'walkLimitReached' : 'truncated' }
    scene.report('incomplete-listing-then-write', [...lastOf(listing.pages, 45), listing.write.seq], params)
    // It is told once for a listing.
    listing.excused = true
  }

  /** A card that is read by itself does not depend on how far the listing was read. */
  function read(step: Step): void {
    const { cards } = namedIds(step)
    for (const card of cards.slice(0, MAX_READ_ALONE)) readAlone.set(card, true)
    for (const listing of listings.values()) if (listing.write && cards.includes(listing.write.id)) listing.write = null
  }

  return {
    step(step, scene) {
      if (step.endpoint === 'studySets.tree') page(step, scene)
      else if (!isOk(step)) return
      else if (isWrite(step)) write(step, scene)
      else read(step)
    },
    stepBeside(step, scene) {
      if (step.endpoint !== 'studySets.tree' && isOk(step) && !isWrite(step)) read(step)
      const cursor = step.query.get('cursor')
      if (step.endpoint !== 'studySets.tree' || cursor === undefined) return
      for (const listing of listings.values()) {
        if (listing.next !== cursor) continue
        if (listing.reported !== null) scene.withdraw(listing.reported)
        listing.reported = null
        listing.excused = true
      }
    },
    quiet(scene) {
      for (const listing of listings.values()) {
        const { next, pages, topicid } = listing
        if (
          next === null ||
          listing.excused ||
          listing.isPagedByHand ||
          listing.reported !== null ||
          scene.now - listing.end < QUIET_MS
        )
          continue
        if (listing.write) told(listing, scene)
        else listing.reported = scene.report('paging-stopped', lastOf(pages), { topicid, cursor: next })
      }
    },
  }
}

/** A refusal that can be about the cursor: not about the token, the study set, or how busy the host is. */
const isCursorFault = ({ status, code }: Step): boolean =>
  (status === 400 || status === 410 || status === 422) && !/^(?:CONFIRM|UNAUTHORIZED)/.test(code ?? '')

const sameRun = (one: Listing, step: Step): boolean =>
  one.instance === null || step.instance === null || one.instance === step.instance
