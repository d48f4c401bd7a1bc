import { toCanonicalJson, isSuccess, isRefused, getText, type ObservedExchange } from '../observed-exchange.ts'
import { getMember } from '../../json/object.ts'
import {
  takeLast,
  FOLLOW_UP_TIMEOUT_MS,
  BoundedMap,
  type CallerMemory,
  type RuleContext,
  type RuleState,
} from '../rule-state.ts'

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
  isFinished: boolean
  reported: string | null
}

/** How long an unfinished commit counts against the next one in its window. */
const STALE_MS = 10 * 60_000
/** Refusals that have another cause than an unfinished commit. */
const otherCauses: ReadonlySet<number | null> = new Set([400, 401, 403, 404, 422, 429])

/** Pencil commits of one caller, by request id (spec §4 pencil-commit, pencil-result). */
export function createPencilRule(memory: CallerMemory): RuleState {
  const commits = new BoundedMap<Commit>(200)

  function commit(step: ObservedExchange, scene: RuleContext): void {
    const requestId = getText(step.body, 'requestId')
    if (requestId === null) return
    memory.addRequest(requestId)
    const target = toCanonicalJson(getMember(step.body, 'target'))
    const surfaceId = getText(step.body, 'surfaceId')
    const known = commits.get(requestId)
    if (known && isSameRun(known, step) && step.startedAt >= known.end) {
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
    if (!isSuccess(step)) return
    const windowId = getText(step.response, 'windowId')
    const { seq, endedAt: end, instance } = step
    const isFinished = getMember(step.response, 'settled') === true
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
      isFinished,
      reported: null,
    }
    commits.set(requestId, made)
  }

  function poll(step: ObservedExchange, scene: RuleContext): void {
    const requestId = getText(step.body, 'requestId')
    if (requestId === null) return
    const known = commits.get(requestId)
    if (!known) {
      // It was asked for by another load, or without a known answer.
      if (memory.hasRequest(requestId)) return
      const unasked = [...commits.values()].findLast(
        (one) => !one.isFinished && one.polls.length === 0 && isSameRun(one, step) && one.end <= step.startedAt,
      )
      // The host has no record of it either: nobody else committed under this id.
      if (unasked && scene.isRecordingComplete && isRefused(step) && step.status === 404) {
        scene.report('result-of-new-id', [unasked.seq, step.seq], { requestId, committed: unasked.requestId })
      }
      return
    }
    known.polls = takeLast([...known.polls, step.seq], 45)
    known.lastEnd = Math.max(known.lastEnd, step.endedAt)
    // Not told, or no record any more: then the data is read back, which no rule demands to be seen here.
    if (
      getMember(step.response, 'settled') === true ||
      !isSuccess(step) ||
      getMember(step.response, 'settled') === undefined
    ) {
      known.isFinished = true
    }
    if (known.isFinished && known.reported !== null) scene.withdraw(known.reported)
  }

  return {
    observe(step, scene) {
      if (step.endpoint === 'writing.pencilCommit') commit(step, scene)
      else if (step.endpoint === 'writing.pencilResult') poll(step, scene)
      for (const one of commits.values()) if (!isSameRun(one, step)) one.isFinished = true
    },
    observeSibling(step, scene) {
      const requestId = getText(step.body, 'requestId')
      if (step.endpoint === 'writing.pencilResult' && requestId !== null && commits.get(requestId)) poll(step, scene)
    },
    checkOverdue(scene) {
      for (const one of commits.values()) {
        if (one.isFinished || one.reported !== null || scene.timestamp - one.lastEnd < FOLLOW_UP_TIMEOUT_MS) continue
        const { requestId, seq, polls } = one
        one.reported = scene.report('commit-not-polled', [seq, ...polls], { requestId, polls: String(polls.length) })
      }
    },
  }
}

const isUnfinished = (one: Commit, step: ObservedExchange): boolean =>
  !one.isFinished && isSameRun(one, step) && one.end <= step.startedAt && step.startedAt - one.lastEnd < STALE_MS

/** Records of operations are lost when the host restarts (spec §4). */
const isSameRun = (one: Pick<Commit, 'instance'>, step: ObservedExchange): boolean =>
  one.instance === null || step.instance === null || one.instance === step.instance
