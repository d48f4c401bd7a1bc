import { setTimeout as wait } from 'node:timers/promises'
import { createCancelledError } from '../../../../shared/errors.ts'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import type { PanelResponse, PanelRequest } from '../call/types.ts'
import { applyRuleChanges } from './changed-response.ts'
import { createFaultResponse } from './fault-response.ts'

/** @throws AppError of the kind `cancelled` when the call is aborted */
export async function waitForRuleDelay({ delayMs }: Pick<OverrideRule, 'delayMs'>, signal: AbortSignal): Promise<void> {
  if (delayMs === 0) return
  try {
    await wait(delayMs, undefined, { signal, ref: false })
  } catch {
    throw createCancelledError()
  }
}

/** Responses with these statuses must not have a body (RFC 9110 §15). */
const STATUSES_WITHOUT_BODY = new Set([204, 205, 304])

/**
 * Creates the response of a rule after its delay. A call that is aborted during the delay or during
 * the fault `hang` becomes `broken`, and nothing is sent to the host.
 * @param getHostResponse is called only by a rule that changes the host's response.
 */
export async function createRuleResponse(
  rule: OverrideRule,
  request: Pick<PanelRequest, 'method' | 'signal'>,
  getHostResponse: () => Promise<PanelResponse>,
): Promise<PanelResponse> {
  const { signal } = request
  try {
    await waitForRuleDelay(rule, signal)
  } catch {
    return { kind: 'broken' }
  }
  if (signal.aborted) return { kind: 'broken' }
  const { answer } = rule
  if (answer.kind === 'fault') return createFaultResponse(answer, signal)
  if (answer.kind === 'change') return applyRuleChanges(rule, answer, await getHostResponse())
  const hasBody = request.method.toUpperCase() !== 'HEAD' && !STATUSES_WITHOUT_BODY.has(answer.status)
  return {
    kind: 'answer',
    status: answer.status,
    headers: answer.headers,
    body: hasBody ? Buffer.from(answer.body, answer.base64 ? 'base64' : 'utf8') : null,
  }
}
