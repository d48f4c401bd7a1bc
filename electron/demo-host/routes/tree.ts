import { limits } from '../../../shared/bridge/limits.ts'
import { isGenerated, setOf, treeOf, type DemoState, type Routes } from '../context.ts'
import type { TreeSource } from '../library/tree-source.ts'
import { API_VERSION, badParameter, DemoError, json } from '../reply.ts'

interface Cursor {
  readonly at: number
  readonly root: string
  readonly sort: string
}

const encode = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** Opaque to callers; one that was made for another listing is refused. */
function decode(text: string, root: string, sort: string): number {
  try {
    const cursor = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Partial<Cursor>
    if (Number.isInteger(cursor.at) && cursor.root === root && cursor.sort === sort) return cursor.at ?? 0
  } catch {
    // Falls through to the one answer for every bad cursor.
  }
  throw badParameter('cursor', 'does not belong to this listing.')
}

/** The indexes that a listing goes through, in its order. */
function sequence(state: DemoState, topicid: string, tree: TreeSource, root: string, sort: string) {
  let from = 0
  let to = tree.count
  if (root !== '') {
    from = tree.indexOf(root)
    if (from < 0) throw new DemoError(404, 'NOTE_NOT_FOUND', 'There is no such root card in this study set.')
    to = tree.subtreeEnd(from)
  }
  if (sort !== 'document') return { total: to - from, at: (n: number) => from + n }
  let order = isGenerated(state, topicid) ? state.orders.get(topicid) : undefined
  if (!order) {
    order = tree.documentOrder()
    if (isGenerated(state, topicid)) state.orders.set(topicid, order)
  }
  const part = root === '' ? order : order.filter((index) => index >= from && index < to)
  return { total: part.length, at: (n: number) => part[n] ?? 0 }
}

/** Cards and study sets as the card listing and its neighbours give them. */
export const treeRoutes: Routes = {
  'studySets.tree'(state, { params, query }) {
    const topicid = params['topicid'] ?? ''
    const tree = treeOf(state, topicid)
    const { root = '', sort = '' } = query
    const limit = Number(query['limit'] ?? limits.treeLimit.default)
    const { total, at } = sequence(state, topicid, tree, root, sort)
    const start = query['cursor'] === undefined ? 0 : decode(query['cursor'], root, sort)
    const reachable = Math.min(total, state.walkLimit)
    const end = Math.min(start + limit, reachable)
    const nodes: string[] = []
    for (let n = start; n < end; n += 1) nodes.push(tree.nodeJson(at(n), sort === 'document'))
    const walkLimitReached = total > state.walkLimit
    const more = end < reachable
    const nextCursor = more ? encode({ at: end, root, sort }) : null
    const rest = {
      nextCursor,
      truncation: more || walkLimitReached,
      walkLimitReached,
      truncated: more || walkLimitReached,
      ...(sort === '' ? {} : { sort }),
      ...(query['withNotes'] === '1' ? { hashtags: tagNotes(state, topicid) } : {}),
      bridgeApiVersion: API_VERSION,
    }
    const text = `{"topicid":${JSON.stringify(topicid)},"nodeTotal":${total},"nodes":[${nodes.join(',')}],${JSON.stringify(rest).slice(1)}`
    return { kind: 'json', status: 200, text }
  },

  'studySets.subMaps'(state, { params }) {
    const topicid = params['topicid'] ?? ''
    if (isGenerated(state, topicid)) return json({ subMaps: generatedSubMaps(state) })
    const set = setOf(state, topicid)
    const subMaps = set.cards.filter((card) => card.subMapId !== null)
    return json({
      subMaps: subMaps.map((card) => ({
        noteid: card.noteid,
        title: card.title,
        cardCount: 1 + set.cards.filter((one) => one.parent === card.noteid).length,
        parentPath: [],
        depth: 0,
      })),
    })
  },

  'studySets.hashtags'(state, { params, query }) {
    const notes = tagNotes(state, params['topicid'] ?? '')
    const nodes = Object.entries(notes).map(([path, ids]) => ({
      path,
      name: path.split('/').at(-1),
      directCardCount: ids.length,
      cardCount: Object.entries(notes)
        .filter(([other]) => other === path || other.startsWith(`${path}/`))
        .reduce((sum, [, more]) => sum + more.length, 0),
      derived: false,
      ...(query['withNotes'] === '1' ? { noteIds: ids } : {}),
    }))
    return json({
      hashtags: nodes.map(({ path }) => path),
      nodes,
      tree: nodes.filter(({ path }) => !path.includes('/')),
    })
  },
}

/** Ids of the cards that hold each full tag path. */
function tagNotes(state: DemoState, topicid: string): Record<string, string[]> {
  const notes: Record<string, string[]> = {}
  if (isGenerated(state, topicid)) return { '#generated/重点': [state.generated.noteid(0)] }
  for (const card of setOf(state, topicid).cards) {
    for (const tag of card.hashtags) (notes[tag] ??= []).push(card.noteid)
  }
  return notes
}

function generatedSubMaps({ generated }: DemoState): object[] {
  const found: object[] = []
  for (let index = 0; index < generated.count && found.length < 30; index += 1) {
    if (generated.depth(index) !== 1) continue
    const card = generated.card(index)
    if (card.subMapId === null) continue
    const cardCount = generated.subtreeEnd(index) - index
    found.push({ noteid: card.noteid, title: card.title, cardCount, parentPath: [], depth: 1 })
  }
  return found
}
