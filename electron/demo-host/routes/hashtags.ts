import { isGeneratedStudySet, getStudySet, type DemoState, type RouteTable } from '../state/context.ts'
import { createJsonReply } from '../state/reply.ts'

interface TagNode {
  readonly path: string
  readonly name: string
  /** Counts only cards with exactly this path. */
  readonly directCardCount: number
  /** Counts the cards with this path or a path below it. */
  readonly cardCount: number
  /** True if no card has exactly this tag, so that the tag exists only as the parent of others. */
  readonly derived: boolean
  readonly noteIds?: readonly string[]
}

/** A card counts only for its exact tag paths. @throws TOPIC_NOT_FOUND */
export function collectNoteIdsByTag(state: DemoState, topicid: string): Map<string, string[]> {
  if (isGeneratedStudySet(state, topicid)) return state.generatedSet.getNoteIdsByTag()
  const notes = new Map<string, string[]>()
  for (const card of getStudySet(state, topicid).cards) {
    for (const tag of card.hashtags) {
      const ids = notes.get(tag)
      if (ids) ids.push(card.noteid)
      else notes.set(tag, [card.noteid])
    }
  }
  return notes
}

/** Lists every tag path and its ancestors, sorted. */
function listNodes(notes: ReadonlyMap<string, readonly string[]>, withNotes: boolean): TagNode[] {
  const paths = new Set<string>()
  for (const path of notes.keys()) {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) paths.add(path.slice(0, end))
  }
  return [...paths].sort().map((path) => {
    const direct = notes.get(path) ?? []
    const below = [...notes].filter(([other]) => other === path || other.startsWith(`${path}/`))
    return {
      path,
      name: path.split('/').at(-1) ?? path,
      directCardCount: direct.length,
      cardCount: new Set(below.flatMap(([, ids]) => ids)).size,
      derived: direct.length === 0,
      ...(withNotes ? { noteIds: direct } : {}),
    }
  })
}

const nestNodes = (nodes: readonly TagNode[], parent: string): object[] =>
  nodes
    .filter(({ path, name }) => path === (parent === '' ? name : `${parent}/${name}`))
    .map((node) => ({ ...node, children: nestNodes(nodes, node.path) }))

export const hashtagRoutes = {
  'studySets.hashtags'(state, { params, query }) {
    const notes = collectNoteIdsByTag(state, params['topicid'] ?? '')
    const nodes = listNodes(notes, query['withNotes'] === '1')
    return createJsonReply({ hashtags: [...notes.keys()].sort(), nodes, tree: nestNodes(nodes, '') })
  },
} satisfies RouteTable
