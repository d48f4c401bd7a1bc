import { randomUUID } from 'node:crypto'
import { endpoint } from '../../../shared/bridge/endpoints/index.ts'
import { errorCodeOf } from '../../../shared/bridge/operation-facts.ts'
import { readAnswer } from '../../../shared/bridge/read-answer.ts'
import { AppError, fromWire, refused, toWire } from '../../../shared/errors.ts'
import type { LabProbe, LabRun } from '../../../shared/ipc/lab.ts'
import type { Connection } from '../bridge/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'
import { prepareCommand, withoutConfirm } from './command.ts'
import { hereOf } from './here.ts'
import { isExpected, saysNothing, stepsOf, type LabAnswer, type LabContext, type ProbeStep } from './lab-probes.ts'
import type { Operations } from './operations.ts'
import { assertWritable, stale } from './sender.ts'

export interface LabTarget {
  readonly topicid: string | null
  readonly noteid: string | null
}
type Step = LabRun['steps'][number]
/** Plans that wait to be run. */
const MOST_PLANS = 100

/**
 * Probes of the protocol: what the contract says beside what the host does. Every write goes through the gate and leaves a record. On a host
 * that is not the demo exactly the plan that was asked for runs, once; the gate refuses it while the profile is locked.
 */
export function createLab(options: { client: BridgeClient; connection: Connection; operations: Operations }) {
  const { client, connection, operations } = options
  /** What was shown, until it is run: for one probe and target on one connection. */
  const planned = new Map<string, { readonly key: string; readonly steps: readonly ProbeStep[] }>()
  const keyOf = (probe: LabProbe, { topicid, noteid }: LabTarget): string => {
    const { target, profileId, nonce } = hereOf(connection)
    return JSON.stringify([profileId, target.baseUrl, target.epoch, nonce, probe, topicid, noteid])
  }

  /** The card that was named, or the one that the host has open; null where there is none. */
  async function contextOf({ noteid, topicid }: LabTarget): Promise<LabContext | null> {
    const target = connection.target()
    const wanted = noteid ?? (await openCard())
    if (wanted === null) return null
    const { value } = await client.requestJson(target, {
      endpoint: endpoint('notes.batchGet'),
      body: { noteIds: [wanted] },
    })
    const item = readAnswer('notes.batchGet', value).value?.items[0]
    if (!item) return null
    const text = (name: string): string => (typeof item[name] === 'string' ? item[name] : '')
    const set = topicid ?? text('topicid')
    if (set === '') return null
    const demo = connection.state().profile?.demo === true
    return { topicid: set, noteid: wanted, revision: text('commentsRevision'), title: text('title'), demo }
  }

  async function openCard(): Promise<string | null> {
    const { value } = await client.requestJson(connection.target(), { endpoint: endpoint('uiState.get') })
    return readAnswer('uiState.get', value).value?.state?.focusnoteid || null
  }

  function plannedStep({ code, draft, expected, preview }: ProbeStep): Step {
    const command = prepareCommand(draft, connection.target())
    const body = preview === true ? withoutConfirm(command).bodyText : command.bodyText
    const { method } = command.endpoint
    const shown = { code, method, path: command.path, body, expected }
    return { ...shown, actual: null, result: 'planned', operationId: null, reason: null }
  }

  async function planOf(probe: LabProbe, target: LabTarget): Promise<LabRun> {
    const key = keyOf(probe, target)
    const context = await contextOf(target)
    if (!context) return noCard(probe)
    const steps = stepsOf(probe, context)
    if (planned.size >= MOST_PLANS) planned.clear()
    const id = randomUUID()
    planned.set(id, { key, steps })
    return { probe, result: 'planned', reason: null, plan: id, steps: steps.map(plannedStep) }
  }

  /** The steps that were shown, which are good for one run; on the demo without being shown, where it has a card. */
  async function stepsToRun(probe: LabProbe, target: LabTarget, plan: string | null) {
    const shown = plan === null ? undefined : planned.get(plan)
    if (plan !== null && shown?.key === keyOf(probe, target)) {
      const here = hereOf(connection)
      for (const { draft } of shown.steps) assertWritable(prepareCommand(draft, here.target), here)
      planned.delete(plan)
      return shown.steps
    }
    if (plan !== null || connection.state().profile?.demo !== true) {
      throw refused(
        'LAB_NOT_PLANNED',
        'Look at the plan of this probe first: it writes to a host that is not the demo.',
      )
    }
    const context = await contextOf(target)
    return context && stepsOf(probe, context)
  }

  async function run(probe: LabProbe, target: LabTarget, plan: string | null): Promise<LabRun> {
    const key = keyOf(probe, target)
    const wanted = await stepsToRun(probe, target, plan)
    if (!wanted) return noCard(probe)
    const steps: Step[] = []
    let first: unknown
    for (const step of wanted) {
      // What follows builds on what came before.
      if (steps.some(({ result }) => result !== 'as-expected')) {
        steps.push({ ...plannedStep(step), result: 'skipped', reason: 'went-otherwise' })
        continue
      }
      const taken = await take(step, first, () => keyOf(probe, target) === key)
      first ??= taken.actual?.body
      steps.push(taken)
    }
    const worst = (['failed', 'differs'] as const).find((result) => steps.some((step) => step.result === result))
    return { probe, result: worst ?? 'as-expected', reason: null, plan: null, steps }
  }

  /** `isHere`: the connection is the one that the probe was begun on; a ticket holds it from then on. */
  async function take(step: ProbeStep, first: unknown, isHere: () => boolean): Promise<Step> {
    const shown = plannedStep(step)
    try {
      if (!isHere()) throw stale()
      const { ticket } = await operations.prepare(step.draft)
      if (step.preview === true) {
        const { operationId, ...answer } = await operations.preview(ticket)
        return { ...judged(shown, step, answer, first), operationId }
      }
      const { summary, events } = await operations.send(ticket)
      const answer = events.findLast((event) => event.kind === 'answer')
      const operationId = summary.id
      if (answer?.kind !== 'answer') {
        const failure = events.findLast((event) => event.kind === 'failure')
        const error = failure?.kind === 'failure' ? toWire(fromWire(failure.error)) : null
        return { ...shown, actual: { status: null, body: null, error }, result: 'failed', operationId }
      }
      const { status, body } = answer
      return { ...judged(shown, step, { status, code: errorCodeOf(body), body }, first), operationId }
    } catch (error) {
      if (!(error instanceof AppError) || error.wire.code === 'READ_ONLY') throw error
      return { ...shown, actual: { status: null, body: null, error: error.wire }, result: 'failed' }
    }
  }

  function judged(shown: Step, { expected }: ProbeStep, answer: LabAnswer, first: unknown): Step {
    const { status, body } = answer
    const actual = { status, body, error: null }
    if (saysNothing(expected, answer)) return { ...shown, actual, result: 'failed', reason: 'says-nothing' }
    return { ...shown, actual, result: isExpected(expected, answer, first) ? 'as-expected' : 'differs' }
  }

  return { plan: planOf, run }
}

const noCard = (probe: LabProbe): LabRun => ({
  probe,
  result: 'skipped',
  reason: 'no-card',
  plan: null,
  steps: [],
})

export type Lab = ReturnType<typeof createLab>
