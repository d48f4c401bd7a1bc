import { getMember } from '../../json/object.ts'
import { FOLLOW_UP_TIMEOUT_MS, BoundedMap, type RuleContext, type RuleState } from '../rule-state.ts'
import { isSuccess, getText, type ObservedExchange } from '../observed-exchange.ts'

interface Command {
  readonly requestId: string
  readonly seq: number
  readonly end: number
  readonly instance: string | null
  /** Values by which an answer shows that it tells of this session. */
  readonly ids: readonly string[]
  reported: string | null
}

const commands: ReadonlySet<string> = new Set([
  'writing.sessionFocusBegin',
  'writing.sessionReserve',
  'writing.sessionPause',
])

/** Session commands of one load of a caller: accepted means written down, and how it ended has to be read (spec §3, §4 session-reserve). */
export function createSessionRule(): RuleState {
  const open = new BoundedMap<Command>(100)

  function confirm(requestId: string, scene: RuleContext): void {
    const reported = open.get(requestId)?.reported ?? null
    if (reported !== null) scene.withdraw(reported)
    open.delete(requestId)
  }

  function begin(step: ObservedExchange): void {
    const { seq, endedAt: end, instance, response: answer } = step
    const requestId = getText(step.body, 'requestId')
    // An answer that is not known may have said that it is done.
    if (requestId === null || !isSuccess(step) || answer === undefined || getMember(answer, 'settled') !== false) return
    const ids = [requestId, getText(answer, 'attemptId'), getText(answer, 'runId') ?? getText(step.body, 'runId')]
    open.set(requestId, { requestId, seq, end, instance, ids: ids.filter((one) => one !== null), reported: null })
  }

  /** Where a host shows its session record the contract leaves open: any answer that names the session counts, and so does one that is not known. */
  function read(step: ObservedExchange, scene: RuleContext): void {
    if (!isSuccess(step)) return
    const isAboutWriting = step.method === 'GET' && step.path.startsWith('/writing/')
    for (const one of [...open.values()]) {
      const tells = isAboutWriting || one.ids.some((id) => scene.responseContains(step.seq, id) !== false)
      if (step.seq !== one.seq && step.endedAt >= one.end && tells) confirm(one.requestId, scene)
    }
  }

  return {
    observe(step, scene) {
      for (const one of [...open.values()]) {
        const isOtherRun = one.instance !== null && step.instance !== null && one.instance !== step.instance
        if (isOtherRun) confirm(one.requestId, scene)
      }
      const requestId = getText(step.body, 'requestId')
      if (!commands.has(step.endpoint ?? '')) read(step, scene)
      // The same request again asks how the first one ended.
      else if (requestId !== null && open.get(requestId)) confirm(requestId, scene)
      else begin(step)
    },
    observeSibling(step, scene) {
      if (!commands.has(step.endpoint ?? '')) read(step, scene)
    },
    checkOverdue(scene) {
      for (const one of open.values()) {
        if (one.reported !== null || scene.timestamp - one.end < FOLLOW_UP_TIMEOUT_MS) continue
        one.reported = scene.report('session-not-confirmed', [one.seq], { requestId: one.requestId })
      }
    },
  }
}
