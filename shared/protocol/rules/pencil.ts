import { canonicalText, isOk, isRefused, textAt, type Step } from '../step.ts'
import { member } from '../../json/object.ts'
import { lastOf, QUIET_MS, Recent, type CallerMemory, type Scene, type Watch } from '../rule.ts'

interface Commit {
  readonly requestId: string
  readonly seq: number
  readonly end: number
  readonly instance: string | null
  readonly target: string
  readonly surfaceId: string | null
  readonly windowId: string | null
  polls: number[]
  lastEnd: number
  /** It is known how it ended, or that this cannot be known any more. */
  over: boolean
  reported: string | null
}

/** How long an unfinished commit counts against the next one in its window. */
const STALE_MS = 10 * 60_000
/** Refusals that have another cause than an unfinished commit. */
const otherCauses: ReadonlySet<number | null> = new Set([400, 401, 403, 404, 422, 429])

/** Pencil commits of one caller, by request id (spec §4 pencil-commit, pencil-result). */
export function watchPencil(memory: CallerMemory): Watch {
  const commits = new Recent<Commit>(200)

  function commit(step: Step, scene: Scene): void {
    const requestId = textAt(step.body, 'requestId')
    if (requestId === null) return
    memory.addRequest(requestId)
    const target = canonicalText(member(step.body, 'target'))
    const surfaceId = textAt(step.body, 'surfaceId')
    const known = commits.get(requestId)
    if (known && sameRun(known, step) && step.at >= known.end) {
      // The same request again is a retry, whatever became of the first (spec §4).
      if (known.target !== target && step.state === 'answered') {
        scene.report('request-id-other-target', [known.seq, step.seq], { requestId })
      }
      return
    }
    const first = [...commits.values()].findLast((one) => isUnfinished(one, step) && one.surfaceId === surfaceId)
    if (first && surfaceId !== null && isRefused(step) && !otherCauses.has(step.status)) {
      const params = { requestId, first: first.requestId, windowId: first.windowId ?? surfaceId }
      scene.report('second-commit-of-window', [first.seq, step.seq], params)
    }
    if (!isOk(step)) return
    const windowId = textAt(step.answer, 'windowId')
    const { seq, end, instance } = step
    const over = member(step.answer, 'settled') === true
    const polls: number[] = []
    const made = {
      requestId,
      seq,
      end,
      instance,
      target,
      surfaceId,
      windowId,
      polls,
      lastEnd: end,
      over,
      reported: null,
    }
    commits.set(requestId, made)
  }

  function poll(step: Step, scene: Scene): void {
    const requestId = textAt(step.body, 'requestId')
    if (requestId === null) return
    const known = commits.get(requestId)
    if (!known) {
      // It was asked for by another load, or without a known answer.
      if (memory.hasRequest(requestId)) return
      const unasked = [...commits.values()].findLast(
        (one) => !one.over && one.polls.length === 0 && sameRun(one, step) && one.end <= step.at,
      )
      // The host has no record of it either: nobody else committed under this id.
      if (unasked && scene.unbroken && isRefused(step) && step.status === 404) {
        scene.report('result-of-new-id', [unasked.seq, step.seq], { requestId, committed: unasked.requestId })
      }
      return
    }
    known.polls = lastOf([...known.polls, step.seq], 45)
    known.lastEnd = Math.max(known.lastEnd, step.end)
    // Not told, or no record any more: then the data is read back, which no rule demands to be seen here.
    if (member(step.answer, 'settled') === true || !isOk(step) || member(step.answer, 'settled') === undefined) {
      known.over = true
    }
    if (known.over && known.reported !== null) scene.withdraw(known.reported)
  }

  return {
    step(step, scene) {
      if (step.endpoint === 'writing.pencilCommit') commit(step, scene)
      else if (step.endpoint === 'writing.pencilResult') poll(step, scene)
      for (const one of commits.values()) if (!sameRun(one, step)) one.over = true
    },
    stepBeside(step, scene) {
      const requestId = textAt(step.body, 'requestId')
      if (step.endpoint === 'writing.pencilResult' && requestId !== null && commits.get(requestId)) poll(step, scene)
    },
    quiet(scene) {
      for (const one of commits.values()) {
        if (one.over || one.reported !== null || scene.now - one.lastEnd < QUIET_MS) continue
        const { requestId, seq, polls } = one
        one.reported = scene.report('commit-not-polled', [seq, ...polls], { requestId, polls: String(polls.length) })
      }
    },
  }
}

const isUnfinished = (one: Commit, step: Step): boolean =>
  !one.over && sameRun(one, step) && one.end <= step.at && step.at - one.lastEnd < STALE_MS

/** Records of operations are lost when the host restarts (spec §4). */
const sameRun = (one: Pick<Commit, 'instance'>, step: Step): boolean =>
  one.instance === null || step.instance === null || one.instance === step.instance
