import type { ExchangeRow, Header } from '../../../shared/traffic/exchange.ts'

type Addressed = Pick<ExchangeRow, 'host' | 'path'>

/** Where an exchange was sent: its path is relative to the base URL, unless it was recorded with all of it. */
export function urlOf({ host, path }: Addressed): string {
  const { base, prefix } = partsOf(host)
  return path === prefix || path.startsWith(`${prefix}/`)
    ? base.slice(0, base.length - prefix.length) + path
    : base + path
}

/** The path that a panel passes to `host.api`, which puts `/bridge/v1` in front of it (spec §1). */
export function panelPath({ host, path }: Addressed): string {
  const { prefix } = partsOf(host)
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

/** A base URL without a slash at its end, and its path. */
function partsOf(host: string): { readonly base: string; readonly prefix: string } {
  const base = host.replace(/\/+$/, '')
  const prefix = /^[a-z][a-z0-9+.-]*:\/\/[^/]*(\/.*)?$/i.exec(base)?.[1] ?? '/bridge/v1'
  return { base, prefix }
}

/** What stands in a recorded text where the token was. */
const MASK = /\[redacted\]|\*{3,}/

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
export function sentHeaders(headers: readonly Header[]): readonly {
  readonly name: string
  readonly value: string
  readonly token: readonly [before: string, after: string] | null
}[] {
  return headers
    .filter(([name]) => !own.has(name.toLowerCase()))
    .map(([name, value]) => {
      const at = MASK.exec(value)
      const token = at ? ([value.slice(0, at.index), value.slice(at.index + at[0].length)] as const) : null
      return { name, value, token }
    })
}
