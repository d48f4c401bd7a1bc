import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** How a host handles a Range. */
export type RangeHandling =
  /** Correctly. */
  | 'answered'
  /** Sends everything, whatever was requested. */
  | 'ignored'
  /** At most 1,000 bytes of the requested range. */
  | 'short'
  /** Sends other bytes, and says so. */
  | 'shifted'
  /** 206 without saying which bytes. */
  | 'unsaid'
  /** Claims another total size. */
  | 'resized'
  /** Sends fewer bytes than it declares. */
  | 'cut'
  /** Compressed. */
  | 'encoded'

export interface ContentHost {
  readonly baseUrl: string
  /** `Range` of each request; null if it had none. */
  readonly requestedRanges: (string | null)[]
  /** Open connections with an answer in progress. */
  countOpenResponses(): number
  readonly size: number
  ranges: RangeHandling
  /** Additional headers. */
  headers: Record<string, string>
  /** Milliseconds before the head. */
  delayMs: number
}

interface Options {
  readonly type?: string | null
  readonly ranges?: RangeHandling
  /** Without a length. */
  readonly chunked?: boolean
  readonly headers?: Record<string, string>
  readonly delayMs?: number
}

type CreateBytes = (from: number, to: number) => Buffer

/**
 * Starts a host with one picture, recording or file, given in full or generated per part, which can
 * misreport it in several ways.
 */
export async function startContentHost(
  source: Buffer | { size: number; make: CreateBytes },
  options: Options = {},
): Promise<ContentHost> {
  const { size, make } = Buffer.isBuffer(source) ? { size: source.length, make: createSlicer(source) } : source
  const open = new Set<http.ServerResponse>()
  const { type = 'application/octet-stream', chunked = false } = options

  const server = http.createServer((request, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    host.requestedRanges.push(request.headers.range ?? null)
    const head = { ...(type === null ? {} : { 'Content-Type': type }), ...host.headers }
    const reply = (): void => respond(request.headers.range, response, head)
    if (host.delayMs > 0) setTimeout(reply, host.delayMs)
    else reply()
  })

  function respond(range: string | undefined, response: http.ServerResponse, head: Record<string, string>): void {
    if (response.destroyed) return
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
    if (first === undefined || host.ranges === 'ignored') {
      response.writeHead(200, chunked ? head : { ...head, 'Content-Length': size })
      return writeBytes(response, make, 0, size)
    }
    const shift = host.ranges === 'shifted' ? 1 : 0
    const from = Number(first) + shift
    const lastRequested = (last === '' ? size : Math.min(size, Number(last) + 1 + shift)) - 1
    const to = host.ranges === 'short' ? Math.min(lastRequested, from + 999) : lastRequested
    if (from > to) return void response.writeHead(416, { 'Content-Range': `bytes */${size}` }).end()
    const total = host.ranges === 'resized' ? size + 1 : size
    response.writeHead(206, {
      ...head,
      ...(host.ranges === 'unsaid' ? {} : { 'Content-Range': `bytes ${from}-${to}/${total}` }),
      ...(host.ranges === 'encoded' ? { 'Content-Encoding': 'gzip' } : {}),
      'Content-Length': to - from + 1,
    })
    if (host.ranges === 'cut') {
      response.write(make(from, from + Math.floor((to - from) / 2)))
      setTimeout(() => response.destroy(), 10)
    } else writeBytes(response, make, from, to + 1)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const host: ContentHost = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/bridge/v1`,
    requestedRanges: [],
    countOpenResponses: () => open.size,
    size,
    ranges: options.ranges ?? 'answered',
    headers: options.headers ?? {},
    delayMs: options.delayMs ?? 0,
  }
  return host
}

const createSlicer =
  (bytes: Buffer): CreateBytes =>
  (from, to) =>
    bytes.subarray(from, to)

const PIECE_BYTES = 65_536

function writeBytes(response: http.ServerResponse, make: CreateBytes, from: number, to: number): void {
  let offset = from
  const writeMore = (): void => {
    while (offset < to && !response.destroyed) {
      const next = Math.min(to, offset + PIECE_BYTES)
      const room = response.write(make(offset, next))
      offset = next
      if (!room) return void response.once('drain', () => setImmediate(writeMore))
    }
    if (!response.destroyed) response.end()
  }
  writeMore()
}

/** Creates bytes in which every part identifies its position. */
export function createPatternedBytes(size: number, begins: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(size)
  for (let offset = 0; offset < size; offset += 1)
    bytes[offset] = (offset * 7 + (offset >> 8) * 13 + (offset >> 16)) & 255
  begins.copy(bytes)
  return bytes
}
