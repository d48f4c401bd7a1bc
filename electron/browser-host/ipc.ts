import type { IncomingMessage, ServerResponse } from 'node:http'
import { isObject } from '../../shared/json/object.ts'
import { BoundedMap } from '../core/protocol/rule-state.ts'
import { createRefusedError, type WireError } from '../../shared/errors.ts'
import type { CallReply } from '../../shared/ipc/method-definition.ts'
import type { IpcDispatcher } from '../handlers/app-ports.ts'
import { respondAndClose, respondJson } from './responses.ts'

/** Valid calls are far smaller than this. */
const MAX_BODY_BYTES = 16 * 1024 * 1024
/** A page that leaves more than this number of bytes unread is disconnected. */
const MAX_QUEUED_EVENT_BYTES = 8 * 1024 * 1024
const HEARTBEAT_INTERVAL_MS = 15_000

/** A browser that loses a response may send the call again, which must not be carried out twice. */
const servedCalls = new BoundedMap<true>(10_000)

const BINARY_TYPE = 'application/vnd.bridge-inspector.binary'

/** Serves a call of the page: once for an id, and cancelled when the page closes the connection. */
export async function serveCall(
  dispatcher: IpcDispatcher,
  caller: string,
  response: ServerResponse,
  call: unknown,
): Promise<void> {
  // A client that closed the connection while sending made no call.
  if (response.destroyed) return
  const id = getCallId(call)
  const key = `${caller} ${String(id)}`
  if (servedCalls.get(key)) {
    const { wire } = createRefusedError('CALL_DUPLICATE', 'A call with this id was made before.')
    return sendReply(response, { ok: false, error: wire })
  }
  servedCalls.set(key, true)
  response.once('close', () => {
    if (!response.writableFinished) dispatcher.cancel(caller, id)
  })
  sendReply(response, await dispatcher.call(caller, call))
}

export function serveCancel(dispatcher: IpcDispatcher, caller: string, response: ServerResponse, call: unknown): void {
  dispatcher.cancel(caller, getCallId(call))
  respondJson(response, 200, {})
}

/** Pushes events until the page closes the connection, which cancels the page's pending calls. */
export function serveEvents(dispatcher: IpcDispatcher, caller: string, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' })
  response.write(': connected\n\n')
  const unsubscribe = dispatcher.subscribe((event) => {
    // A page that stops reading is disconnected; it reconnects and loads the current state.
    if (response.writableLength > MAX_QUEUED_EVENT_BYTES) response.destroy()
    else response.write(`data: ${JSON.stringify(event)}\n\n`)
  })
  const heartbeat = setInterval(() => response.write(': beat\n\n'), HEARTBEAT_INTERVAL_MS)
  response.once('close', () => {
    clearInterval(heartbeat)
    unsubscribe()
    dispatcher.removeCaller(caller)
  })
}

function sendReply(response: ServerResponse, reply: CallReply): void {
  if (!reply.ok || !isBinary(reply.value)) {
    respondJson(response, 200, reply)
    return
  }
  const { meta, bytes } = reply.value
  const head = Buffer.from(JSON.stringify({ ok: true, value: { meta } }))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.byteLength)
  response.writeHead(200, {
    'Content-Type': BINARY_TYPE,
    'Content-Length': 4 + head.byteLength + bytes.byteLength,
  })
  response.write(length)
  response.write(head)
  response.end(Buffer.from(bytes))
}

function isBinary(value: unknown): value is { meta: unknown; bytes: ArrayBuffer } {
  return isObject(value) && value['bytes'] instanceof ArrayBuffer
}

const getCallId = (body: unknown): unknown => (isObject(body) ? body['id'] : undefined)

type JsonBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly status: number; readonly error: WireError }

/** Calls `serve` with the request's JSON, or refuses the request. */
export async function withJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
  serve: (value: unknown) => void | Promise<void>,
): Promise<void> {
  const body = await readJsonBody(request, response)
  if (body.ok) return serve(body.value)
  const { status, error } = body
  respondAndClose(request, response, status, 'application/json', JSON.stringify({ ok: false, error }))
}

/** Reads at most `MAX_BODY_BYTES`. Rejects when the client closes the connection. */
export async function readJsonBody(request: IncomingMessage, response: ServerResponse): Promise<JsonBody> {
  const bytes =
    Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES ? null : await readBody(request, response)
  if (bytes === null) return createBodyRefusal(413, 'INPUT_TOO_LARGE', 'The call is larger than 16 MB.')
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return createBodyRefusal(400, 'REQUEST_MALFORMED', 'The call is not JSON.')
  }
}

/** Resolves with null if the body exceeds `MAX_BODY_BYTES`; the remaining bytes stay unread. */
function readBody(request: IncomingMessage, response: ServerResponse): Promise<Buffer | null> {
  // A client that sent `Expect: 100-continue` gets the permission only here, after all checks.
  if (request.headers.expect !== undefined) response.writeContinue()
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let size = 0
    const onData = (piece: Buffer): void => {
      pieces.push(piece)
      size += piece.byteLength
      if (size <= MAX_BODY_BYTES) return
      request.off('data', onData)
      request.pause()
      resolve(null)
    }
    request.on('data', onData)
    request.once('end', () => resolve(Buffer.concat(pieces)))
    request.once('error', reject)
  })
}

const createBodyRefusal = (status: number, code: string, message: string): JsonBody & { ok: false } => ({
  ok: false,
  status,
  error: createRefusedError(code, message).wire,
})
