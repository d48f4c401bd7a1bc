import { getRowAccess, parseBodyValue } from './row-access.ts'
import { compareCapabilities, findRowRoute, toPathTemplate } from './capabilities.ts'
import type { EndpointAccess, Endpoint } from './endpoints/endpoint.ts'
import { endpoints } from './endpoints/index.ts'
import { toListedId, findEndpointRow, type CommandId } from './listed-row.ts'
import type { Capabilities } from './resources/state.ts'
import { countLiteralChars, createTemplatePattern, decodePercent } from './endpoints/path-template.ts'

/** A path as it is typed: everything before the query, and the query's pairs as they stand. */
export interface SplitPath {
  readonly path: string
  readonly pairs: readonly (readonly [name: string, value: string | null])[]
}

export function splitPath(path: string): SplitPath {
  const queryStart = path.indexOf('?')
  if (queryStart < 0) return { path, pairs: [] }
  const pairs = path
    .slice(queryStart + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equalsIndex = pair.indexOf('=')
      return equalsIndex < 0
        ? ([pair, null] as const)
        : ([pair.slice(0, equalsIndex), pair.slice(equalsIndex + 1)] as const)
    })
  return { path: path.slice(0, queryStart), pairs }
}

/**
 * A path as the write gate takes it: decoded values by name. Null if it would not be sent as it stands: a name that is repeated, or a
 * query that is no list of pairs.
 */
export function toCommandParameters(
  match: CallMatch,
  path: string,
): { readonly params: Readonly<Record<string, string>>; readonly query: Readonly<Record<string, string>> } | null {
  const query: Record<string, string> = {}
  for (const [rawName, raw] of splitPath(path).pairs) {
    const name = decodePercent(rawName)
    if (raw === null || Object.hasOwn(query, name)) return null
    query[name] = decodePercent(raw)
  }
  return {
    params: Object.fromEntries(Object.entries(match.rawParameters).map(([name, raw]) => [name, decodePercent(raw)])),
    query,
  }
}

/** Something that can be called: a row of the table, or a route that only the host lists. */
export interface CallTarget {
  readonly id: CommandId
  readonly row: Endpoint
  readonly method: string
  /** Where the host has it, placeholders in braces. */
  readonly path: string
  /**
   * `both` the table and the host know it · `host` only the host lists it, so nothing is known about it · `table` the host does not list
   * it · `unread` there are no capabilities to compare with.
   */
  readonly knownBy: 'both' | 'host' | 'table' | 'unread'
  /** Whether an external tool needs a subscription; null if nobody says. */
  readonly requiresMax: boolean | null
}

/**
 * The table joined with a host's capabilities, in the order of their paths. `paths` are those that the profile sets by hand. Left out are
 * routes whose answer holds a token, and those that take a file.
 */
export function listCallTargets(
  capabilities: Capabilities | null,
  paths: Readonly<Record<string, string>> = {},
): readonly CallTarget[] {
  const report = capabilities && compareCapabilities(capabilities)
  const missing = new Set(report?.missingRowIds)
  const pathOverrides = { ...report?.pathOverrides, ...paths }
  const known = endpoints
    .filter(({ returnsSecret, isUpload }) => !returnsSecret && !isUpload)
    .map((row): CallTarget => {
      const path = pathOverrides[row.id] ?? row.path
      const listed = capabilities && findRowRoute({ method: row.method, path }, capabilities)
      return {
        id: row.id,
        row,
        method: row.method,
        path: toPathTemplate(path),
        knownBy: report === null ? 'unread' : missing.has(row.id) ? 'table' : 'both',
        requiresMax: listed?.requiresMax ?? row.requiresMax,
      }
    })
  const others = new Map<string, CallTarget>()
  for (const route of report?.unknownRoutes ?? []) {
    const id = toListedId(route)
    const row = id && findEndpointRow(id, capabilities)
    if (!id || !row || others.has(id)) continue
    const { requiresMax = null } = route
    others.set(id, { id, row, method: row.method, path: row.path, knownBy: 'host', requiresMax })
  }
  return [...known, ...others.values()].sort(
    (a, b) => compare(a.path, b.path) || compare(a.method, b.method) || compare(a.id, b.id),
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** What a method and path are. */
export interface CallMatch {
  readonly target: CallTarget
  /** What stands in the place of each placeholder, as it stands in the path. */
  readonly rawParameters: Readonly<Record<string, string>>
}

const patterns = new WeakMap<CallTarget, { pattern: RegExp; names: readonly string[]; literals: number }>()

function getTargetPattern(target: CallTarget) {
  const cached = patterns.get(target)
  if (cached) return cached
  // The placeholders are those of the row, whatever a host calls them.
  const names = target.row.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const targetPattern = { pattern: createTemplatePattern(target.path), names, literals: countLiteralChars(target.path) }
  patterns.set(target, targetPattern)
  return targetPattern
}

/** Finds what a path (with or without query) belongs to; of several the one with the most literal text. Null for anything else. */
export function matchCallTarget(method: string, path: string, all: readonly CallTarget[]): CallMatch | null {
  const verb = method.toUpperCase()
  const bare = path.split('?', 1)[0] ?? ''
  let best: { match: CallMatch; literals: number } | null = null
  for (const target of all) {
    if (target.method !== verb) continue
    const { pattern, names, literals } = getTargetPattern(target)
    const pathMatch = pattern.exec(bare)
    if (!pathMatch || (best && best.literals >= literals)) continue
    const rawParameters = Object.fromEntries(names.map((name, index) => [name, pathMatch[index + 1] ?? '']))
    best = { match: { target, rawParameters }, literals }
  }
  return best?.match ?? null
}

/**
 * What sending it may do. Of a path that neither the table nor the host lists, GET and HEAD read. A body that makes a read take over the
 * screen counts as what it does.
 */
export function getCallAccess(method: string, match: CallMatch | null, body: string | null): EndpointAccess {
  if (!match) return ['GET', 'HEAD'].includes(method.toUpperCase()) ? 'read' : 'write'
  return getRowAccess(match.target.row, parseBodyValue(body))
}
