import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DemoReply, ByteGenerator } from './state/reply.ts'

/** Bytes honour a single `Range` (206, 416). `contentType` replaces the correct one for a fault. */
export function sendReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: DemoReply,
  contentType: string | null,
): void {
  if (response.destroyed || response.headersSent) return
  if (reply.kind === 'bytes') {
    const { bytes, mimeType, ranges } = reply
    const make: ByteGenerator = (from, to) => bytes.subarray(from, to)
    const etag = `"${createHash('sha1').update(bytes).digest('base64url')}"`
    return sendRange(request, response, { type: contentType ?? mimeType, size: bytes.byteLength, make, ranges, etag })
  }
  if (reply.kind === 'made') {
    const { size, make, mimeType } = reply
    const source = { type: contentType ?? mimeType, size, make, ranges: undefined, etag: `"made-${size}"` }
    return sendRange(request, response, source)
  }
  const type = reply.kind === 'json' ? 'application/json; charset=utf-8' : reply.contentType
  const body = Buffer.from(reply.text)
  response.writeHead(reply.status ?? 200, {
    'Content-Type': contentType ?? type,
    'Content-Length': body.byteLength,
    ...(reply.kind === 'json' ? reply.headers : {}),
  })
  response.end(body)
}

export function sendBytes(response: ServerResponse, type: string, bytes: Buffer): void {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': bytes.byteLength }).end(bytes)
}

interface ByteSource {
  readonly type: string
  readonly size: number
  readonly make: ByteGenerator
  readonly ranges: 'ignored' | 'wrong' | undefined
  readonly etag: string
}

/** Returns `Range`; empty if `If-Range` does not match the current bytes (RFC 9110 §13.1.5). */
function getRequestedRange({ headers }: IncomingMessage, etag: string): string {
  const expectedEtag = headers['if-range']
  return expectedEtag === undefined || expectedEtag === etag ? (headers.range ?? '') : ''
}

function sendRange(request: IncomingMessage, response: ServerResponse, source: ByteSource): void {
  const { type, size, make, ranges, etag } = source
  const requestedRange = ranges === 'ignored' ? '' : getRequestedRange(request, etag)
  const range = /^bytes=(\d*)-(\d*)$/.exec(requestedRange)
  const common = {
    ...(type === '' ? {} : { 'Content-Type': type }),
    ...(ranges === 'ignored' ? {} : { 'Accept-Ranges': 'bytes' }),
    ETag: etag,
  }
  if (!range || (range[1] === '' && range[2] === '')) {
    response.writeHead(200, { ...common, 'Content-Length': size })
    return request.method === 'HEAD' ? void response.end() : streamBytes(response, make, 0, size)
  }
  const isSuffix = range[1] === ''
  const shift = ranges === 'wrong' ? 1 : 0
  const from = (isSuffix ? Math.max(0, size - Number(range[2])) : Number(range[1])) + shift
  const to = isSuffix || range[2] === '' ? size - 1 : Math.min(size - 1, Number(range[2]) + shift)
  if (from > to || from >= size) {
    response.writeHead(416, { ...common, 'Content-Range': `bytes */${size}` }).end()
    return
  }
  response.writeHead(206, {
    ...common,
    'Content-Range': `bytes ${from}-${to}/${size}`,
    'Content-Length': to - from + 1,
  })
  if (request.method === 'HEAD') response.end()
  else streamBytes(response, make, from, to + 1)
}

const CHUNK_BYTES = 262_144

/** Sends no faster than the client reads, and stops when the client closes the connection. */
function streamBytes(response: ServerResponse, make: ByteGenerator, from: number, to: number): void {
  let offset = from
  const sendChunks = (): void => {
    while (offset < to && !response.destroyed) {
      const next = Math.min(to, offset + CHUNK_BYTES)
      const hasRoom = response.write(make(offset, next))
      offset = next
      if (!hasRoom) {
        response.once('drain', sendChunks)
        return
      }
    }
    if (!response.destroyed) response.end()
  }
  sendChunks()
}
