import { setImmediate } from 'node:timers/promises'
import type { RouteSchema } from '../../../../shared/contract/route-schema.ts'
import type { LearnedFilter } from '../../../../shared/ipc/contract-schemas.ts'
import { createRecordedJudge } from './recorded-deviations.ts'
import { readRecordedTraffic } from './recorded-traffic.ts'

/** Time of one part, after which signals are heard. */
const PART_MS = 100

/**
 * Describes what was learned in a data directory, which stays unchanged: what was recorded since is
 * learned for this description alone.
 * @throws the errors of `readRecordedTraffic`
 */
export async function readRecordedSchemas(
  dataDir: string,
  filter: LearnedFilter,
  signal: AbortSignal,
): Promise<RouteSchema[]> {
  const routes = await readRecordedTraffic(dataDir, async (database) => {
    const judge = createRecordedJudge(database)
    while (judge.judgeNew(PART_MS) && !signal.aborted) await setImmediate()
    return judge.readLearned(filter, null)
  })
  return routes ?? []
}
