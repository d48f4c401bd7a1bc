import type { Relay } from '../../bridge/types.ts'
import { createPanelCallReason } from '../../../../shared/panel/call-reason.ts'
import type { PanelCallChange } from '../../../../shared/panel/panel.ts'
import { filterRequestHeaders, filterResponseHeaders } from './call-headers.ts'
import { getPanelCallFacts } from '../call/page-call.ts'
import type { AllowedCall } from './call-handler.ts'
import type { CallOutcome } from './call-outcome.ts'

/** Streams the response to the page. @throws AppError when there is no response */
export async function forwardPanelRead(
  relay: Relay,
  { call, path, row, connectedHost, signal, origin, rule, beforeSend }: AllowedCall,
): Promise<CallOutcome> {
  const { status, headers, body, exchangeId, getMaskedCount } = await relay.relay(connectedHost.target, {
    endpoint: row,
    method: call.method,
    rawPath: path.path + path.query,
    headers: filterRequestHeaders(call.headers).passed,
    body: call.body,
    length: call.body?.byteLength ?? null,
    origin,
    rule,
    panelCall: getPanelCallFacts(call),
    beforeSend,
    signal,
    isMasked: true,
  })
  return {
    response: {
      kind: 'answer',
      status,
      headers: filterResponseHeaders(headers),
      body,
      getStreamChanges: () => (getMaskedCount() > 0 ? [TOKEN_MASKED_CHANGE] : []),
    },
    exchangeId,
    decision: 'passed',
    reason: createPanelCallReason('listed'),
  }
}

const TOKEN_MASKED_CHANGE: PanelCallChange = { where: 'answer', member: '', from: null, to: null, why: 'token-masked' }
