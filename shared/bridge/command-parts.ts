import type { Match } from './callable.ts'
import { decoded } from './path-template.ts'

/** A path as it is typed: everything before the query, and the query's pairs as they stand. */
export interface PathParts {
  readonly bare: string
  readonly pairs: readonly (readonly [name: string, value: string | null])[]
}

export function partsOf(path: string): PathParts {
  const at = path.indexOf('?')
  if (at < 0) return { bare: path, pairs: [] }
  const pairs = path
    .slice(at + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const is = pair.indexOf('=')
      return is < 0 ? ([pair, null] as const) : ([pair.slice(0, is), pair.slice(is + 1)] as const)
    })
  return { bare: path.slice(0, at), pairs }
}

/**
 * A path as the write gate takes it: decoded values by name. Null if it would not be sent as it stands: a name that is repeated, or a
 * query that is no list of pairs.
 */
export function commandParts(
  match: Match,
  path: string,
): { readonly params: Readonly<Record<string, string>>; readonly query: Readonly<Record<string, string>> } | null {
  const query: Record<string, string> = {}
  for (const [rawName, raw] of partsOf(path).pairs) {
    const name = decoded(rawName)
    if (raw === null || Object.hasOwn(query, name)) return null
    query[name] = decoded(raw)
  }
  return { params: Object.fromEntries(Object.entries(match.raw).map(([name, raw]) => [name, decoded(raw)])), query }
}
