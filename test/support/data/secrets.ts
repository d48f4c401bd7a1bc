import { inspect } from 'node:util'
import { expect } from 'vitest'

/** Every form in which a token could appear, by name; also base64 of it inside a longer text. */
function listForms(token: string): Record<string, string> {
  const bytes = Buffer.from(token)
  const all: Record<string, string> = {
    raw: token,
    base64: bytes.toString('base64').replace(/=+$/, ''),
    base64url: bytes.toString('base64url'),
    'URL-encoded': encodeURIComponent(token),
    hex: bytes.toString('hex'),
    'hex with spaces': [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' '),
    'first 16 characters': token.slice(0, 16),
    'last 16 characters': token.slice(-16),
  }
  for (const offset of [1, 2]) {
    // Without the characters at both ends, which depend on what surrounds the token.
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    all[`base64 shifted by ${offset}`] = shifted.slice(4, -4)
  }
  return all
}

/** Fails if `text` contains the token in any form. The message names the form, not the token. */
export function expectNoSecret(text: string, token: string): void {
  expect(token.length).toBeGreaterThan(24)
  const lower = text.toLowerCase()
  const leakedForms = Object.entries(listForms(token)).filter(([, form]) => lower.includes(form.toLowerCase()))
  expect(leakedForms.map(([name]) => name)).toEqual([])
}

/** Everything about a thrown value that a log, a dialog or a crash report could show. */
export function inspectError(error: unknown): string {
  const parts = [inspect(error, { depth: 12, showHidden: true, maxStringLength: null, maxArrayLength: null })]
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    parts.push(String(cause), cause.stack ?? '', JSON.stringify(cause, Object.getOwnPropertyNames(cause)))
    if ('wire' in cause) parts.push(JSON.stringify(cause.wire))
  }
  return parts.join('\n')
}
