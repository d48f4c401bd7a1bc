// Two runs side by side, and the loads of panels that can be chosen as runs. How runs are compared
// is shared/recordings/comparison; run-reader.ts reads them.
import { randomUUID } from 'node:crypto'
import { createRefusedError } from '../../../shared/errors.ts'
import type { IpcInput, IpcOutput } from '../../../shared/ipc/index.ts'
import { MAX_LISTED_ID_PAIRS, type RunLoad, type RunSource } from '../../../shared/ipc/recordings.ts'
import { MAX_ROWS_PER_CALL } from '../../../shared/ipc/traffic.ts'
import {
  compareRuns,
  createRunExchange,
  haveComparableTexts,
  type ComparedRun,
  type RunComparison,
  type RunExchange,
  type RunOperation,
} from '../../../shared/recordings/comparison/run-comparison.ts'
import type { SelectionSources } from './exchange-selection.ts'
import type { ReportProgress } from './recording-jobs.ts'
import { openRun, type RunReader, type RunSources } from './run-reader.ts'

interface Options extends RunSources {
  readonly createProgressReporter: (jobId: string) => ReportProgress
}

/** The inputs and errors are those of `shared/ipc/recordings.ts`. */
export interface RunComparisons {
  listLoads(signal: AbortSignal): Promise<IpcOutput<'recordings.loads'>>
  compare(input: IpcInput<'recordings.compare'>, signal: AbortSignal): Promise<IpcOutput<'recordings.compare'>>
  readPairs(input: IpcInput<'recordings.comparedPairs'>): IpcOutput<'recordings.comparedPairs'>
  readBody(
    input: IpcInput<'recordings.comparedBody'>,
    signal: AbortSignal,
  ): Promise<IpcOutput<'recordings.comparedBody'>>
}

interface StoredComparison {
  readonly comparison: RunComparison
  readonly before: StoredRun
  readonly after: StoredRun
}
interface StoredRun {
  readonly source: RunSource
  readonly exchanges: readonly Pick<RunExchange, 'row' | 'responseBody'>[]
}

/** Each page shows one of them. */
const MAX_STORED_COMPARISONS = 4
/** Others get their turn after so long. */
const MAX_SLICE_MS = 10
/** Loads are searched among so many of the newest exchanges. */
const MAX_SEARCHED_EXCHANGES = 5_000
const MAX_LISTED_LOADS = 100

export function createRunComparisons(options: Options): RunComparisons {
  const comparisons = new Map<string, StoredComparison>()

  function getComparison(id: string): StoredComparison {
    const comparison = comparisons.get(id)
    if (comparison) return comparison
    throw createRefusedError('COMPARISON_UNKNOWN', 'This comparison is no longer in memory. Compare again.')
  }

  function store(comparison: StoredComparison): string {
    const id = randomUUID()
    comparisons.set(id, comparison)
    const [oldest] = comparisons.keys()
    if (comparisons.size > MAX_STORED_COMPARISONS && oldest !== undefined) comparisons.delete(oldest)
    return id
  }

  async function compareOpened(before: RunReader, after: RunReader, run: JobRun): Promise<CompareResult> {
    const areTextsComparable = haveComparableTexts(before.redaction, after.redaction)
    const runs = {
      before: await readRun(before, areTextsComparable, run),
      after: await readRun(after, areTextsComparable, run),
    }
    return { runs, comparison: await compareRuns(runs.before, runs.after, { ...run, onProgress: run.report }) }
  }

  return {
    listLoads: (signal) => listLoads(options, signal),
    async compare({ before: beforeSource, after: afterSource, jobId }, signal) {
      const run = { pause: createPause(signal), report: options.createProgressReporter(jobId) }
      const before = await openRun(beforeSource, options, signal)
      try {
        const after = await openRun(afterSource, options, signal)
        try {
          const { runs, comparison } = await compareOpened(before, after, run)
          const id = store({
            comparison,
            before: { source: beforeSource, exchanges: runs.before.exchanges.map(toStored) },
            after: { source: afterSource, exchanges: runs.after.exchanges.map(toStored) },
          })
          return describeComparison(id, comparison, runs)
        } finally {
          await after.close()
        }
      } finally {
        await before.close()
      }
    },
    readPairs({ comparison: id, start, count }) {
      const { comparison, before, after } = getComparison(id)
      const getRow = (run: StoredRun, index: number | null) =>
        index === null ? null : (run.exchanges[index]?.row ?? null)
      return {
        pairs: comparison.pairs.slice(start, start + count).map((pair) => ({
          ...pair,
          ...{ kinds: [...pair.kinds], responses: toLists(pair.responses), effects: toLists(pair.effects) },
          ...{ beforeRow: getRow(before, pair.before), afterRow: getRow(after, pair.after) },
        })),
      }
    },
    async readBody({ comparison: id, side, pair }, signal) {
      const { comparison, [side]: run } = getComparison(id)
      const hash = run.exchanges[comparison.pairs[pair]?.[side] ?? -1]?.responseBody ?? null
      const reader = await openRun(run.source, options, signal)
      try {
        const bytes = hash === null ? new Uint8Array() : await reader.loadBody(hash)
        if (bytes === null) throw createRefusedError('BODY_NOT_KEPT', 'This body is no longer stored.')
        return { meta: {}, bytes: new Uint8Array(bytes).buffer }
      } finally {
        await reader.close()
      }
    },
  }
}

