import type { MaskStream } from '../../mask/mask.ts'
import type { Agents } from './agents.ts'
import { bodyStream } from './body-stream.ts'
import { sendSafely, type Take, type WireRequest, type WireStream } from './exchange.ts'
import { readBuffers } from './read-buffers.ts'
import { pairs, type RawHeaders } from './trace.ts'

/** An answer that is passed on: its body is still encoded as the host sent it. */
export interface WireRelay extends WireStream {
  readonly statusText: string
  readonly rawHeaders: RawHeaders
}

/**
 * Bytes of a body that may wait on either side of a relay. With as many as are read at once, both sides would stop and start again for each
 * read.
 */
export const RELAY_AHEAD = 256 * 1024

type Head = Pick<WireRelay, 'status' | 'headers'>

/**
 * Like `openExchange`, but decodes nothing. `onHead` says what masks the body, which it may only do where the body is not encoded. Throws
 * `AppError` only.
 */
export function openRelay(
  request: WireRequest,
  agents: Agents,
  onHead: (head: Head) => MaskStream | null,
): Promise<WireRelay> {
  const onPiece = (piece: Buffer): void => {
    request.onPiece?.(piece)
    readBuffers.lend(piece)
  }
  const asItCame: Take<WireRelay> = async (response) => {
    const head = { status: response.statusCode ?? 0, headers: response.headers }
    return {
      ...head,
      statusText: response.statusMessage ?? '',
      rawHeaders: pairs(response.rawHeaders),
      ...bodyStream(response, response, { ...request, onPiece, ahead: RELAY_AHEAD, mask: onHead(head) }),
    }
  }
  return sendSafely(request, agents.relayed, agents.fresh, asItCame)
}
