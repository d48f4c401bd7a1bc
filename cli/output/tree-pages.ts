import { getLimit } from '../../shared/bridge/host-limits.ts'
import { CursorTrail, getNextCursor, withCursor } from '../../shared/bridge/listing-cursor.ts'
import type { NodeNaming } from '../../shared/bridge/node-ids.ts'
import { AppError } from '../../shared/errors.ts'
import { getMember } from '../../shared/json/object.ts'
import type { ConnectedSession } from '../base/session.ts'
import { parseJson, readResponseList, type JsonEntry } from './response-list.ts'

interface TreePage {
  readonly entries: readonly JsonEntry[]
  /** Number of cards according to the host. */
  readonly total: number | null
  readonly problemCount: number
  /** The host stopped counting: even the last page is not the end (spec §2 `walkLimitReached`). */
  readonly isWalkLimited: boolean
  /** The last page has no cursor although it says that there are more cards. */
  readonly isCutOff: boolean
  /** The order that the host reports, only if an order was requested (spec §2). */
  readonly sort: string | null
}

interface TreeRequest {
  readonly topicid: string
  /** The root card of the sub-map at which the listing starts. */
  readonly root?: string | undefined
  readonly sort?: 'document' | undefined
  readonly limit?: number | undefined
}

/**
 * Keeps one page in memory while the next page is requested (spec §4).
 * @param naming learns from the first page which member of the nodes holds their ids
 * @throws SHAPE_UNKNOWN when no member is known to hold them; LISTING_ENDLESS when the host's
 *   cursors form a circle or the host sends only empty pages; and the errors of a read
 */
export async function* readTreePages(
  { call }: ConnectedSession,
  { topicid, root, sort, limit }: TreeRequest,
  naming: NodeNaming,
): AsyncGenerator<TreePage> {
  const { treePageSize, treeEmptyPages } = await call('settings.get', {})
  const { max } = getLimit(await call('bridge.limits', {}), 'studySets.tree', 'limit')
  const query = {
    limit: limit ?? Math.min(treePageSize, max ?? treePageSize),
    ...(root === undefined ? {} : { root }),
    ...(sort === undefined ? {} : { sort }),
  }
  const trail = new CursorTrail(null)
  let emptyPages = 0
  let cursor: string | null = null
  do {
    const { bytes } = await call('bridge.read', {
      endpoint: 'studySets.tree',
      params: { topicid },
      query: withCursor(query, cursor),
      readAhead: true,
    })
    const page = new Uint8Array(bytes)
    const { entries, value, problemCount, isTruncated } = readResponseList(
      'studySets.tree',
      page,
      naming.namePage(parseJson(page)),
    )
    const total = getMember(value, 'nodeTotal')
    emptyPages = entries.length === 0 ? emptyPages + 1 : 0
    cursor = getNextCursor(value)
    const step = trail.follow(cursor)
    if (step === 'looped' || (step === 'next' && emptyPages > treeEmptyPages)) throw createEndlessError()
    yield {
      entries,
      // The host counts the whole tree (spec §2), which says nothing about one sub-map.
      total: typeof total === 'number' && root === undefined ? total : null,
      problemCount,
      isWalkLimited: getMember(value, 'walkLimitReached') === true,
      isCutOff: isTruncated && cursor === null,
      sort: toTextOrNull(getMember(value, 'sort')),
    }
  } while (cursor !== null)
}

const toTextOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const createEndlessError = (): AppError =>
  new AppError({
    kind: 'malformed',
    code: 'LISTING_ENDLESS',
    message: 'The host’s listing does not end: it leads back to a page that was read, or sends only empty ones.',
    retryable: false,
  })
