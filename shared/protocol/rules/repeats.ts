import { findEndpointById } from '../../bridge/endpoints/index.ts'
import { takeLast, BoundedMap, type RuleState } from '../rule-state.ts'
import { getMember } from '../../json/object.ts'
import { isSuccess, toRequestKey, type ObservedExchange, isRefused, isWrite } from '../observed-exchange.ts'

/** Timers are not exact, and neither are clocks. */
const LENIENCY_MS = 250
/** A host that asks for more than a day means something else. */
const MAX_WAIT_S = 86_400

/** The same request again before the time that the host asked for (observed: errors). */
export function createRetryRule(): RuleState {
  const asked = new BoundedMap<{ readonly end: number; readonly seconds: number; readonly seq: number }>(500)
  return {
    observe(step, scene) {
      const request = toRequestKey(step)
      const first = asked.get(request)
      if (first && step.startedAt >= first.end && step.startedAt < first.end + first.seconds * 1000 - LENIENCY_MS) {
        const waited = ((step.startedAt - first.end) / 1000).toFixed(1)
        scene.report('retry-too-early', [first.seq, step.seq], { seconds: String(first.seconds), waited })
      }
      const seconds = parseRetrySeconds(step)
      if (seconds !== null) asked.set(request, { end: step.endedAt, seconds, seq: step.seq })
      else if (first && step.startedAt >= first.end) asked.delete(request)
    },
  }
}

/** Most likely in `error.details`, not certain: in `error` too. */
function parseRetrySeconds(step: ObservedExchange): number | null {
  if (!isRefused(step)) return null
  const error = getMember(step.response, 'error')
  const value = Number(
    getMember(getMember(error, 'details'), 'retryAfterSeconds') ?? getMember(error, 'retryAfterSeconds'),
  )
  return Number.isFinite(value) && value > 0 && value <= MAX_WAIT_S ? value : null
}

/** What changes by itself, and is therefore asked again and again. */
const polled: ReadonlySet<string> = new Set([
  'writing.pencilResult',
  'writing.context',
  'status.get',
  'context.get',
  'uiState.get',
  'bundles.list',
  'sync.status',
  'sync.events',
  'documents.syncStatus',
])

/** So many equal reads within this time are a burst. */
const MIN_BURST_READS = 5
const BURST_MS = 1_000
/** So many polls in a row, each after the answer to the one before, within this time: clearly more than two a second. */
const MIN_FAST_POLLS = 6
const FAST_POLLS_MS = 2_000

/** So many cards asked for one by one, each at once after the one before, are a list that a batch would have read. */
const MIN_SINGLE_READS = 10
const SINGLES_GAP_MS = 250

interface Repeated {
  readonly seqs: number[]
  readonly times: number[]
  end: number
  /** Told about this run. */
  isReported: boolean
}

/** The same read in a burst, and polling faster than twice a second. */
export function createRepeatRule(): RuleState {
  let runs = new BoundedMap<Repeated>(300)
  return {
    observe(step, scene) {
      // After a write everything may be read again.
      if (isWrite(step)) runs = new BoundedMap<Repeated>(300)
      const kind = kindOf(step)
      if (kind === null) return
      const key = toRequestKey(step)
      const run = runs.get(key) ?? { seqs: [], times: [], end: -Infinity, isReported: false }
      if (kind === 'poll' ? !follows(run, step) : !isNear(run, step)) {
        run.seqs.length = run.times.length = 0
        run.isReported = false
      }
      run.seqs.push(step.seq)
      run.times.push(step.startedAt)
      run.end = step.endedAt
      const most = kind === 'poll' ? MIN_FAST_POLLS : MIN_BURST_READS
      if (run.seqs.length > most) run.seqs.shift()
      if (run.times.length > most) run.times.shift()
      runs.set(key, run)
      const span = Math.max(...run.times) - Math.min(...run.times)
      if (run.isReported || run.seqs.length < most || span >= (kind === 'poll' ? FAST_POLLS_MS : BURST_MS)) return
      run.isReported = true
      const params = { n: String(most), seconds: (span / 1000).toFixed(1) }
      scene.report(kind === 'poll' ? 'polling-too-fast' : 'read-burst', takeLast(run.seqs), params)
    },
  }
}

interface BatchRun {
  readonly ids: Set<string>
  readonly seqs: number[]
  end: number
  isReported: boolean
}

/** A read that takes a list, asked for one after the other of many. */
export function createBatchRule(): RuleState {
  let runs = new BoundedMap<BatchRun>(20)
  return {
    observe(step, scene) {
      // Who reads a card right before writing to it has the revision that counts.
      if (isWrite(step)) runs = new BoundedMap<BatchRun>(20)
      const row = step.endpoint === null ? undefined : findEndpointById(step.endpoint)
      const list = row?.limits[0] ? getMember(step.body, row.limits[0].member) : undefined
      // How far a person goes through cards is up to them.
      const isProgram = step.origin.kind === 'panel' || step.origin.kind === 'recorded'
      if (!isProgram || row?.access !== 'read' || !Array.isArray(list) || !isSuccess(step)) return
      const [id, ...others] = list as unknown[]
      const before = runs.get(row.id)
      const goesOn = before !== undefined && step.startedAt - before.end < SINGLES_GAP_MS
      const run: BatchRun = goesOn ? before : { ids: new Set<string>(), seqs: [], end: 0, isReported: false }
      if (typeof id !== 'string' || others.length > 0) return runs.delete(row.id)
      run.ids.add(id)
      run.seqs.push(step.seq)
      run.end = Math.max(run.end, step.endedAt)
      runs.set(row.id, run)
      if (run.isReported || run.ids.size < MIN_SINGLE_READS) return
      run.isReported = true
      scene.report('batch-of-one', takeLast(run.seqs), { n: String(run.ids.size), member: row.limits[0]?.member ?? '' })
    },
  }
}

/** Bytes are read in pieces, and a repeated attempt is a retry: neither counts. */
function kindOf(step: ObservedExchange): 'poll' | 'read' | null {
  const row = step.endpoint === null ? undefined : findEndpointById(step.endpoint)
  if (row?.access !== 'read' || row.response.kind === 'binary' || step.attempt > 1) return null
  if (polled.has(row.id)) return step.state === 'answered' ? 'poll' : null
  return isSuccess(step) ? 'read' : null
}

/** Several at once are no polling: one waits for the answer before. */
const follows = ({ times, end }: Repeated, { startedAt: at }: ObservedExchange): boolean =>
  at >= end && at - (times.at(-1) ?? -Infinity) < 500

const isNear = ({ times }: Repeated, { startedAt: at }: ObservedExchange): boolean =>
  Math.abs(at - (times.at(-1) ?? -Infinity)) < BURST_MS
