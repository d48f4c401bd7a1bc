import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { BY_HAND_MARK, HELD_MARK, MAX_HELD_BODY_BYTES } from '../../../shared/panel/breakpoints.ts'
import type { Origin } from '../../../shared/traffic/exchange.ts'
import { parseJsonOr } from '../bridge/client/access-check.ts'
import { assertPathInside } from '../bridge/wire/relay-exchange.ts'
import { toHeaderPairs, type RawHeaders } from '../bridge/exchange-trace.ts'
import type { RelayResponse } from '../bridge/relay-types.ts'
import type { BridgeTarget, ExchangeRecorder } from '../bridge/types.ts'
import { createDecoder, getContentEncoding } from '../bridge/wire/body-decoder.ts'
import type { Breakpoints, CallHolds } from '../breakpoints/breakpoints.ts'
import { isFixedHeader, type HeldContent } from '../breakpoints/held-message.ts'
import { beginLocalExchange } from '../panel/policy/local-exchange.ts'
import { endWithUnreadBody } from './refusal.ts'

interface HoldOptions {
  readonly breakpoints: Pick<Breakpoints, 'begin' | 'addLapse' | 'readBody'>
  readonly recorder: ExchangeRecorder
  readonly target: BridgeTarget
  /** The connected host while the request is held; null if none is connected. */
  readonly getTarget: () => BridgeTarget | null
  readonly endpoint: Endpoint
  readonly rawPath: string
  readonly origin: Origin
  readonly body: Buffer | Readable | null
  readonly isBodyRead: boolean
  readonly signal: AbortSignal
}

/** The request as it goes on to the host. */
interface HeldRequest {
  readonly method: string
  readonly rawPath: string
  readonly headers: RawHeaders
  readonly body: Buffer | Readable | null
  /** The mark under which the exchange is recorded. */
  readonly mark: string | undefined
  /** Returns the response that is still to be sent; null if it was sent or the connection ended. */
  readonly holdResponse: (relayResponse: RelayResponse) => Promise<RelayResponse | null>
}

/** The epoch grows when the host restarts. */
export function isSameRun(target: BridgeTarget, current: BridgeTarget | null): current is BridgeTarget {
  return current?.baseUrl === target.baseUrl && current.epoch === target.epoch
}

/**
 * Holds a recorded client's request at a breakpoint, and later its response. Returns `done` if
 * nothing goes on to the host, because a person has answered the request or ended its connection,
 * or because the client has left.
 */
export async function holdRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: HoldOptions,
): Promise<HeldRequest | 'done'> {
  const { breakpoints, target, endpoint, rawPath, origin, signal } = options
  const headers = toHeaderPairs(request.rawHeaders)
  const method = request.method ?? ''
  const { body, lapse } =
    options.body instanceof Readable && options.isBodyRead
      ? await breakpoints.readBody(options.body)
      : { body: options.body, lapse: null }
  const start = { startedAt: Date.now(), startedMs: performance.now() }
  const holds = breakpoints.begin({
    method,
    path: rawPath,
    origin,
    host: target.baseUrl,
    ...(body instanceof Readable ? {} : { getBody: () => parseJsonOr(body, undefined) }),
    endpoint: endpoint.id || null,
    authHeader: target.auth.header,
    isHeaderSent: () => true,
    assertPathSent: assertPathInside,
    isHostConnected: () => isSameRun(target, options.getTarget()),
  })
  const unedited = { method, rawPath, headers, body }
  if (!holds) return { ...unedited, mark: undefined, holdResponse: (relayResponse) => Promise.resolve(relayResponse) }
  const mark = holds.isRequestHeld || holds.shouldHoldResponse(200) ? HELD_MARK : undefined
  const createHeldRequest = (content: Omit<HeldRequest, 'holdResponse' | 'mark'>): HeldRequest => ({
    ...content,
    mark,
    holdResponse: (relayResponse) => holdResponse(request, response, relayResponse, { ...options, ...content, holds }),
  })
  if (!holds.isRequestHeld) return createHeldRequest(unedited)
  if (body instanceof Readable) {
    if (lapse) breakpoints.addLapse(lapse)
    return createHeldRequest(unedited)
  }
  const result = await holds.hold({ point: 'request', request: { headers, body }, response: null }, signal)
  if (result.kind === 'continue') {
    const { content } = result
    return createHeldRequest({ ...content, method: content.method ?? method, rawPath: content.path ?? rawPath })
  }
  if (result.kind === 'gone') return 'done'
  const visibleHeaders = headers.filter(([name]) => !isFixedHeader('request', name, target.auth.header))
  const endExchange = beginLocalExchange(options.recorder, {
    call: { method, path: rawPath, headers: visibleHeaders, body, bodyBytes: body?.byteLength ?? 0 },
    endpoint,
    origin,
    target,
    rule: BY_HAND_MARK,
    ...start,
  })
  if (result.kind === 'answer') sendContent(request, response, result.content)
  else response.destroy()
  holds.saveRecords(endExchange(result.kind === 'answer' ? { kind: 'answer', ...result.content } : { kind: 'broken' }))
  return 'done'
}

