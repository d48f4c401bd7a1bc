import { endpoint } from '../../../shared/bridge/endpoints/index.ts'
import { listedIn } from '../../../shared/bridge/listed.ts'
import { AppError, refused } from '../../../shared/errors.ts'
import type { LabProbe, LabRun } from '../../../shared/ipc/lab.ts'
import type { Connection } from '../bridge/connection.ts'
import type { BridgeClient } from '../bridge/types.ts'
import { commandOf, withoutConfirm } from './command.ts'
import { isExpected, stepsOf, type LabContext, type ProbeStep } from './lab-probes.ts'
import type { Operations } from './operations.ts'

export interface LabTarget {
  readonly topicid: string | null
  readonly noteid: string | null
}
type Step = LabRun['steps'][number]

/**
 * Probes of the protocol: what the contract says beside what the host does. Every write goes through the gate and leaves a record. On a host
 * that is not the demo a probe runs only after its plan was asked for; the gate refuses it while the profile is locked.
 */
export function createLab(options: { client: BridgeClient; connection: Connection; operations: Operations }) {
  const { client, connection, operations } = options
  const planned = new Set<string>()
  const keyOf = (probe: LabProbe, { topicid, noteid }: LabTarget): string =>
    JSON.stringify([connection.state().profile?.id, probe, topicid, noteid])

  /** The card that was named, or the one that the host has open; null where there is none. */
  async function contextOf({ noteid, topicid }: LabTarget): Promise<LabContext | null> {
    const target = connection.target()
    const wanted = noteid ?? (await openCard())
    if (wanted === null) return null
    const { value } = await client.requestJson(target, {
      endpoint: endpoint('notes.batchGet'),
      body: { noteIds: [wanted] },
    })
    const [item] = listedIn<Record<string, unknown>>(value, 'items').items
    if (!item) return null
    const text = (name: string): string => (typeof item[name] === 'string' ? item[name] : '')
    const set = topicid ?? text('topicid')
    if (set === '') return null
    const demo = connection.state().profile?.demo === true
    return { topicid: set, noteid: wanted, revision: text('commentsRevision'), title: text('title'), demo }
  }

  async function openCard(): Promise<string | null> {
    const { value } = await client.requestJson(connection.target(), { endpoint: endpoint('uiState.get') })
    const state: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'state') : null
    const id: unknown = typeof state === 'object' && state !== null ? Reflect.get(state, 'focusnoteid') : null
    return typeof id === 'string' && id !== '' ? id : null
  }

  function plannedStep({ code, draft, expected, preview }: ProbeStep): Step {
    const command = commandOf(draft, connection.target())
    const body = preview === true ? withoutConfirm(command).bodyText : command.bodyText
    const { method } = command.endpoint
    return { code, method, path: command.path, body, expected, actual: null, result: 'planned', operationId: null }
  }

  async function plan(probe: LabProbe, target: LabTarget): Promise<LabRun> {
    const context = await contextOf(target)
    if (!context) return { probe, result: 'skipped', reason: 'no-card', steps: [] }
    planned.add(keyOf(probe, target))
    return { probe, result: 'planned', reason: null, steps: stepsOf(probe, context).map(plannedStep) }
  }

  async function run(probe: LabProbe, target: LabTarget): Promise<LabRun> {
    if (connection.state().profile?.demo !== true && !planned.has(keyOf(probe, target))) {
      throw refused(
        'LAB_NOT_PLANNED',
        'Look at the plan of this probe first: it writes to a host that is not the demo.',
      )
    }
    const context = await contextOf(target)
    if (!context) return { probe, result: 'skipped', reason: 'no-card', steps: [] }
    const steps: Step[] = []
    for (const step of stepsOf(probe, context)) steps.push(await take(step))
    const worst = (['failed', 'differs'] as const).find((result) => steps.some((step) => step.result === result))
    return { probe, result: worst ?? 'as-expected', reason: null, steps }
  }

  async function take(step: ProbeStep): Promise<Step> {
    const shown = plannedStep(step)
    try {
      const { ticket } = await operations.prepare(step.draft)
      if (step.preview === true) {
        const { status, code, body } = await operations.preview(ticket)
        return { ...shown, actual: { status, body, error: null }, result: resultOf(step, status, code) }
      }
      const { summary, events } = await operations.send(ticket)
      const answer = events.findLast((event) => event.kind === 'answer')
      const status = answer?.kind === 'answer' ? answer.status : null
      const body = answer?.kind === 'answer' ? answer.body : null
      const result = status === null ? 'failed' : resultOf(step, status, summary.errorCode)
      return { ...shown, actual: { status, body, error: null }, result, operationId: summary.id }
    } catch (error) {
      if (!(error instanceof AppError) || error.wire.code === 'READ_ONLY') throw error
      return { ...shown, actual: { status: null, body: null, error: error.wire }, result: 'failed' }
    }
  }

  const resultOf = ({ expected }: ProbeStep, status: number, code: string | null): Step['result'] =>
    isExpected(expected, status, code) ? 'as-expected' : 'differs'

  return { plan, run }
}

export type Lab = ReturnType<typeof createLab>
