import { getRowAccess, parseBodyValue } from './row-access.ts'
import { compareCapabilities, findRowRoute, toPathTemplate } from './capabilities.ts'
import type { EndpointAccess, Endpoint } from './endpoints/endpoint.ts'
import { endpoints } from './endpoints/index.ts'
import { toListedId, findEndpointRow, type CommandId } from './listed-row.ts'
import type { Capabilities } from './resources/state.ts'
import { countLiteralChars, decodePercent, PathTemplate } from './endpoints/path-template.ts'

/** A path that the user typed, split at the `?`. Names and values of the query are not decoded. */
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

/** Decodes parameters; null if they do not lead back (a repeated name, no list of pairs). */
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

export interface CallTarget {
  readonly id: CommandId
  readonly row: Endpoint
  readonly method: string
  /** The host's path template, with placeholders in braces. */
  readonly path: string
  /**
   * `both`: the endpoint table and the host list the path. `host`: only the host lists it, so only
   * its name is known. `table`: the host does not list it. `unread`: the capabilities were not
   * read.
   */
  readonly knownBy: 'both' | 'host' | 'table' | 'unread'
  /** True if an external tool needs a subscription; null if neither host nor contract says. */
  readonly requiresMax: boolean | null
}

/**
 * Joins the endpoint table with a host's capabilities, in the order of the paths. Endpoints whose
 * response holds a token or that take a file are left out.
 * @param paths paths that the user set in the profile, by endpoint id
 */
export function listCallTargets(
  capabilities: Capabilities | null,
  paths: Readonly<Record<string, string>> = {},
): readonly CallTarget[] {
  const report = capabilities && compareCapabilities(capabilities)
  const missing = new Set(report?.missingRowIds)
  const pathOverrides = { ...report?.pathOverrides, ...paths }
  const tableTargets = endpoints
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
  return [...tableTargets, ...others.values()].sort(
    (a, b) => compare(a.path, b.path) || compare(a.method, b.method) || compare(a.id, b.id),
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export interface CallMatch {
  readonly target: CallTarget
  /** The values in the URL, still percent-encoded, by placeholder. */
  readonly rawParameters: Readonly<Record<string, string>>
}

const templates = new WeakMap<CallTarget, { template: PathTemplate; names: readonly string[]; literals: number }>()

function getTargetTemplate(target: CallTarget) {
  const cached = templates.get(target)
  if (cached) return cached
  // Hosts may name placeholders differently, so the names come from the endpoint table.
  const names = target.row.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  const targetTemplate = { template: new PathTemplate(target.path), names, literals: countLiteralChars(target.path) }
  templates.set(target, targetTemplate)
  return targetTemplate
}

/** Finds the target of a path. The one with the most literal characters wins; null for none. */
export function matchCallTarget(method: string, path: string, all: readonly CallTarget[]): CallMatch | null {
  const verb = method.toUpperCase()
  const segments = (path.split('?', 1)[0] ?? '').split('/')
  let best: { match: CallMatch; literals: number } | null = null
  for (const target of all) {
    if (target.method !== verb) continue
    const { template, names, literals } = getTargetTemplate(target)
    const values = template.match(segments)
    if (!values || (best && best.literals >= literals)) continue
    const rawParameters = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
    best = { match: { target, rawParameters }, literals }
  }
  return best?.match ?? null
}

/**
 * For a path that neither the endpoint table nor the host lists, GET and HEAD count as reads. A
 * read whose body makes it take over the screen counts as navigation.
 */
export function getCallAccess(method: string, match: CallMatch | null, body: string | null): EndpointAccess {
  if (!match) return ['GET', 'HEAD'].includes(method.toUpperCase()) ? 'read' : 'write'
  return getRowAccess(match.target.row, parseBodyValue(body))
}
