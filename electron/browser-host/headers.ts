import type { ServerResponse } from 'node:http'

/**
 * The page's policy. Styles allow inline because naive-ui mounts its style elements at run time; scripts never do. Images and
 * media may be blobs that the page made itself, and contents of the host (by their own scheme in the desktop app).
 */
export const PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob: bridge-content:",
  "media-src 'self' blob: bridge-content:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every response, errors and refusals included. There is no CORS header anywhere. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': PAGE_CSP,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=()',
}

export function secure(response: ServerResponse): void {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value)
}

/** Ends a response with a small body. */
export function answer(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

export const answerJson = (response: ServerResponse, status: number, value: unknown): void =>
  answer(response, status, 'application/json', JSON.stringify(value))
