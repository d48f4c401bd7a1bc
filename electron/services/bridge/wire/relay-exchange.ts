import type { Agents } from './agents.ts'
import { bodyStream } from './body-stream.ts'
import { sendSafely, type Take, type WireRequest, type WireStream } from './exchange.ts'
import { pairs, type RawHeaders } from './trace.ts'

/** An answer that is passed on: its body is still encoded as the host sent it. */
export interface WireRelay extends WireStream {
  readonly statusText: string
  readonly rawHeaders: RawHeaders
}

const asItCame: Take<WireRelay> = async (response, request) => ({
  status: response.statusCode ?? 0,
  statusText: response.statusMessage ?? '',
  headers: response.headers,
  rawHeaders: pairs(response.rawHeaders),
  ...bodyStream(response, response, request),
})

/** Like `openExchange`, but decodes nothing. Throws `AppError` only. */
export function openRelay(request: WireRequest, agents: Agents): Promise<WireRelay> {
  return sendSafely(request, agents.relayed, agents.fresh, asItCame)
}
