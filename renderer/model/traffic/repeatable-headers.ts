import type { Header } from '../../../shared/traffic/exchange.ts'

/** Recorded texts contain these masks instead of the token. */
const MASKED_TOKEN_PATTERN = /\[redacted\]|\*{3,}/

/** Clients set these headers themselves, or the headers belong to a single connection. */
const automaticHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'keep-alive',
  'user-agent',
])

/**
 * Selects the headers to include in a copied request. `token` has the parts of the value before and
 * after the masked token; null for headers without the token.
 */
export function selectRepeatableHeaders(headers: readonly Header[]): readonly {
  readonly name: string
  readonly value: string
  readonly token: readonly [before: string, after: string] | null
}[] {
  return headers
    .filter(([name]) => !automaticHeaders.has(name.toLowerCase()))
    .map(([name, value]) => {
      const match = MASKED_TOKEN_PATTERN.exec(value)
      const token = match ? ([value.slice(0, match.index), value.slice(match.index + match[0].length)] as const) : null
      return { name, value, token }
    })
}
