import type { Relay } from '../../bridge/types.ts'
import { because } from '../../../../shared/panel/reason.ts'
import type { GateChange } from '../../../../shared/panel/panel.ts'
import { gateHeaders, answerHeaders } from './headers.ts'
import type { Outcome, Passing } from './gate.ts'

/** Passes a read on to the host and its answer back, streamed. Throws `AppError` where no answer came. */
export async function passRead(
  relay: Relay,
  { call, path, row, here, signal, origin, rule, hold }: Passing,
): Promise<Outcome> {
  const { status, headers, body, exchangeId, maskedCount } = await relay.relay(here.target, {
    endpoint: row,
    method: call.method,
    rawPath: path.path + path.query,
    headers: gateHeaders(call.headers).passed,
    body: call.body,
    length: call.body?.byteLength ?? null,
    origin,
    rule,
    hold,
    signal,
    masked: true,
  })
  return {
    answer: {
      kind: 'answer',
      ...{ status, headers: answerHeaders(headers), body },
      changedOnTheWay: () => (maskedCount() > 0 ? [masked] : []),
    },
    exchangeId,
    decision: 'passed',
    reason: because('listed'),
  }
}

const masked: GateChange = { where: 'answer', member: '', from: null, to: null, why: 'token-masked' }
