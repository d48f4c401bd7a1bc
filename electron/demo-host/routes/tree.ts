import { documentedLimits } from '../../../shared/bridge/documented-limits.ts'
import { isGeneratedStudySet, getTree, type DemoState, type RouteTable } from '../state/context.ts'
import type { TreeSource } from '../library/tree-source.ts'
import { API_VERSION, createParameterError, DemoError, createJsonReply } from '../state/reply.ts'
import { collectNoteIdsByTag } from './hashtags.ts'

interface Listing {
  readonly topicid: string
  readonly root: string
  readonly sort: string
}

const encodeCursor = (position: number, listing: Listing): string =>
  Buffer.from(JSON.stringify([position, listing.topicid, listing.root, listing.sort])).toString('base64url')

/** @throws 422 for a cursor of a different listing. */
function decodeCursor(text: string, listing: Listing, total: number): number {
  const position = parsePosition(text)
  if (position === null || position < 1 || position > total || encodeCursor(position, listing) !== text) {
    throw createParameterError('cursor', 'does not belong to this listing.')
  }
  return position
}

function parsePosition(text: string): number | null {
  try {
    const [position] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[]
    return Number.isInteger(position) ? (position as number) : null
  } catch {
    return null
  }
}

/** Indexes of a listing's cards in the requested order. @throws NOTE_NOT_FOUND for the root */
function getSequence(state: DemoState, tree: TreeSource, { topicid, root, sort }: Listing) {
  let from = 0
  let to = tree.count
  if (root !== '') {
    from = tree.findIndex(root)
    if (from < 0) throw new DemoError(404, 'NOTE_NOT_FOUND', 'There is no such root card in this study set.')
    to = tree.getSubtreeEnd(from)
  }
  if (sort !== 'document') return { total: to - from, at: (n: number) => from + n }
  let order = isGeneratedStudySet(state, topicid) ? state.documentOrders.get(topicid) : undefined
  if (!order) {
    order = tree.getDocumentOrder()
    if (isGeneratedStudySet(state, topicid)) state.documentOrders.set(topicid, order)
  }
  const part = root === '' ? order : order.filter((index) => index >= from && index < to)
  return { total: part.length, at: (n: number) => part[n] ?? 0 }
}

/** @see spec §2 Mind-map tree, §4 card listing */
export const treeRoutes = {
  'studySets.tree'(state, { params, query }) {
    const topicid = params['topicid'] ?? ''
    const tree = getTree(state, topicid)
    const { root = '', sort = '' } = query
    const listing = { topicid, root, sort }
    const limit = Number(query['limit'] ?? documentedLimits.treeLimit.default)
    const { total, at } = getSequence(state, tree, listing)
    const reachable = Math.min(total, state.walkLimit)
    const start = query['cursor'] === undefined ? 0 : decodeCursor(query['cursor'], listing, reachable)
    const end = Math.min(start + limit, reachable)
    const nodes: string[] = []
    for (let n = start; n < end; n += 1) nodes.push(tree.toNodeJson(at(n), sort === 'document'))
    const isWalkLimitReached = total > state.walkLimit
    const hasMore = end < reachable
    const closingMembers = {
      nextCursor: hasMore ? encodeCursor(end, listing) : null,
      truncation: hasMore || isWalkLimitReached,
      walkLimitReached: isWalkLimitReached,
      truncated: hasMore || isWalkLimitReached,
      ...(sort === '' ? {} : { sort }),
      ...(query['withNotes'] === '1' ? { hashtags: Object.fromEntries(collectNoteIdsByTag(state, topicid)) } : {}),
      bridgeApiVersion: API_VERSION,
    }
    const text = `{"topicid":${JSON.stringify(topicid)},"nodeTotal":${tree.count},"nodes":[${nodes.join(',')}],${JSON.stringify(closingMembers).slice(1)}`
    return { kind: 'json', status: 200, text }
  },

  'studySets.subMaps'(state, { params }) {
    const tree = getTree(state, params['topicid'])
    const subMaps: object[] = []
    for (let index = 0; index < tree.count; index += 1) {
      if (!tree.isSubMap(index)) continue
      const parentPath: string[] = []
      for (let up = tree.getParent(index); up >= 0; up = tree.getParent(up)) parentPath.unshift(tree.getTitle(up))
      subMaps.push({
        noteid: tree.getNoteid(index),
        title: tree.getTitle(index),
        cardCount: tree.getSubtreeEnd(index) - index,
        parentPath,
        depth: tree.getDepth(index),
      })
    }
    return createJsonReply({ subMaps })
  },
} satisfies RouteTable
