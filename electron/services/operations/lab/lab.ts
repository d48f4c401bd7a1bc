// Sends probes that show how a host handles unusual writes. A probe is sent like any other write,
// through operations/send. Read this file first, then probes.ts and step-judgement.ts.
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
const MAX_PLANS = 100
/** How long to wait for the outcome of a commit, and how often to poll for it. */
const MAX_WAIT_MS = 30_000
const POLL_INTERVAL_MS = 250

/**
 * Runs probes of the protocol, which compare the contract with the behaviour of the host. Every
 * write goes through `operations` and leaves a record. On any host but the demo, only the plan that
 * was shown runs, once, and the write lock of the profile applies.
 */
export function createLab(options: { client: BridgeClient; connection: Connection; operations: Operations }) {
  const { client, connection, operations } = options
  /** Plans that were shown and not run yet, each for one probe and target on one connection. */
  const plans = new Map<string, { readonly key: string; readonly steps: readonly ProbeStep[] }>()
  const computePlanKey = (probe: LabProbe, { topicid, noteid, surfaceId, commentId }: LabTarget): string => {
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

  function toPlannedStep(step: ProbeStep): Step {
    const planned = { code: step.code, expected: step.expected, actual: null, operationId: null, reason: null }
    if (!('draft' in step)) {
      const { method, path } = PENCIL_RESULT_ROW
      return { ...planned, method, path, body: JSON.stringify({ requestId: step.requestId }), result: 'planned' }
    }
    const command = prepareCommand(step.draft, connection.target(), connection.capabilities())
    const body = step.isPreview === true ? removeConfirm(command).bodyText : command.bodyText
    return { ...planned, method: command.endpoint.method, path: command.path, body, result: 'planned' }
  }

  async function planProbe(probe: LabProbe, target: LabTarget): Promise<LabRun> {
    const key = computePlanKey(probe, target)
    const context = await loadLabContext(options, probe, target)
    if (typeof context === 'string') return createSkippedRun(probe, context)
    const steps = buildProbeSteps(probe, context)
    if (plans.size >= MAX_PLANS) plans.clear()
    const id = randomUUID()
    plans.set(id, { key, steps })
    return { probe, result: 'planned', reason: null, plan: id, steps: steps.map(toPlannedStep) }
  }

  /** A plan's steps can be taken once. On the demo host a probe also runs without a plan. */
  async function takeSteps(probe: LabProbe, target: LabTarget, plan: string | null) {
    const planned = plan === null ? undefined : plans.get(plan)
    if (plan !== null && planned?.key === computePlanKey(probe, target)) {
      const host = getConnectedHost(connection)
      for (const step of planned.steps) {
        if ('draft' in step) assertWritable(prepareCommand(step.draft, host.target, host.capabilities), host)
      }
      plans.delete(plan)
      return planned.steps
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
    const key = computePlanKey(probe, target)
    const probeSteps = await takeSteps(probe, target, plan)
    if (typeof probeSteps === 'string') return createSkippedRun(probe, probeSteps)
    const isSameConnection = (): boolean => computePlanKey(probe, target) === key
    const steps: Step[] = []
    const responses: LabResponse[] = []
    for (const step of probeSteps) {
      // Later steps build on earlier ones.
      if (steps.some((earlier) => earlier.result !== 'as-expected')) {
        steps.push({ ...toPlannedStep(step), result: 'skipped', reason: 'went-otherwise' })
        continue
      }
      const result =
        'draft' in step
          ? await sendStep(step, responses, isSameConnection)
          : await waitForOutcome(step, isSameConnection)
      steps.push(result)
      // The control step was refused too, so the refusal before it has a cause other than the rule.
      if (result.reason === 'control-too') disprove(steps, probeSteps)
    }
    // A final wait frees the window for the next probe and says nothing about the current probe.
    const judgedSteps = probeSteps.at(-1)?.expected === 'settled' ? steps.slice(0, -1) : steps
    const worstResult = (['failed', 'differs', 'says-nothing'] as const).find((candidate) =>
      judgedSteps.some(({ result }) => result === candidate),
    )
    return { probe, result: worstResult ?? 'as-expected', reason: null, plan: null, steps }
  }

  /** After the first check, the ticket ensures that the connection stays the same. */
  async function sendStep(step: SendStep, responses: LabResponse[], isSameConnection: () => boolean): Promise<Step> {
    const planned = toPlannedStep(step)
    try {
      if (!isSameConnection()) throw createStaleTicketError()
      const { ticket } = await operations.prepare({ ...step.draft, caller: 'lab' })
      if (step.isPreview === true) {
        const { operationId, ...response } = await operations.preview(ticket)
        return { ...(await judgeStep(planned, step, response, responses)), operationId }
      }
      const { summary, events } = await operations.send(ticket)
      const response = events.findLast((event) => event.kind === 'answer')
      const operationId = summary.id
      if (response?.kind !== 'answer') {
        const failure = events.findLast((event) => event.kind === 'failure')
        const error = failure?.kind === 'failure' ? toWireError(fromWireError(failure.error)) : null
        return { ...planned, actual: { status: null, body: null, error }, result: 'failed', operationId }
      }
      const { status, body } = response
      const hasChanged = summary.verdict.code === 'refused-changed'
      return {
        ...(await judgeStep(planned, step, { status, code: errorCodeOf(body), body, hasChanged }, responses)),
        operationId,
      }
    } catch (error) {
      if (!(error instanceof AppError) || error.wire.code === 'READ_ONLY') throw error
      return { ...planned, actual: { status: null, body: null, error: error.wire }, result: 'failed' }
    }
  }

  async function judgeStep(
    planned: Step,
    step: SendStep,
    response: LabResponse,
    responses: LabResponse[],
  ): Promise<Step> {
    const actual = { status: response.status, body: response.body, error: null }
    const judgement = judgeLabStep(step.expected, response, responses)
    responses.push(response)
    // A commit that has already ended does not block the next commit.
    if (
      step.unfinishedRequestId !== undefined &&
      judgement.result === 'differs' &&
      (await getCommitState(step.unfinishedRequestId)) !== 'unfinished'
    ) {
      return { ...planned, actual, result: 'says-nothing', reason: 'settled-too-soon' }
    }
    return { ...planned, actual, ...judgement }
  }

  /** Polls until the commit has ended (spec §4 pencil-result) or the time limit is reached. */
  async function waitForOutcome(step: WaitStep, isSameConnection: () => boolean): Promise<Step> {
    const planned = toPlannedStep(step)
    const deadline = performance.now() + MAX_WAIT_MS
    for (;;) {
      if (!isSameConnection())
        return {
          ...planned,
          actual: { status: null, body: null, error: createStaleTicketError().wire },
          result: 'failed',
        }
      const response = await requestResult(step.requestId)
      if (response.kind === 'failure') {
        return { ...planned, actual: { status: null, body: null, error: response.error.wire }, result: 'failed' }
      }
      const actual = { status: response.status, body: response.value, error: null }
      if (getMember(response.value, 'settled') === true) return { ...planned, actual, result: 'as-expected' }
      if (response.status >= 400 || performance.now() > deadline) {
        return { ...planned, actual, result: 'says-nothing', reason: 'not-settled' }
      }
      await sleep(POLL_INTERVAL_MS)
    }
  }

  const requestResult = (requestId: string) =>
    client.sendOnce(connection.target(), {
      endpoint: PENCIL_RESULT_ROW,
      body: { requestId },
      limits: { totalTimeoutMs: 15_000 },
      origin: { kind: 'lab', label: null },
    })

  async function getCommitState(requestId: string): Promise<'unfinished' | 'ended' | 'unknown'> {
    const response = await requestResult(requestId)
    const isSettled = response.kind === 'answer' ? getMember(response.value, 'settled') : undefined
    return isSettled === false ? 'unfinished' : isSettled === true ? 'ended' : 'unknown'
  }

  return { plan: planProbe, run }
}

export type Lab = ReturnType<typeof createLab>

const PENCIL_RESULT_ROW = getEndpoint('writing.pencilResult')

/** Marks the last refusal as no proof, because a control was refused in the same way. */
function disprove(steps: Step[], probeSteps: readonly ProbeStep[]): void {
  const index = probeSteps.findLastIndex((step, stepIndex) => stepIndex < steps.length - 1 && 'draft' in step)
  const step = steps[index]
  if (step) steps[index] = { ...step, result: 'says-nothing', reason: 'control-too' }
}

const createSkippedRun = (probe: LabProbe, reason: LabSkipReason): LabRun => ({
  probe,
  result: 'skipped',
  reason,
  plan: null,
  steps: [],
})
