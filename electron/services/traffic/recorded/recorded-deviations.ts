import { setImmediate } from 'node:timers/promises'
import type { IpcOutput } from '../../../../shared/ipc/index.ts'
import { ContractJudge } from '../../contract/contract-judge.ts'
import { createMemoryArchive } from '../../contract/learned-routes.ts'
import type { StoredContract } from '../../contract/recorded-exchange.ts'
import type { Database } from '../../journal/database.ts'
import { BodyStore } from '../disk/body-store.ts'
import { ContractTables, StoredExchanges } from '../disk/contract-store.ts'
import { LearnedTable } from '../disk/learned-table.ts'
import { readRecordedTraffic } from './recorded-traffic.ts'

type DeviationList = IpcOutput<'contract.deviations'>

/** Time of one part, after which signals are heard. */
const PART_MS = 100

interface ReadOptions {
  /** Called after each part with the number of exchanges that are left. */
  readonly onProgress: (left: number) => void
  /** The results until then are returned when it becomes true. */
  readonly isStopped: () => boolean
}

/**
 * Lists the deviations in the recorded traffic of a data directory, which stays unchanged: what was
 * recorded since it was last judged, or was judged by another version of the contract, is judged
 * for this list alone.
 * @returns null if nothing was ever recorded
 * @throws the errors of `readRecordedTraffic`
 */
export function readRecordedDeviations(dataDir: string, options: ReadOptions): Promise<DeviationList | null> {
  return readRecordedTraffic(dataDir, (database) => judgeRecorded(database, options))
}

/** Creates a judge of recorded traffic that reads what was stored, and stores nothing itself. */
export function createRecordedJudge(database: Database): ContractJudge {
  const tables = new ContractTables(database)
  return new ContractJudge({
    source: new StoredExchanges(database, new BodyStore(database), () => null),
    archive: {
      load: () => tables.load(),
      save: () => true,
      replace: () => true,
      saveMute: () => undefined,
      saveMark: () => undefined,
    },
    learned: createMemoryArchive(new LearnedTable(database)),
  })
}

async function judgeRecorded(database: Database, { onProgress, isStopped }: ReadOptions): Promise<DeviationList> {
  const judge = createRecordedJudge(database)
  for (let hasMore = !judge.list().isCurrent, after = 0; hasMore && !isStopped();) {
    const { lastSeq, left, isWhole } = judge.judgeAgain(after)
    onProgress(left)
    hasMore = !isWhole
    after = lastSeq
    await setImmediate()
  }
  while (judge.judgeNew(PART_MS) && !isStopped()) {
    onProgress(judge.list().unjudgedExchanges)
    await setImmediate()
  }
  return judge.list()
}

/** Ids of the deviations that were muted in a data directory, with the reasons. */
export async function readMutedDeviations(dataDir: string): Promise<StoredContract['mutes']> {
  return (await readRecordedTraffic(dataDir, (database) => new ContractTables(database).load().mutes)) ?? new Map()
}
