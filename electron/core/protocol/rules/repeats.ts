import { findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { takeLast, BoundedMap, type RuleState } from '../rule-state.ts'
import { getMember } from '../../../../shared/json/object.ts'
import { isSuccess, toRequestKey, type ObservedExchange, isRefused, isWrite } from '../observed-exchange.ts'

/** A retry may come this much too early, because timers and clocks are not exact. */
const LENIENCY_MS = 250
/** A longer wait is ignored, because the number is probably not in seconds. */
const MAX_WAIT_S = 86_400

/** Reports a request that is repeated before the host's retry time (observed: errors). */
export function createRetryRule(): RuleState {
  const retryWaits = new BoundedMap<{ readonly end: number; readonly seconds: number; readonly seq: number }>(500)
  return {
    observe(exchange, context) {
      const request = toRequestKey(exchange)
      const previousWait = retryWaits.get(request)
      if (
        previousWait &&
        exchange.startedAt >= previousWait.end &&
        exchange.startedAt < previousWait.end + previousWait.seconds * 1000 - LENIENCY_MS
      ) {
        const waited = ((exchange.startedAt - previousWait.end) / 1000).toFixed(1)
        context.report('retry-too-early', [previousWait.seq, exchange.seq], {
          seconds: String(previousWait.seconds),
          waited,
        })
      }
      const seconds = parseRetrySeconds(exchange)
      if (seconds !== null) retryWaits.set(request, { end: exchange.endedAt, seconds, seq: exchange.seq })
      else if (previousWait && exchange.startedAt >= previousWait.end) retryWaits.delete(request)
    },
  }
}

/** Looks into `error.details` and `error`: the contract does not tell where it is. */
function parseRetrySeconds(exchange: ObservedExchange): number | null {
  if (!isRefused(exchange)) return null
  const error = getMember(exchange.response, 'error')
  const value = Number(
    getMember(getMember(error, 'details'), 'retryAfterSeconds') ?? getMember(error, 'retryAfterSeconds'),
  )
  return Number.isFinite(value) && value > 0 && value <= MAX_WAIT_S ? value : null
}

/** The results of these reads change by themselves, so callers poll them. */
const polledEndpoints: ReadonlySet<string> = new Set([
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

/** This many equal reads within `BURST_MS` are a burst. */
const MIN_BURST_READS = 5
const BURST_MS = 1_000
/** Clearly more than two a second within `FAST_POLLS_MS`; each begins after a response. */
const MIN_FAST_POLLS = 6
const FAST_POLLS_MS = 2_000

/** As many single reads, each within `SINGLES_GAP_MS` of the last, should be one batch. */
const MIN_SINGLE_READS = 10
const SINGLES_GAP_MS = 250

interface Repeated {
  readonly seqs: number[]
  readonly times: number[]
  end: number
  isReported: boolean
}

/** Reports bursts of equal reads, and polling faster than twice a second. */
export function createRepeatRule(): RuleState {
  let runs = new BoundedMap<Repeated>(300)
  return {
    observe(exchange, context) {
      // After a write, everything may be read again.
      if (isWrite(exchange)) runs = new BoundedMap<Repeated>(300)
      const kind = getRepeatKind(exchange)
      if (kind === null) return
      const key = toRequestKey(exchange)
      const run = runs.get(key) ?? { seqs: [], times: [], end: -Infinity, isReported: false }
      if (kind === 'poll' ? !isNextPoll(run, exchange) : !isNear(run, exchange)) {
        run.seqs.length = run.times.length = 0
        run.isReported = false
      }
      run.seqs.push(exchange.seq)
      run.times.push(exchange.startedAt)
      run.end = exchange.endedAt
      const repeatLimit = kind === 'poll' ? MIN_FAST_POLLS : MIN_BURST_READS
      if (run.seqs.length > repeatLimit) run.seqs.shift()
      if (run.times.length > repeatLimit) run.times.shift()
      runs.set(key, run)
      const span = Math.max(...run.times) - Math.min(...run.times)
      if (run.isReported || run.seqs.length < repeatLimit || span >= (kind === 'poll' ? FAST_POLLS_MS : BURST_MS))
        return
      run.isReported = true
      const params = { n: String(repeatLimit), seconds: (span / 1000).toFixed(1) }
      context.report(kind === 'poll' ? 'polling-too-fast' : 'read-burst', takeLast(run.seqs), params)
    },
  }
}

interface BatchRun {
  readonly ids: Set<string>
  readonly seqs: number[]
  end: number
  isReported: boolean
}

/** Reports a batch endpoint that is called with a single id many times. */
export function createBatchRule(): RuleState {
  let runs = new BoundedMap<BatchRun>(20)
  return {
    observe(exchange, context) {
      // A card may be read right before a write, which needs the current revision.
      if (isWrite(exchange)) runs = new BoundedMap<BatchRun>(20)
      const row = exchange.endpoint === null ? undefined : findEndpointById(exchange.endpoint)
      const list = row?.limits[0] ? getMember(exchange.body, row.limits[0].member) : undefined
      // A person may page through cards at any speed.
      const isProgram = exchange.origin.kind === 'panel' || exchange.origin.kind === 'recorded'
      if (!isProgram || row?.access !== 'read' || !Array.isArray(list) || !isSuccess(exchange)) return
      const [id, ...others] = list as unknown[]
      const previousRun = runs.get(row.id)
      const continuesRun = previousRun !== undefined && exchange.startedAt - previousRun.end < SINGLES_GAP_MS
      const run: BatchRun = continuesRun ? previousRun : { ids: new Set<string>(), seqs: [], end: 0, isReported: false }
      if (typeof id !== 'string' || others.length > 0) return runs.delete(row.id)
      run.ids.add(id)
      run.seqs.push(exchange.seq)
      run.end = Math.max(run.end, exchange.endedAt)
      runs.set(row.id, run)
      if (run.isReported || run.ids.size < MIN_SINGLE_READS) return
      run.isReported = true
      context.report('batch-of-one', takeLast(run.seqs), {
        n: String(run.ids.size),
        member: row.limits[0]?.member ?? '',
      })
    },
  }
}

/** Reads of byte ranges and repeated attempts do not count; a repeated attempt is a retry. */
function getRepeatKind(exchange: ObservedExchange): 'poll' | 'read' | null {
  const row = exchange.endpoint === null ? undefined : findEndpointById(exchange.endpoint)
  if (row?.access !== 'read' || row.response.kind === 'binary' || exchange.attempt > 1) return null
  if (polledEndpoints.has(row.id)) return exchange.state === 'answered' ? 'poll' : null
  return isSuccess(exchange) ? 'read' : null
}

/** Parallel requests are not polling, because a poll waits for the previous response. */
const isNextPoll = ({ times, end }: Repeated, { startedAt }: ObservedExchange): boolean =>
  startedAt >= end && startedAt - (times.at(-1) ?? -Infinity) < 500

const isNear = ({ times }: Repeated, { startedAt }: ObservedExchange): boolean =>
  Math.abs(startedAt - (times.at(-1) ?? -Infinity)) < BURST_MS
