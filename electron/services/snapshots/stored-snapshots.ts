import type { RecordedWrite } from '../../../shared/snapshots/cause.ts'
import type { SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import type { ComparedSnapshot } from '../../core/snapshots/snapshot-comparison.ts'
import { openStoredSnapshots } from './snapshot-database.ts'
import { SnapshotStore } from './snapshot-store.ts'
import { createSqliteTable } from './snapshot-table.ts'

/** The snapshots of a data directory, which stays unchanged while the app may be running in it. */
export interface StoredSnapshots {
  /** The newest first; of all study sets if none is named. */
  list(topicid?: string): SnapshotInfo[]
  /** @throws SNAPSHOT_UNKNOWN, SNAPSHOT_UNREADABLE */
  read(id: number): ComparedSnapshot
  listWritesBetween(before: SnapshotInfo, after: SnapshotInfo): RecordedWrite[]
  close(): void
}

/** @returns null if there are none that this version can read */
export function readStoredSnapshots(dataDir: string): StoredSnapshots | null {
  const database = openStoredSnapshots(dataDir)
  if (!database) return null
  const store = new SnapshotStore(createSqliteTable(database))
  return {
    list: (topicid) => store.list(topicid),
    read: (id) => ({ info: store.find(undefined, id), forest: store.readForest(id) }),
    listWritesBetween: (before, after) => store.listWritesBetween(before, after),
    close: () => store.close(),
  }
}
