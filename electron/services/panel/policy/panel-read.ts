import type { Relay } from '../../bridge/types.ts'
import { createPanelCallReason } from '../../../../shared/panel/call-reason.ts'
import type { PanelCallChange } from '../../../../shared/panel/panel.ts'
import { filterRequestHeaders, filterResponseHeaders } from './call-headers.ts'
import type { CallOutcome, AllowedCall } from './call-handler.ts'

/**
 * Passes a read on to the host and its answer back, streamed. Throws `AppError` where no answer
 * came.
 */
export async function passRead(
  relay: Relay,
  { call, path, row, connectedHost: here, signal, origin, rule, beforeSend: hold }: AllowedCall,
): Promise<CallOutcome> {
  const {
    status,
    headers,
    body,
    exchangeId,
    getMaskedCount: maskedCount,
  } = await relay.relay(here.target, {
    endpoint: row,
    method: call.method,
    rawPath: path.path + path.query,
    headers: filterRequestHeaders(call.headers).passed,
    body: call.body,
    length: call.body?.byteLength ?? null,
    origin,
    rule,
    beforeSend: hold,
    signal,
    isMasked: true,
  })
  return {
    response: {
      kind: 'answer',
      ...{ status, headers: filterResponseHeaders(headers), body },
      getStreamChanges: () => (maskedCount() > 0 ? [masked] : []),
    },
    exchangeId,
    decision: 'passed',
    reason: createPanelCallReason('listed'),
  }
}

const masked: PanelCallChange = { where: 'answer', member: '', from: null, to: null, why: 'token-masked' }
