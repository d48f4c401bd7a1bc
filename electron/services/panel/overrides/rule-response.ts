import { setTimeout as wait } from 'node:timers/promises'
import { createCancelledError } from '../../../../shared/errors.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import type { PanelResponse, PanelRequest } from '../call/types.ts'
import { applyRuleChanges } from './changed-response.ts'
import { createFaultResponse } from './fault-response.ts'

/**
 * Waits out the delay of a rule. Throws an error of the kind `cancelled` once the call is given up.
 */
export async function waitRuleDelay({ delayMs }: Pick<OverrideRule, 'delayMs'>, signal: AbortSignal): Promise<void> {
  if (delayMs === 0) return
  try {
    await wait(delayMs, undefined, { signal, ref: false })
  } catch {
    throw createCancelledError()
  }
}

/** Statuses that have no body. */
const bodiless = new Set([204, 205, 304])

/**
 * The answer that a rule makes, after its delay. Only a rule that changes the host's own answer
 * asks the host. A call that is given up during the delay or a hang is `broken`, and the host is
 * not asked.
 */
export async function createRuleResponse(
  rule: OverrideRule,
  request: Pick<PanelRequest, 'method' | 'signal'>,
  ask: () => Promise<PanelResponse>,
): Promise<PanelResponse> {
  const { signal } = request
  try {
    await waitRuleDelay(rule, signal)
  } catch {
    return { kind: 'broken' }
  }
  if (signal.aborted) return { kind: 'broken' }
  const { answer } = rule
  if (answer.kind === 'fault') return createFaultResponse(answer, signal)
  if (answer.kind === 'change') return applyRuleChanges(rule, answer, await ask())
  const hasBody = request.method.toUpperCase() !== 'HEAD' && !bodiless.has(answer.status)
  return {
    kind: 'answer',
    status: answer.status,
    headers: answer.headers,
    body: hasBody ? Buffer.from(answer.body, answer.base64 ? 'base64' : 'utf8') : null,
  }
}
