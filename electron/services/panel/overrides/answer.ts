import { setTimeout as wait } from 'node:timers/promises'
import { cancelled } from '../../../../shared/errors.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import type { PanelAnswer, PanelRequest } from '../call/types.ts'
import { changedAnswer } from './change.ts'
import { faultAnswer } from './faults.ts'

/** Waits out the delay of a rule. Throws an error of the kind `cancelled` once the call is given up. */
export async function waitDelay({ delayMs }: Pick<OverrideRule, 'delayMs'>, signal: AbortSignal): Promise<void> {
  if (delayMs === 0) return
  try {
    await wait(delayMs, undefined, { signal, ref: false })
  } catch {
    throw cancelled()
  }
}

/** Statuses that have no body. */
const bodiless = new Set([204, 205, 304])

/**
 * The answer that a rule makes, after its delay. Only a rule that changes the host's own answer asks the host. A call that is given up
 * during the delay or a hang is `broken`, and the host is not asked.
 */
export async function ruleAnswer(
  rule: OverrideRule,
  request: Pick<PanelRequest, 'method' | 'signal'>,
  ask: () => Promise<PanelAnswer>,
): Promise<PanelAnswer> {
  const { signal } = request
  try {
    await waitDelay(rule, signal)
  } catch {
    return { kind: 'broken' }
  }
  if (signal.aborted) return { kind: 'broken' }
  const { answer } = rule
  if (answer.kind === 'fault') return faultAnswer(answer, signal)
  if (answer.kind === 'change') return changedAnswer(rule, answer, await ask())
  const hasBody = request.method.toUpperCase() !== 'HEAD' && !bodiless.has(answer.status)
  return {
    kind: 'answer',
    status: answer.status,
    headers: answer.headers,
    body: hasBody ? Buffer.from(answer.body, answer.base64 ? 'base64' : 'utf8') : null,
  }
}
