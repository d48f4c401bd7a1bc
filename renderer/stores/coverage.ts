import { CoverageCounter, type RouteCoverage } from '../../shared/traffic/coverage.ts'
import { call } from '../ipc/call.ts'

/**
 * Counts everything that was recorded, part by part in the thread of the recorder.
 * @param onPart gets the numbers of exchanges that were counted and of all, and the counts so far
 */
export async function readCoverage(
  signal: AbortSignal,
  onPart: (counted: number, total: number, routes: readonly RouteCoverage[]) => void,
): Promise<void> {
  const counter = new CoverageCounter()
  const { exchanges } = await call('traffic.info', {}, { signal })
  let counted = 0
  for (let after = 0; ;) {
    const part = await call('traffic.coverage', { after }, { signal })
    counter.merge(part.routes)
    counted += part.counted
    // The counter changes its own objects, which a page must not see.
    onPart(counted, Math.max(exchanges, counted), structuredClone(counter.list()))
    if (part.isWhole) return
    after = part.lastSeq
  }
}
