import { namedBranches } from './branches.ts'
import { cardOf, isGenerated, namedIds, setOf, type DemoRequest, type DemoState } from './context.ts'
import { DemoError, setIsFixed } from './reply.ts'

type DryRun = (state: DemoState, request: Omit<DemoRequest, 'query'>) => object

const branches: DryRun = (state, { body }) => {
  const cards = namedBranches(state, body).flat()
  return { cardCount: cards.length, cards: cards.map(({ noteid, title }) => ({ noteid, title })) }
}

/** What a write would do, worked out like the write itself and without doing it. */
const dryRuns: Readonly<Record<string, DryRun>> = {
  'notes.delete': branches,
  'notes.move': branches,
  'notes.copy': branches,

  'notes.hashtags': (state, { body }) => {
    const remove = new Set((body['remove'] ?? []) as string[])
    const add = (body['add'] ?? []) as string[]
    return {
      cards: namedIds(state, body).map((id) => {
        const { hashtags } = cardOf(state, id)
        return {
          noteid: id,
          before: hashtags,
          after: [...new Set([...hashtags.filter((t) => !remove.has(t)), ...add])],
        }
      }),
    }
  },

  'notes.metadata': (state, { body }) => ({ cardCount: namedIds(state, body).length }),

  'studySets.delete': (state, { params, body }) => {
    if (isGenerated(state, params['topicid'])) throw setIsFixed()
    const { topicid, title, cards } = setOf(state, params['topicid'])
    return { topicid, title, cardCount: cards.length, titleMatches: title === body['expectedTitle'] }
  },

  'snapshots.restore': (state, { params }) => {
    const id = params['snapshotId'] ?? ''
    const set = state.library.sets.find((one) => one.snapshots.some(({ snapshotId }) => snapshotId === id))
    return { topicid: set?.topicid ?? null, cardsNow: set?.cards.length, cardsThen: state.versions.get(id)?.length }
  },
}

/**
 * `details.dryRun` of `CONFIRM_REQUIRED` (observed-0.49: a true dry run on some routes); null where a route has none. Where the
 * write would be refused, it says with which error.
 */
export function dryRunOf(state: DemoState, request: Omit<DemoRequest, 'query'>): object | null {
  const { id } = request.endpoint
  if (!Object.hasOwn(dryRuns, id)) return null
  try {
    return dryRuns[id]?.(state, request) ?? null
  } catch (error) {
    if (error instanceof DemoError) return { error: { code: error.code, message: error.message } }
    throw error
  }
}
