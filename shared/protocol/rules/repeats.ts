import { endpointById } from '../../bridge/endpoints/index.ts'
import { lastOf, Recent, type Watch } from '../rule.ts'
import { member } from '../../json/object.ts'
import { isOk, sameness, type Step, isRefused, isWrite } from '../step.ts'

/** Timers are not exact, and neither are clocks. */
const LENIENCY_MS = 250
/** A host that asks for more than a day means something else. */
const LONGEST_S = 86_400

/** The same request again before the time that the host asked for (observed: errors). */
export function watchRetries(): Watch {
  const asked = new Recent<{ readonly end: number; readonly seconds: number; readonly seq: number }>(500)
  return {
    step(step, scene) {
      const request = sameness(step)
      const first = asked.get(request)
      if (first && step.at >= first.end && step.at < first.end + first.seconds * 1000 - LENIENCY_MS) {
        const waited = ((step.at - first.end) / 1000).toFixed(1)
        scene.report('retry-too-early', [first.seq, step.seq], { seconds: String(first.seconds), waited })
      }
      const seconds = secondsIn(step)
      if (seconds !== null) asked.set(request, { end: step.end, seconds, seq: step.seq })
      else if (first && step.at >= first.end) asked.delete(request)
    },
  }
}

/** Most likely in `error.details`, not certain: in `error` too. */
function secondsIn(step: Step): number | null {
  if (!isRefused(step)) return null
  const error = member(step.answer, 'error')
  const value = Number(member(member(error, 'details'), 'retryAfterSeconds') ?? member(error, 'retryAfterSeconds'))
  return Number.isFinite(value) && value > 0 && value <= LONGEST_S ? value : null
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
const BURST = 5
const BURST_MS = 1_000
/** So many polls in a row, each after the answer to the one before, within this time: clearly more than two a second. */
const POLLS = 6
const POLLS_MS = 2_000

/** So many cards asked for one by one, each at once after the one before, are a list that a batch would have read. */
const SINGLES = 10
const SINGLES_GAP_MS = 250

interface Repeated {
  readonly seqs: number[]
  readonly times: number[]
  end: number
  /** Told about this run. */
  told: boolean
}

/** The same read in a burst, and polling faster than twice a second. */
export function watchRepeats(): Watch {
  let runs = new Recent<Repeated>(300)
  return {
    step(step, scene) {
      // After a write everything may be read again.
      if (isWrite(step)) runs = new Recent<Repeated>(300)
      const kind = kindOf(step)
      if (kind === null) return
      const key = sameness(step)
      const run = runs.get(key) ?? { seqs: [], times: [], end: -Infinity, told: false }
      if (kind === 'poll' ? !follows(run, step) : !isNear(run, step)) {
        run.seqs.length = run.times.length = 0
        run.told = false
      }
      run.seqs.push(step.seq)
      run.times.push(step.at)
      run.end = step.end
      const most = kind === 'poll' ? POLLS : BURST
      if (run.seqs.length > most) run.seqs.shift()
      if (run.times.length > most) run.times.shift()
      runs.set(key, run)
      const span = Math.max(...run.times) - Math.min(...run.times)
      if (run.told || run.seqs.length < most || span >= (kind === 'poll' ? POLLS_MS : BURST_MS)) return
      run.told = true
      const params = { n: String(most), seconds: (span / 1000).toFixed(1) }
      scene.report(kind === 'poll' ? 'polling-too-fast' : 'read-burst', lastOf(run.seqs), params)
    },
  }
}

interface BatchRun {
  readonly ids: Set<string>
  readonly seqs: number[]
  end: number
  told: boolean
}

/** A read that takes a list, asked for one after the other of many. */
export function watchBatches(): Watch {
  let runs = new Recent<BatchRun>(20)
  return {
    step(step, scene) {
      // Who reads a card right before writing to it has the revision that counts.
      if (isWrite(step)) runs = new Recent<BatchRun>(20)
      const row = step.endpoint === null ? undefined : endpointById(step.endpoint)
      const list = row?.limits[0] ? member(step.body, row.limits[0].member) : undefined
      // How far a person goes through cards is up to them.
      const isProgram = step.origin.kind === 'panel' || step.origin.kind === 'recorded'
      if (!isProgram || row?.access !== 'read' || !Array.isArray(list) || !isOk(step)) return
      const [id, ...others] = list as unknown[]
      const before = runs.get(row.id)
      const goesOn = before !== undefined && step.at - before.end < SINGLES_GAP_MS
      const run: BatchRun = goesOn ? before : { ids: new Set<string>(), seqs: [], end: 0, told: false }
      if (typeof id !== 'string' || others.length > 0) return runs.delete(row.id)
      run.ids.add(id)
      run.seqs.push(step.seq)
      run.end = Math.max(run.end, step.end)
      runs.set(row.id, run)
      if (run.told || run.ids.size < SINGLES) return
      run.told = true
      scene.report('batch-of-one', lastOf(run.seqs), { n: String(run.ids.size), member: row.limits[0]?.member ?? '' })
    },
  }
}

/** Bytes are read in pieces, and a repeated attempt is a retry: neither counts. */
function kindOf(step: Step): 'poll' | 'read' | null {
  const row = step.endpoint === null ? undefined : endpointById(step.endpoint)
  if (row?.access !== 'read' || row.response.kind === 'binary' || step.attempt > 1) return null
  if (polled.has(row.id)) return step.state === 'answered' ? 'poll' : null
  return isOk(step) ? 'read' : null
}

/** Several at once are no polling: one waits for the answer before. */
const follows = ({ times, end }: Repeated, { at }: Step): boolean => at >= end && at - (times.at(-1) ?? -Infinity) < 500

const isNear = ({ times }: Repeated, { at }: Step): boolean => Math.abs(at - (times.at(-1) ?? -Infinity)) < BURST_MS
