import { onScopeDispose, shallowRef, watch } from 'vue'
import type { IpcInput, IpcPayload } from '../../shared/ipc/index.ts'
import {
  MAX_PAIRS_PER_CALL,
  type ListedPair,
  type RunComparisonSummary,
  type RunLoad,
} from '../../shared/ipc/recordings.ts'
import { call } from '../ipc/call.ts'
import { subscribe } from '../ipc/subscriptions.ts'
import { compareInWorker, type ResponseComparison } from './exchange.ts'
import { useReadInParts } from './read-in-parts.ts'
import { useResource, type Resource } from './resource.ts'

export interface PairRow extends ListedPair {
  readonly index: number
}

/** Two compared runs, with the pairs that were read so far. */
export interface RunComparison extends RunComparisonSummary {
  readonly pairs: readonly PairRow[]
}

/** The loads of panels that can be compared. */
export function useRunLoads(): Resource<readonly RunLoad[]> {
  const resource = useResource(async (signal) => (await call('recordings.loads', {}, { signal })).loads)
  void resource.reload()
  return resource
}

/** Compares two runs, and compares again when one of them is exchanged. */
export function useRunComparison(getSources: () => Pick<IpcInput<'recordings.compare'>, 'before' | 'after'> | null) {
  /** How far comparing is; null before and after it. */
  const comparing = shallowRef<Pick<IpcPayload<'recordings.progress'>, 'done' | 'total'> | null>(null)
  let jobId = ''
  const reading = useReadInParts<RunComparison>(async (signal, onPart) => {
    const sources = getSources()
    if (!sources) return
    jobId = crypto.randomUUID()
    comparing.value = null
    const summary = await call('recordings.compare', { ...sources, jobId }, { signal })
    const pairs: PairRow[] = []
    onPart({ ...summary, pairs: [] })
    while (pairs.length < summary.pairCount) {
      const range = { comparison: summary.comparison, start: pairs.length, count: MAX_PAIRS_PER_CALL }
      const part = await call('recordings.comparedPairs', range, { signal })
      if (part.pairs.length === 0) return
      pairs.push(...part.pairs.map((pair, offset) => ({ ...pair, index: range.start + offset })))
      onPart({ ...summary, pairs: [...pairs] })
    }
  })
  onScopeDispose(
    subscribe('recordings.progress', ({ jobId: id, ...progress }) => {
      if (id === jobId) comparing.value = progress
    }),
  )
  watch(
    () => JSON.stringify(getSources()),
    (sources) => {
      reading.progress.value = null
      if (sources === 'null') reading.stop()
      else void reading.start()
    },
    { immediate: true },
  )
  return { ...reading, comparing }
}

/**
 * Compares the bodies of the responses of a pair in a worker, which ends when the signal aborts.
 * @param pair its position in the comparison
 * @throws COMPARISON_UNKNOWN, BODY_NOT_KEPT
 */
export async function comparePairBodies(
  comparison: string,
  pair: number,
  signal: AbortSignal,
): Promise<ResponseComparison> {
  const readBody = async (side: 'before' | 'after'): Promise<ArrayBuffer> =>
    (await call('recordings.comparedBody', { comparison, side, pair }, { signal })).bytes
  return compareInWorker({ before: await readBody('before'), after: await readBody('after') }, signal)
}