interface ResponseHoldOptions extends Omit<HoldOptions, 'body'> {
  readonly holds: CallHolds
  readonly headers: RawHeaders
  readonly body: Buffer | Readable | null
}

async function holdResponse(
  request: IncomingMessage,
  response: ServerResponse,
  relayResponse: RelayResponse,
  { holds, headers, body, signal }: ResponseHoldOptions,
): Promise<RelayResponse | null> {
  const { exchangeId, status } = relayResponse
  holds.saveRecords(exchangeId)
  if (!holds.shouldHoldResponse(status)) return relayResponse
  const bytes = await holds.readResponseBody(status, relayResponse.body, signal)
  if (bytes instanceof Readable) return { ...relayResponse, body: bytes }
  const original: HeldContent = {
    status,
    headers: relayResponse.headers,
    body: await decode(bytes, relayResponse.headers),
  }
  const requestContent = { headers, body: body instanceof Readable ? null : body }
  const result = await holds.hold({ point: 'response', request: requestContent, response: original }, signal)
  holds.saveRecords(exchangeId)
  if (result.kind === 'gone' || result.kind === 'fail') response.destroy()
  else if (result.kind === 'answer') sendContent(request, response, result.content)
  else {
    const isBodyEdited = result.edited.includes('body')
    sendContent(request, response, {
      headers: result.content.headers,
      status: result.content.status ?? status,
      body: isBodyEdited ? result.content.body : bytes,
    })
  }
  return null
}

/** Decodes a body for a person; bytes that cannot be decoded stay as they are. */
async function decode(bytes: Buffer, headers: RawHeaders): Promise<Buffer> {
  const encoding = headers.find(([name]) => /^content-encoding$/i.test(name))?.[1]
  const pieces: Buffer[] = []
  let size = 0
  try {
    const decoder = createDecoder(getContentEncoding({ 'content-encoding': encoding }))
    if (decoder === null) return bytes
    decoder.end(bytes)
    for await (const piece of decoder as AsyncIterable<Buffer>) {
      size += piece.byteLength
      if (size > MAX_HELD_BODY_BYTES) return bytes
      pieces.push(piece)
    }
  } catch {
    return bytes
  }
  return Buffer.concat(pieces)
}

/** Sends a whole response. Its length is added where it is missing. */
function sendContent(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: HeldContent & { readonly status: number },
): void {
  if (response.destroyed) return
  const hasLength = headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name))
  const hasBody = request.method !== 'HEAD' && status !== 204 && status !== 304
  const lengthHeader = hasLength || !hasBody ? [] : ['Content-Length', String(body?.byteLength ?? 0)]
  response.sendDate = false
  response.writeHead(status, STATUS_CODES[status] ?? '', [...headers.flat(), ...lengthHeader])
  if (hasBody && body) response.write(body)
  endWithUnreadBody(request, response)
}
