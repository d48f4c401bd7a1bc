import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { getEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import { errorCodeOf } from '../../../../shared/bridge/errors.ts'
import { getMember } from '../../../../shared/json/object.ts'
import { AppError, fromWireError, createRefusedError, toWireError } from '../../../../shared/errors.ts'
import type { LabProbe, LabRun, LabSkipReason, LabTarget } from '../../../../shared/ipc/lab.ts'
import type { Connection } from '../../bridge/connection/connection.ts'
import type { BridgeClient } from '../../bridge/types.ts'
import { prepareCommand, removeConfirm } from '../send/prepared-command.ts'
import { getConnectedHost } from '../../bridge/connection/connected-host.ts'
import { loadLabContext } from './lab-context.ts'
import { judgeLabStep, type LabResponse } from './step-judgement.ts'
import { buildProbeSteps, type ProbeStep, type SendStep, type WaitStep } from './probes.ts'
import type { Operations } from '../operations.ts'
import { assertWritable, createStaleTicketError } from '../send/sender.ts'

type Step = LabRun['steps'][number]
/** Maximum number of plans waiting to be run. */
const MAX_PLANS = 100
/** How long to wait for the outcome of a commit, and how often to look for it. */
const MAX_WAIT_MS = 30_000
const POLL_INTERVAL_MS = 250

/**
 * Probes of the protocol: what the contract says next to what the host does. Every write goes through the gate and leaves a record. On
 * any host but the demo, only the plan that was shown runs, once; the gate refuses it while the profile is locked.
 */
export function createLab(options: { client: BridgeClient; connection: Connection; operations: Operations }) {
  const { client, connection, operations } = options
  /** What was shown, until it is run: for one probe and target on one connection. */
  const planned = new Map<string, { readonly key: string; readonly steps: readonly ProbeStep[] }>()
  const keyOf = (probe: LabProbe, { topicid, noteid, surfaceId, commentId }: LabTarget): string => {
    const { target, profileId, instanceNonce: nonce } = getConnectedHost(connection)
    return JSON.stringify([
      profileId,
      target.baseUrl,
      target.epoch,
      nonce,
      probe,
      topicid,
      noteid,
      surfaceId,
      commentId,
    ])
  }

  function plannedStep(step: ProbeStep): Step {
    const shown = { code: step.code, expected: step.expected, actual: null, operationId: null, reason: null }
    if (!('draft' in step)) {
      const { method, path } = result
      return { ...shown, method, path, body: JSON.stringify({ requestId: step.requestId }), result: 'planned' }
    }
    const command = prepareCommand(step.draft, connection.target(), connection.capabilities())
    const body = step.isPreview === true ? removeConfirm(command).bodyText : command.bodyText
    return { ...shown, method: command.endpoint.method, path: command.path, body, result: 'planned' }
  }

  async function planOf(probe: LabProbe, target: LabTarget): Promise<LabRun> {
    const key = keyOf(probe, target)
    const context = await loadLabContext(options, probe, target)
    if (typeof context === 'string') return skipped(probe, context)
    const steps = buildProbeSteps(probe, context)
    if (planned.size >= MAX_PLANS) planned.clear()
    const id = randomUUID()
    planned.set(id, { key, steps })
    return { probe, result: 'planned', reason: null, plan: id, steps: steps.map(plannedStep) }
  }

  /** The steps that were shown, which can be run once; on the demo also without being shown, if it has a card. */
  async function stepsToRun(probe: LabProbe, target: LabTarget, plan: string | null) {
    const shown = plan === null ? undefined : planned.get(plan)
    if (plan !== null && shown?.key === keyOf(probe, target)) {
      const here = getConnectedHost(connection)
      for (const step of shown.steps) {
        if ('draft' in step) assertWritable(prepareCommand(step.draft, here.target, here.capabilities), here)
      }
      planned.delete(plan)
      return shown.steps
    }
    if (plan !== null || connection.state().profile?.demo !== true) {
      throw createRefusedError(
        'LAB_NOT_PLANNED',
        'Show the plan of this probe first: it writes to a host that is not the demo host.',
      )
    }
    const context = await loadLabContext(options, probe, target)
    return typeof context === 'string' ? context : buildProbeSteps(probe, context)
  }

  async function run(probe: LabProbe, target: LabTarget, plan: string | null): Promise<LabRun> {
    const key = keyOf(probe, target)
    const wanted = await stepsToRun(probe, target, plan)
    if (typeof wanted === 'string') return skipped(probe, wanted)
    const isHere = (): boolean => keyOf(probe, target) === key
    const steps: Step[] = []
    const answers: LabResponse[] = []
    for (const step of wanted) {
      // Later steps build on earlier ones.
      if (steps.some((one) => one.result !== 'as-expected')) {
        steps.push({ ...plannedStep(step), result: 'skipped', reason: 'went-otherwise' })
        continue
      }
      const taken = 'draft' in step ? await take(step, answers, isHere) : await settled(step, isHere)
      steps.push(taken)
      // The refusal had another reason than the rule, because it also comes when the rule does not apply.
      if (taken.reason === 'control-too') disprove(steps, wanted)
    }
    // A last wait leaves the window free for the next probe, and says nothing about this one.
    const told = wanted.at(-1)?.expected === 'settled' ? steps.slice(0, -1) : steps
    const worst = (['failed', 'differs', 'says-nothing'] as const).find((one) =>
      told.some(({ result }) => result === one),
    )
    return { probe, result: worst ?? 'as-expected', reason: null, plan: null, steps }
  }

  /** `isHere`: the connection is still the one that the probe began on; from here on a ticket ensures that. */
  async function take(step: SendStep, answers: LabResponse[], isHere: () => boolean): Promise<Step> {
    const shown = plannedStep(step)
    try {
      if (!isHere()) throw createStaleTicketError()
      const { ticket } = await operations.prepare({ ...step.draft, caller: 'lab' })
      if (step.isPreview === true) {
        const { operationId, ...answer } = await operations.preview(ticket)
        return { ...(await judged(shown, step, answer, answers)), operationId }
      }
      const { summary, events } = await operations.send(ticket)
      const answer = events.findLast((event) => event.kind === 'answer')
      const operationId = summary.id
      if (answer?.kind !== 'answer') {
        const failure = events.findLast((event) => event.kind === 'failure')
        const error = failure?.kind === 'failure' ? toWireError(fromWireError(failure.error)) : null
        return { ...shown, actual: { status: null, body: null, error }, result: 'failed', operationId }
      }
      const { status, body } = answer
      const changed = summary.verdict.code === 'refused-changed'
      return {
        ...(await judged(shown, step, { status, code: errorCodeOf(body), body, hasChanged: changed }, answers)),
        operationId,
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.wire.code === 'READ_ONLY') throw error
      return { ...shown, actual: { status: null, body: null, error: error.wire }, result: 'failed' }
    }
  }

  async function judged(shown: Step, step: SendStep, answer: LabResponse, answers: LabResponse[]): Promise<Step> {
    const actual = { status: answer.status, body: answer.body, error: null }
    const said = judgeLabStep(step.expected, answer, answers)
    answers.push(answer)
    // A commit that had already ended does not block another one.
    if (
      step.unfinishedRequestId !== undefined &&
      said.result === 'differs' &&
      (await outcomeOf(step.unfinishedRequestId)) !== 'unfinished'
    ) {
      return { ...shown, actual, result: 'says-nothing', reason: 'settled-too-soon' }
    }
    return { ...shown, actual, ...said }
  }

  /** Asks until the commit has ended (spec §4 pencil-result), within reason. */
  async function settled(step: WaitStep, isHere: () => boolean): Promise<Step> {
    const shown = plannedStep(step)
    const until = performance.now() + MAX_WAIT_MS
    for (;;) {
      if (!isHere())
        return {
          ...shown,
          actual: { status: null, body: null, error: createStaleTicketError().wire },
          result: 'failed',
        }
      const answer = await askResult(step.requestId)
      if (answer.kind === 'failure') {
        return { ...shown, actual: { status: null, body: null, error: answer.error.wire }, result: 'failed' }
      }
      const actual = { status: answer.status, body: answer.value, error: null }
      if (getMember(answer.value, 'settled') === true) return { ...shown, actual, result: 'as-expected' }
      if (answer.status >= 400 || performance.now() > until) {
        return { ...shown, actual, result: 'says-nothing', reason: 'not-settled' }
      }
      await sleep(POLL_INTERVAL_MS)
    }
  }

  const askResult = (requestId: string) =>
    client.sendOnce(connection.target(), {
      endpoint: result,
      body: { requestId },
      limits: { totalTimeoutMs: 15_000 },
      origin: { kind: 'lab', label: null },
    })

  async function outcomeOf(requestId: string): Promise<'unfinished' | 'ended' | 'unknown'> {
    const answer = await askResult(requestId)
    const said = answer.kind === 'answer' ? getMember(answer.value, 'settled') : undefined
    return said === false ? 'unfinished' : said === true ? 'ended' : 'unknown'
  }

  return { plan: planOf, run }
}

export type Lab = ReturnType<typeof createLab>

const result = getEndpoint('writing.pencilResult')

/** Withdraws the last refusal, because a control was refused in the same way. */
function disprove(steps: Step[], wanted: readonly ProbeStep[]): void {
  const at = wanted.findLastIndex((step, n) => n < steps.length - 1 && 'draft' in step)
  const step = steps[at]
  if (step) steps[at] = { ...step, result: 'says-nothing', reason: 'control-too' }
}

const skipped = (probe: LabProbe, reason: LabSkipReason): LabRun => ({
  probe,
  result: 'skipped',
  reason,
  plan: null,
  steps: [],
})
