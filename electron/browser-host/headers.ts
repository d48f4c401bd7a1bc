import type { ServerResponse } from 'node:http'
import { pageCsp } from '../page/policy.ts'

/** The headers of every response, errors and refusals included. There are no CORS headers anywhere. */
export const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': pageCsp(),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=()',
}

/** `frames` is where panels are served, if they are. */
export function secure(response: ServerResponse, frames?: string): void {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value)
  if (frames !== undefined) response.setHeader('Content-Security-Policy', pageCsp(undefined, frames))
}

/** Ends a response with a small body. */
export function answer(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

export const answerJson = (response: ServerResponse, status: number, value: unknown): void =>
  answer(response, status, 'application/json', JSON.stringify(value))
