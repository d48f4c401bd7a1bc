// Two runs side by side, and the loads of panels that can be chosen as runs. How runs are compared
// is electron/core/recordings/comparison; run-reader.ts reads them.
import { randomUUID } from 'node:crypto'
import { createRefusedError } from '../../../shared/errors.ts'
import type { IpcInput, IpcOutput } from '../../../shared/ipc/index.ts'
import {
  MAX_LISTED_ID_PAIRS,
  type CardPath,
  type ListedPair,
  type RunComparisonSummary,
  type RunLoad,
  type RunSource,
} from '../../../shared/ipc/recordings.ts'
import { MAX_ROWS_PER_CALL } from '../../../shared/ipc/traffic.ts'
import type { ComparedPair } from '../../../shared/recordings/comparison/run-difference.ts'
import { computeTimeSpan } from '../../../shared/recordings/recording.ts'
import { getFindingClass } from '../../../shared/protocol/rule-table.ts'
import {
  compareRuns,
  createRunExchange,
  haveComparableTexts,
  type ComparedRun,
  type RunComparison,
  type RunExchange,
  type RunOperation,
} from '../../core/recordings/comparison/run-comparison.ts'
import { readCardPath } from './card-path.ts'
import type { SelectionSources } from './exchange-selection.ts'
import type { ReportProgress } from './recording-jobs.ts'
import { openRun, type RunReader, type RunSources } from './run-reader.ts'

interface Options extends RunSources {
  readonly createProgressReporter: (jobId: string) => ReportProgress
}

export type RunComparisons = ReturnType<typeof createRunComparisons>

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

/** The inputs and errors are those of `shared/ipc/recordings.ts`. */
export function createRunComparisons(options: Options) {
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

  return {
    listLoads: (signal: AbortSignal) => listLoads(options, signal),
    async readCardPath(source: RunSource, signal: AbortSignal): Promise<CardPath> {
      const reader = await openRun(source, options, signal)
      try {
        return await readCardPath(reader, createPause(signal))
      } finally {
        await reader.close()
      }
    },
    async compare(
      { before: beforeSource, after: afterSource, jobId }: IpcInput<'recordings.compare'>,
      signal: AbortSignal,
    ): Promise<RunComparisonSummary> {
      const result = await compareOpenedRuns(
        () => openRun(beforeSource, options, signal),
        () => openRun(afterSource, options, signal),
        { signal, onProgress: options.createProgressReporter(jobId) },
      )
      const { comparison, before, after } = result
      const id = store({
        comparison,
        before: { source: beforeSource, exchanges: before.exchanges.map(toStored) },
        after: { source: afterSource, exchanges: after.exchanges.map(toStored) },
      })
      return { comparison: id, ...summarizeComparison(result) }
    },
    readPairs({ comparison: id, start, count }: IpcInput<'recordings.comparedPairs'>): { pairs: ListedPair[] } {
      const { comparison, before, after } = getComparison(id)
      return { pairs: comparison.pairs.slice(start, start + count).map((pair) => describePair(pair, before, after)) }
    },
    async readBody({ comparison: id, side, pair }: IpcInput<'recordings.comparedBody'>, signal: AbortSignal) {
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

interface CompareOptions {
  readonly signal: AbortSignal
  /** Called for each exchange that was read, and then for each pair; `total` is null until then. */
  readonly onProgress: (done: number, total: number | null) => void
}
interface ComparedRuns {
  readonly before: ComparedRun
  readonly after: ComparedRun
  readonly comparison: RunComparison
}

/** Compares two runs, which are closed then. @throws the errors of opening and reading them */
export async function compareOpenedRuns(
  openBefore: () => Promise<RunReader>,
  openAfter: () => Promise<RunReader>,
  { signal, onProgress }: CompareOptions,
): Promise<ComparedRuns> {
  const job = { pause: createPause(signal), onProgress }
  const beforeReader = await openBefore()
  try {
    const afterReader = await openAfter()
    try {
      const areTextsComparable = haveComparableTexts(beforeReader.redaction, afterReader.redaction)
      const before = await readRun(beforeReader, areTextsComparable, job)
      const after = await readRun(afterReader, areTextsComparable, job)
      return { before, after, comparison: await compareRuns(before, after, job) }
    } finally {
      await afterReader.close()
    }
  } finally {
    await beforeReader.close()
  }
}

interface ReadJob {
  readonly pause: () => Promise<void>
  readonly onProgress: CompareOptions['onProgress']
}

async function readRun(
  reader: RunReader,
  areTextsComparable: boolean,
  { pause, onProgress }: ReadJob,
): Promise<ComparedRun> {
  const exchanges: RunExchange[] = []
  for await (const { exchange, requestText } of reader.readExchanges()) {
    exchanges.push(createRunExchange(exchange, requestText, areTextsComparable))
    onProgress(exchanges.length, null)
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

export function summarizeComparison({
  comparison: { pairs, ids, ...facts },
  before,
  after,
}: ComparedRuns): Omit<IpcOutput<'recordings.compare'>, 'comparison'> {
  return {
    pairCount: pairs.length,
    ...facts,
    idCount: ids.length,
    ids: ids.slice(0, MAX_LISTED_ID_PAIRS),
    before: describeRun(before),
    after: describeRun(after),
  }
}

type RunRows = { readonly exchanges: readonly Pick<RunExchange, 'row'>[] }

export function describePair(pair: ComparedPair, before: RunRows, after: RunRows): ListedPair {
  const getRow = ({ exchanges }: RunRows, index: number | null) => exchanges[index ?? -1]?.row ?? null
  return { ...pair, beforeRow: getRow(before, pair.before), afterRow: getRow(after, pair.after) }
}

function describeRun({ exchanges }: ComparedRun): IpcOutput<'recordings.compare'>['before'] {
  const span = computeTimeSpan(exchanges.map(({ row }) => row))
  return { exchanges: exchanges.length, startedAt: span?.from ?? null, durationMs: span ? span.to - span.from : 0 }
}

const toStored = ({ row, responseBody }: RunExchange) => ({ row, responseBody })

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
        caller,
        load,
        label: counted?.label ?? label,
        findings: 0,
        startedAt: Math.min(startedAt, counted?.startedAt ?? Infinity),
        exchanges: (counted?.exchanges ?? 0) + 1,
      })
    }
  }
  for (const finding of findings.listAll()) {
    if (getFindingClass(finding) !== 'findings') continue
    const { origin } = finding
    const key = `${origin.caller ?? ''} ${origin.load ?? ''}`
    const load = loads.get(key)
    if (load) loads.set(key, { ...load, findings: load.findings + 1 })
  }
  const listed = [...loads.values()].sort((first, second) => second.startedAt - first.startedAt)
  // Older requests of the oldest load may not have been searched.
  if (seqs.length > searched.length) listed.pop()
  return { loads: listed.slice(0, MAX_LISTED_LOADS) }
}