interface JobRun {
  readonly pause: () => Promise<void>
  readonly report: ReportProgress
}
interface CompareResult {
  readonly runs: { readonly before: ComparedRun; readonly after: ComparedRun }
  readonly comparison: RunComparison
}

async function readRun(
  reader: RunReader,
  areTextsComparable: boolean,
  { pause, report }: JobRun,
): Promise<ComparedRun> {
  const exchanges: RunExchange[] = []
  for await (const { exchange, requestText } of reader.readExchanges()) {
    exchanges.push(createRunExchange(exchange, requestText, areTextsComparable))
    report(exchanges.length, null)
    await pause()
  }
  const operations: RunOperation[] = []
  for await (const { summary, events, changes } of reader.readOperations())
    operations.push({ summary: { outcome: summary.outcome, verdict: summary.verdict }, events, changes })
  const { redaction, loadBody } = reader
  return { exchanges, operations, redaction, loadBody: ({ responseBody }) => loadBody(responseBody ?? '') }
}

function createPause(signal: AbortSignal): () => Promise<void> {
  let pausedAt = performance.now()
  return async () => {
    signal.throwIfAborted()
    if (performance.now() - pausedAt < MAX_SLICE_MS) return
    await new Promise((resolve) => setImmediate(resolve))
    pausedAt = performance.now()
  }
}

function describeComparison(
  id: string,
  { pairs, ids, ...facts }: RunComparison,
  { before, after }: CompareResult['runs'],
): IpcOutput<'recordings.compare'> {
  return {
    comparison: id,
    pairCount: pairs.length,
    ...facts,
    idCount: ids.length,
    ids: ids.slice(0, MAX_LISTED_ID_PAIRS),
    before: describeRun(before),
    after: describeRun(after),
  }
}

function describeRun({ exchanges }: ComparedRun): IpcOutput<'recordings.compare'>['before'] {
  const starts = exchanges.map(({ row }) => row.startedAt)
  const ends = exchanges.map(({ row }) => row.startedAt + (row.durationMs ?? 0))
  const startedAt = starts.length === 0 ? null : starts.reduce((first, start) => Math.min(first, start))
  const endedAt = ends.length === 0 ? null : ends.reduce((last, end) => Math.max(last, end))
  return { exchanges: exchanges.length, startedAt, durationMs: (endedAt ?? 0) - (startedAt ?? 0) }
}

const toStored = ({ row, responseBody }: RunExchange) => ({ row, responseBody })

type Differences = RunComparison['pairs'][number]['responses']
const toLists = ({ differences, total }: Differences) => ({ differences: [...differences], total })

/** The loads of panels and the runs of recorded clients among the newest exchanges. */
async function listLoads(
  { store, findings }: Pick<SelectionSources, 'store' | 'findings'>,
  signal: AbortSignal,
): Promise<IpcOutput<'recordings.loads'>> {
  const filter = { origins: ['panel' as const, 'recorded' as const] }
  const seqs = [...(await store.find(filter, { by: 'time', descending: true }, 0)).seqs]
  const searched = seqs.slice(0, MAX_SEARCHED_EXCHANGES)
  const loads = new Map<string, RunLoad>()
  for (let start = 0; start < searched.length; start += MAX_ROWS_PER_CALL) {
    signal.throwIfAborted()
    for (const { origin, startedAt } of await store.rows(searched.slice(start, start + MAX_ROWS_PER_CALL))) {
      const { caller, load, label } = origin
      if (caller === undefined || load === undefined) continue
      const key = `${caller} ${load}`
      const counted = loads.get(key)
      loads.set(key, {
        // The newest label is the title of the page, which its first requests do not know.
        ...{ caller, load, label: counted?.label ?? label, findings: 0 },
        startedAt: Math.min(startedAt, counted?.startedAt ?? Infinity),
        exchanges: (counted?.exchanges ?? 0) + 1,
      })
    }
  }
  for (const { origin } of findings.listAll()) {
    const key = `${origin.caller ?? ''} ${origin.load ?? ''}`
    const load = loads.get(key)
    if (load) loads.set(key, { ...load, findings: load.findings + 1 })
  }
  const listed = [...loads.values()].sort((first, second) => second.startedAt - first.startedAt)
  // Older requests of the oldest load may not have been searched.
  if (seqs.length > searched.length) listed.pop()
  return { loads: listed.slice(0, MAX_LISTED_LOADS) }
}
