import type { IncomingMessage, ServerResponse } from 'node:http'
import { refused } from '../../shared/errors.ts'
import type { Reply } from '../../shared/ipc/wire.ts'
import type { Door } from '../handlers/door.ts'
import { answerJson } from './headers.ts'

/** A call's body at the most; no input of the contract comes near it. */
const MAX_BODY = 16 * 1024 * 1024
export const BINARY_TYPE = 'application/vnd.bridge-inspector.binary'

/** `POST /ipc/call`: one call of the page; ends it when the page hangs up. */
export async function serveCall(
  door: Door,
  caller: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request)
  if (body === null) {
    const error = refused('INPUT_TOO_LARGE', 'The call is not JSON, or is too large.').wire
    answerJson(response, 400, { ok: false, error })
    return
  }
  const id = callId(body)
  response.once('close', () => {
    if (!response.writableFinished) door.cancel(caller, id)
  })
  send(response, await door.call(caller, body))
}

/** `POST /ipc/cancel`. */
export async function serveCancel(
  door: Door,
  caller: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  door.cancel(caller, callId(await readBody(request)))
  answerJson(response, 200, {})
}

/** `GET /ipc/events`: pushes for as long as the page listens; when it stops, everything it has under way ends too. */
export function serveEvents(door: Door, caller: string, _request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' })
  response.write(': connected\n\n')
  const unsubscribe = door.subscribe((event) => {
    // A page that does not read is let go; it comes back by itself and reads the state anew.
    if (response.writableLength > 8 * 1024 * 1024) response.destroy()
    else response.write(`data: ${JSON.stringify(event)}\n\n`)
  })
  const beat = setInterval(() => response.write(': beat\n\n'), 15_000)
  response.once('close', () => {
    clearInterval(beat)
    unsubscribe()
    door.leave(caller)
  })
}

function send(response: ServerResponse, reply: Reply): void {
  if (!reply.ok || !isBinary(reply.value)) {
    answerJson(response, 200, reply)
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
  return typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof ArrayBuffer
}

const callId = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined

/** The JSON body, or null when it is none or too large. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of request) {
    size += (piece as Buffer).byteLength
    if (size > MAX_BODY) return null
    pieces.push(piece as Buffer)
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'))
  } catch {
    return null
  }
}
