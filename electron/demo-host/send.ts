import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DemoReply } from './reply.ts'

/** Sends a reply; bytes honour a single `Range` (206, 416). `contentType` overrides the right one for a fault. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  reply: DemoReply,
  contentType: string | null,
): void {
  if (response.destroyed || response.headersSent) return
  if (reply.kind === 'bytes') {
    sendRange(request, response, contentType ?? reply.mimeType, reply.bytes)
    return
  }
  const type = reply.kind === 'json' ? 'application/json; charset=utf-8' : reply.contentType
  const body = Buffer.from(reply.text)
  response.writeHead(reply.kind === 'json' ? reply.status : 200, {
    'Content-Type': contentType ?? type,
    'Content-Length': body.byteLength,
    ...(reply.kind === 'json' ? reply.headers : {}),
  })
  response.end(body)
}

export function sendBytes(response: ServerResponse, type: string, bytes: Buffer): void {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': bytes.byteLength }).end(bytes)
}

function sendRange(request: IncomingMessage, response: ServerResponse, type: string, bytes: Buffer): void {
  const size = bytes.byteLength
  const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '')
  const common = { 'Content-Type': type, 'Accept-Ranges': 'bytes' }
  if (!range || (range[1] === '' && range[2] === '')) {
    response.writeHead(200, { ...common, 'Content-Length': size }).end(bytes)
    return
  }
  const suffix = range[1] === ''
  const from = suffix ? Math.max(0, size - Number(range[2])) : Number(range[1])
  const to = suffix || range[2] === '' ? size - 1 : Math.min(size - 1, Number(range[2]))
  if (from > to || from >= size) {
    response.writeHead(416, { ...common, 'Content-Range': `bytes */${size}` }).end()
    return
  }
  response.writeHead(206, {
    ...common,
    'Content-Range': `bytes ${from}-${to}/${size}`,
    'Content-Length': to - from + 1,
  })
  response.end(bytes.subarray(from, to + 1))
}
