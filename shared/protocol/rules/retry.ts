import { member } from '../../json/object.ts'
import { Recent, type Watch } from '../rule.ts'
import { isRefused, sameness, type Step } from '../step.ts'

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
