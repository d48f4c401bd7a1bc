import type net from 'node:net'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** A request as it was on the wire. */
export interface ReceivedRequest {
  /** Request line and header, byte for byte, as latin1. */
  readonly head: string
  readonly method: string
  readonly path: string
  /** Header lines in order, names as written. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** What the host does with a complete request: it may write anything, at any pace, or nothing. */
export type Behaviour = (socket: net.Socket, request: ReceivedRequest) => void | Promise<void>

interface ResponseOptions {
  readonly status?: number
  readonly type?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Value of `Content-Length`; null omits it and closes the connection after the body. */
  readonly length?: number | null
}

const buildHead = (status: number, headers: Readonly<Record<string, string>>): string =>
  `HTTP/1.1 ${status} Whatever\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

/** A well-formed answer, unless `length` lies. */
export function respond(body: string | Buffer, options: ResponseOptions = {}): Behaviour {
  const bytes = Buffer.from(body)
  const { status = 200, type = 'application/json', length = bytes.length } = options
  return (socket) => {
    const headers: Record<string, string> = { ...options.headers }
    if (type !== null) headers['Content-Type'] = type
    if (length === null) headers.Connection = 'close'
    else headers['Content-Length'] = String(length)
    socket.write(Buffer.concat([Buffer.from(buildHead(status, headers)), bytes]))
    if (length === null || length > bytes.length) socket.end()
  }
}

export const respondJson = (value: unknown, options: ResponseOptions = {}): Behaviour =>
  respond(JSON.stringify(value), options)

export const respondHostError = (status: number, error: unknown, headers: Record<string, string> = {}): Behaviour =>
  respondJson({ error, bridgeApiVersion: '0.91' }, { status, headers })

export const respondRedirect = (status: number, location: string): Behaviour =>
  respond('', { status, headers: { Location: location } })

export const respondHtml500 = (): Behaviour =>
  respond('<!doctype html><h1>Internal Server Error</h1>', { status: 500, type: 'text/html' })

/** Bytes exactly as given, then the end of the connection. */
export const respondRaw =
  (bytes: string | Buffer): Behaviour =>
  (socket) =>
    void socket.end(bytes)

/**
 * The first `keep` bytes of a body whose full length was announced, then the end of the connection.
 */
export const respondTruncated = (body: string, keep: number): Behaviour =>
  respond(body.slice(0, keep), { length: Buffer.byteLength(body) })

/** One good chunk, then the end without the last one. */
export const respondAbortedChunk = (piece: string): Behaviour =>
  respondRaw(
    `${buildHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' })}${piece.length.toString(16)}\r\n${piece}\r\n`,
  )

/** Reads the request and never responds. */
export const neverRespond = (): Behaviour => () => undefined

/** A head and part of the body, then nothing, ever. */
export const stallBody =
  (part: string, announced = 1_000_000): Behaviour =>
  (socket) =>
    void socket.write(
      buildHead(200, { 'Content-Type': 'application/json', 'Content-Length': String(announced) }) + part,
    )

/**
 * One byte of `text` every `ms` milliseconds, from the status line on, over and over in the body.
 */
export const dripBytes =
  (ms: number, text = buildHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100000' })): Behaviour =>
  (socket) => {
    let index = 0
    const timer = setInterval(() => void socket.write(text[index++] ?? ' '), ms)
    socket.once('close', () => clearInterval(timer))
  }

/** Reset (not an orderly end) after `bytes`. */
export const resetConnection =
  (bytes = ''): Behaviour =>
  (socket) => {
    const cut = (): void => void socket.resetAndDestroy()
    if (bytes === '') cut()
    else socket.write(bytes, () => setTimeout(cut, 20))
  }

/** Endless interim responses. */
export const floodInterimResponses = (): Behaviour => (socket) =>
  writeForever(socket, Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'))

/** An endless body, sent as fast as it is read. `piece` is repeated. */
export const sendEndlessBody =
  (piece: string | Buffer, headers: Record<string, string> = {}): Behaviour =>
  (socket) => {
    socket.write(buildHead(200, { 'Content-Type': 'application/json', ...headers }))
    return writeForever(socket, Buffer.from(piece))
  }

const GZIP_MEMBER_BYTES = 32 * 1024 * 1024

/** Endless small gzip members, each of which inflates to 32 MB. */
export const sendGzipBomb = (): Behaviour =>
  sendEndlessBody(gzipSync(Buffer.alloc(GZIP_MEMBER_BYTES, 32)), { 'Content-Encoding': 'gzip' })

/** About a kilobyte of brotli that inflates to 256 MB. */
export function sendBrotliBomb(): Behaviour {
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }
  return respond(brotliCompressSync(Buffer.alloc(8 * GZIP_MEMBER_BYTES, 32), options), {
    headers: { 'Content-Encoding': 'br' },
  })
}

/** One behaviour per request, in order; the last one stays. */
export function behaveInTurn(...behaviours: readonly Behaviour[]): Behaviour {
  let next = 0
  return (socket, request) => {
    const behaviour = behaviours[Math.min(next, behaviours.length - 1)]
    next += 1
    return behaviour?.(socket, request)
  }
}

function writeForever(socket: net.Socket, piece: Buffer): void {
  const block = Buffer.concat(Array.from({ length: Math.ceil(16_384 / piece.length) }, () => piece))
  const writeMore = (): void => {
    while (!socket.destroyed && socket.write(block)) continue
  }
  // Yields between two writes: client and host share the event loop in these tests.
  socket.on('drain', () => setImmediate(writeMore))
  writeMore()
}
