import type { ServerResponse, IncomingMessage } from 'node:http'
import { createPageCsp } from '../page/page-csp.ts'
import { createPageFileReader, type Appearance } from '../page/page-files.ts'

/** Serves the page's files: from the built folder, or through a development server. */
export type AssetServer = (request: IncomingMessage, response: ServerResponse, pathname: string) => Promise<void>

export function createFolderAssetServer(root: string, appearance: () => Appearance): AssetServer {
  const read = createPageFileReader(root, appearance)
  return async (_request, response, pathname) => {
    const file = await read(pathname)
    if (file === null) respond(response, 404, 'text/plain; charset=utf-8', 'There is no such page.')
    else respond(response, 200, file.type, file.body)
  }
}

/** So much of a refused request is read, so that a client that sends it by accident can finish. */
const MAX_DRAINED_BYTES = 64 * 1024
/** The sender of a larger request has this long to read the response. */
const LINGER_MS = 1_000

/**
 * Sends a final response and closes the connection without reading the rest of the request. The
 * response is sent whole at once, but the connection is closed only when the request has ended, or
 * after a second: closing it with unread bytes would reset it and lose the response.
 */
export function respondAndClose(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
): void {
  response.setHeader('Connection', 'close')
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) })
  if (request.complete || !hasBody(request)) return void response.end(body)
  response.write(body)
  const timer = setTimeout(() => request.destroy(), LINGER_MS)
  response.once('close', () => clearTimeout(timer))
  let remainingBytes = MAX_DRAINED_BYTES
  request.on('data', (piece: Buffer) => {
    remainingBytes -= piece.byteLength
    if (remainingBytes < 0) request.pause()
  })
  request.once('end', () => response.end())
  request.once('error', () => response.destroy())
  request.resume()
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Headers of every response, errors and refusals included. CORS headers are never sent. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': createPageCsp(),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=()',
}

/** @param frames source of the panels' frames, if there are any. */
export function setSecurityHeaders(response: ServerResponse, frames?: string): void {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value)
  if (frames !== undefined) response.setHeader('Content-Security-Policy', createPageCsp(undefined, frames))
}

export function respond(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

export function respondJson(response: ServerResponse, status: number, value: unknown): void {
  respond(response, status, 'application/json', JSON.stringify(value))
}
