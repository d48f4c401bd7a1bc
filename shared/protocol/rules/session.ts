import { member } from '../../json/object.ts'
import { QUIET_MS, Recent, type Scene, type Watch } from '../rule.ts'
import { isOk, textAt, type Step } from '../step.ts'

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
export function watchSessions(): Watch {
  const open = new Recent<Command>(100)

  function confirm(requestId: string, scene: Scene): void {
    const reported = open.get(requestId)?.reported ?? null
    if (reported !== null) scene.withdraw(reported)
    open.delete(requestId)
  }

  function begin(step: Step): void {
    const { seq, end, instance, answer } = step
    const requestId = textAt(step.body, 'requestId')
    // An answer that is not known may have said that it is done.
    if (requestId === null || !isOk(step) || answer === undefined || member(answer, 'settled') !== false) return
    const ids = [requestId, textAt(answer, 'attemptId'), textAt(answer, 'runId') ?? textAt(step.body, 'runId')]
    open.set(requestId, { requestId, seq, end, instance, ids: ids.filter((one) => one !== null), reported: null })
  }

  /** Where a host shows its session record the contract leaves open: any answer that names the session counts, and so does one that is not known. */
  function read(step: Step, scene: Scene): void {
    if (!isOk(step)) return
    const isAboutWriting = step.method === 'GET' && step.path.startsWith('/writing/')
    for (const one of [...open.values()]) {
      const tells = isAboutWriting || one.ids.some((id) => scene.contains(step.seq, id) !== false)
      if (step.seq !== one.seq && step.end >= one.end && tells) confirm(one.requestId, scene)
    }
  }

  return {
    step(step, scene) {
      for (const one of [...open.values()]) {
        const isOtherRun = one.instance !== null && step.instance !== null && one.instance !== step.instance
        if (isOtherRun) confirm(one.requestId, scene)
      }
      const requestId = textAt(step.body, 'requestId')
      if (!commands.has(step.endpoint ?? '')) read(step, scene)
      // The same request again asks how the first one ended.
      else if (requestId !== null && open.get(requestId)) confirm(requestId, scene)
      else begin(step)
    },
    stepBeside(step, scene) {
      if (!commands.has(step.endpoint ?? '')) read(step, scene)
    },
    quiet(scene) {
      for (const one of open.values()) {
        if (one.reported !== null || scene.now - one.end < QUIET_MS) continue
        one.reported = scene.report('session-not-confirmed', [one.seq], { requestId: one.requestId })
      }
    },
  }
}
