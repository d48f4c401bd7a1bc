import { randomUUID } from 'node:crypto'
import {
  getChangeableStudySet,
  isGeneratedStudySet,
  markStudySetChanged,
  getStudySet,
  type RouteTable,
  type DemoState,
} from '../state/context.ts'
import type { DemoCard, DemoStudySet } from '../library/model.ts'
import { DemoError, createJsonReply } from '../state/reply.ts'

/** Routes that list, create and restore version points of study sets (observed §3, §8). */
export const snapshotRoutes = {
  'studySets.snapshots': (state, { params }) =>
    createJsonReply({
      snapshots: isGeneratedStudySet(state, params['topicid']) ? [] : getStudySet(state, params['topicid']).snapshots,
    }),

  'studySets.createSnapshot'(state, { params, body }) {
    const set = getChangeableStudySet(state, params['topicid'])
    const text = typeof body['description'] === 'string' ? body['description'] : 'From the bridge'
    const { created, snapshotId } = createSnapshot(state, set, `Agent: ${text}`)
    if (created) markStudySetChanged(set)
    const warnings = created ? [] : ['Nothing has changed since the last version point, which is returned instead.']
    // If an existing version point is returned, nothing was written.
    return createJsonReply({ ...(created ? { persisted: true } : {}), created, snapshotId, warnings })
  },

  'snapshots.restore'(state, { params }) {
    const { set, snapshot, cards } = getSnapshot(state, params['snapshotId'])
    const { topicid } = set
    if (state.openState.topicid === topicid) {
      throw new DemoError(409, 'STUDY_SET_IN_USE', 'The study set is open. Open another one first.')
    }
    const exists = state.library.sets.includes(set)
    const protection = exists ? createSnapshot(state, set, 'Before a version point was restored') : null
    if (!exists) {
      state.deletedStudySets.delete(topicid)
      state.library.sets.push(set)
    }
    for (const card of set.cards) state.library.cards.delete(card.noteid)
    set.cards = structuredClone(cards) as DemoCard[]
    for (const card of set.cards) state.library.cards.set(card.noteid, card)
    markStudySetChanged(set)
    return createJsonReply({
      persisted: true,
      restoredToVersion: snapshot.version,
      ...(protection ? { protectionSnapshotId: protection.snapshotId } : {}),
    })
  },
} satisfies RouteTable

type Snapshot = DemoStudySet['snapshots'][number]

/** Returns the last version point if nothing has changed since then. */
export function createSnapshot(
  state: DemoState,
  set: DemoStudySet,
  description: string,
): Snapshot & { created: boolean } {
  const [last] = set.snapshots
  if (last && JSON.stringify(state.snapshotCards.get(last.snapshotId)) === JSON.stringify(set.cards)) {
    return { ...last, created: false }
  }
  const snapshot = {
    snapshotId: randomUUID().toUpperCase(),
    version: (last?.version ?? 0) + 1,
    description,
    createdAt: new Date().toISOString(),
    noteCount: set.cards.length,
  }
  set.snapshots.unshift(snapshot)
  state.snapshotCards.set(snapshot.snapshotId, structuredClone(set.cards))
  return { ...snapshot, created: true }
}

/** The version point, its study set (even a deleted one), its cards. @throws SNAPSHOT_NOT_FOUND */
export function getSnapshot(
  state: DemoState,
  id: string | undefined,
): { set: DemoStudySet; snapshot: Snapshot; cards: readonly DemoCard[] } {
  for (const set of [...state.library.sets, ...state.deletedStudySets.values()]) {
    const snapshot = set.snapshots.find(({ snapshotId }) => snapshotId === id)
    const cards = snapshot && state.snapshotCards.get(snapshot.snapshotId)
    if (cards) return { set, snapshot, cards }
  }
  throw new DemoError(404, 'SNAPSHOT_NOT_FOUND', 'There is no such version point.')
}
