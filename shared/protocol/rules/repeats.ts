import { endpointById } from '../../bridge/endpoints/index.ts'
import { lastOf, Recent, type Watch } from '../rule.ts'
import { isOk, sameness, type Step } from '../step.ts'
import { isWrite } from '../names.ts'

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
