import type { Header } from '../../../shared/traffic/exchange.ts'

/** What replaces the token in recorded texts. */
const MASKED_TOKEN_PATTERN = /\[redacted\]|\*{3,}/

/** Headers that clients set themselves, and headers of a single connection. */
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
 * Selects the headers worth repeating. `token`: the parts of the value around the masked token;
 * null for other headers.
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
