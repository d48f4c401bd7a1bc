import { randomUUID } from 'node:crypto'
import type { DemoState } from './context.ts'
import type { DemoCard, DemoStudySet } from './library/model.ts'
import { DemoError } from './reply.ts'

type Snapshot = DemoStudySet['snapshots'][number]

/** A version point of the study set as it is now, or the last one if nothing has changed since. */
export function takeSnapshot(
  state: DemoState,
  set: DemoStudySet,
  description: string,
): Snapshot & { created: boolean } {
  const [last] = set.snapshots
  if (last && JSON.stringify(state.versions.get(last.snapshotId)) === JSON.stringify(set.cards)) {
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
  state.versions.set(snapshot.snapshotId, structuredClone(set.cards))
  return { ...snapshot, created: true }
}

/** A version point, its study set (even a deleted one) and the cards it holds. Throws `SNAPSHOT_NOT_FOUND`. */
export function versionOf(
  state: DemoState,
  id: string | undefined,
): { set: DemoStudySet; snapshot: Snapshot; cards: readonly DemoCard[] } {
  for (const set of [...state.library.sets, ...state.deleted.values()]) {
    const snapshot = set.snapshots.find(({ snapshotId }) => snapshotId === id)
    const cards = snapshot && state.versions.get(snapshot.snapshotId)
    if (cards) return { set, snapshot, cards }
  }
  throw new DemoError(404, 'SNAPSHOT_NOT_FOUND', 'There is no such version point.')
}
