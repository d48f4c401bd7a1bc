import { getLimit } from '../../shared/bridge/host-limits.ts'
import { CursorTrail, nextCursorIn, queryAt } from '../../shared/bridge/listing-cursor.ts'
import { AppError } from '../../shared/errors.ts'
import { getMember } from '../../shared/json/object.ts'
import type { ConnectedSession } from '../base/session.ts'
import { parseResponseList, type JsonEntry } from './response-list.ts'

interface TreePage {
  readonly entries: readonly JsonEntry[]
  /** How many cards the host says there are. */
  readonly total: number | null
  readonly problemCount: number
  /** The host gave up counting: the listing is not complete, also after its last page (spec §2 `walkLimitReached`). */
  readonly isWalkLimited: boolean
  /** The last page says that there is more, but not where it begins. */
  readonly isCutOff: boolean
  /** The order that the host says it used: only if one was asked for (spec §2). */
  readonly sort: string | null
}

interface Asked {
  readonly topicid: string
  /** Root card of a sub-map. */
  readonly root?: string | undefined
  readonly sort?: 'document' | undefined
  readonly limit?: number | undefined
}

/**
 * The card listing page by page (spec §4). One page is held at a time, and the next is already under way. Throws `LISTING_ENDLESS` if the
 * host leads in a circle or sends only empty pages, and what a read throws.
 */
export async function* readTreePages(
  { call }: ConnectedSession,
  { topicid, root, sort, limit }: Asked,
): AsyncGenerator<TreePage> {
  const { treePageSize, treeEmptyPages } = await call('settings.get', {})
  const { max } = getLimit(await call('bridge.limits', {}), 'studySets.tree', 'limit')
  const query = {
    limit: limit ?? Math.min(treePageSize, max ?? treePageSize),
    ...(root === undefined ? {} : { root }),
    ...(sort === undefined ? {} : { sort }),
  }
  const trail = new CursorTrail(null)
  let empty = 0
  let cursor: string | null = null
  do {
    const { bytes } = await call('bridge.read', {
      endpoint: 'studySets.tree',
      params: { topicid },
      query: queryAt(query, cursor),
      readAhead: true,
    })
    const {
      entries,
      value,
      problemCount: problems,
      isTruncated: truncated,
    } = parseResponseList('studySets.tree', new Uint8Array(bytes))
    const total = getMember(value, 'nodeTotal')
    empty = entries.length === 0 ? empty + 1 : 0
    cursor = nextCursorIn(value)
    const way = trail.follow(cursor)
    if (way === 'looped' || (way === 'next' && empty > treeEmptyPages)) throw endless()
    yield {
      entries,
      total: typeof total === 'number' ? total : null,
      problemCount: problems,
      isWalkLimited: getMember(value, 'walkLimitReached') === true,
      isCutOff: truncated && cursor === null,
      sort: textOrNull(getMember(value, 'sort')),
    }
  } while (cursor !== null)
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const endless = (): AppError =>
  new AppError({
    kind: 'malformed',
    code: 'LISTING_ENDLESS',
    message: 'The host’s listing does not end: it leads back to a page that was read, or sends only empty ones.',
    retryable: false,
  })
