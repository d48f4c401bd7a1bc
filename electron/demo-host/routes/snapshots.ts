import { changeable, isGenerated, marked, setOf, type Routes } from '../context.ts'
import type { DemoCard } from '../library/model.ts'
import { DemoError, json } from '../reply.ts'
import { takeSnapshot, versionOf } from '../snapshots.ts'

/** Version points of study sets (observed §3, §8). */
export const snapshotRoutes = {
  'studySets.snapshots': (state, { params }) =>
    json({ snapshots: isGenerated(state, params['topicid']) ? [] : setOf(state, params['topicid']).snapshots }),

  'studySets.createSnapshot'(state, { params, body }) {
    const set = changeable(state, params['topicid'])
    const text = typeof body['description'] === 'string' ? body['description'] : 'From the bridge'
    const { created, snapshotId } = takeSnapshot(state, set, `Agent: ${text}`)
    if (created) marked(set)
    const warnings = created ? [] : ['Nothing has changed since the last version point, which is returned instead.']
    // An earlier point is returned, so nothing was written.
    return json({ ...(created ? { persisted: true } : {}), created, snapshotId, warnings })
  },

  'snapshots.restore'(state, { params }) {
    const { set, snapshot, cards } = versionOf(state, params['snapshotId'])
    const { topicid } = set
    if (state.open.topicid === topicid) {
      throw new DemoError(409, 'STUDY_SET_IN_USE', 'The study set is open. Open another one first.')
    }
    const isThere = state.library.sets.includes(set)
    const protection = isThere ? takeSnapshot(state, set, 'Before a version point was restored') : null
    if (!isThere) {
      state.deleted.delete(topicid)
      state.library.sets.push(set)
    }
    for (const card of set.cards) state.library.cards.delete(card.noteid)
    set.cards = structuredClone(cards) as DemoCard[]
    for (const card of set.cards) state.library.cards.set(card.noteid, card)
    marked(set)
    return json({
      persisted: true,
      restoredToVersion: snapshot.version,
      ...(protection ? { protectionSnapshotId: protection.snapshotId } : {}),
    })
  },
} satisfies Routes
