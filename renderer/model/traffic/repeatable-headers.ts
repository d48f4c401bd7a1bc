import type { Header } from '../../../shared/traffic/exchange.ts'

export { getHostApiPath as panelPath, getExchangeUrl as urlOf } from '../../../shared/traffic/exchange-url.ts'

/** What stands in a recorded text where the token was. */
const MASKED_TOKEN_PATTERN = /\[redacted\]|\*{3,}/

/** Headers that a client sets by itself, and those that hold for one connection only. */
const own = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'keep-alive',
  'user-agent',
])

/** The headers worth repeating. `token`: the value in which the token was masked, in two parts around it; null for the others. */
export function selectRepeatableHeaders(headers: readonly Header[]): readonly {
  readonly name: string
  readonly value: string
  readonly token: readonly [before: string, after: string] | null
}[] {
  return headers
    .filter(([name]) => !own.has(name.toLowerCase()))
    .map(([name, value]) => {
      const at = MASKED_TOKEN_PATTERN.exec(value)
      const token = at ? ([value.slice(0, at.index), value.slice(at.index + at[0].length)] as const) : null
      return { name, value, token }
    })
}
