import type { TrafficInfo } from '../../shared/ipc/traffic.ts'
import { CoverageCounter, type RouteCoverage } from '../../shared/panel/coverage.ts'
import { call } from '../ipc/call.ts'

export interface CoveragePart {
  /** The store as of the beginning of the count. */
  readonly info: TrafficInfo
  /** Numbers of exchanges. */
  readonly counted: number
  readonly total: number
  readonly routes: readonly RouteCoverage[]
}

/** Counts everything that is stored, part by part in the thread of the recorder. */
export async function readCoverage(signal: AbortSignal, onPart: (part: CoveragePart) => void): Promise<void> {
  const counter = new CoverageCounter()
  const info = await call('traffic.info', {}, { signal })
  let counted = 0
  for (let after = 0; ;) {
    const part = await call('traffic.coverage', { after }, { signal })
    counter.merge(part.routes)
    counted += part.counted
    // The counter changes its own objects, which a page must not see.
    onPart({ info, counted, total: Math.max(info.exchanges, counted), routes: structuredClone(counter.list()) })
    if (part.isWhole) return
    after = part.lastSeq
  }
}
