import type { LearnedShape } from '../../core/contract/learned-shape.ts'
import { countResponses, createSketch, mergeSketch, type ResponseSketch } from '../../core/contract/response-sketch.ts'
import { toRouteKey, type RouteSchema } from '../../../shared/contract/route-schema.ts'
import { toRecordedRoute } from '../../core/contract/schema-side.ts'
import { parseShape } from '../../core/contract/shape-codec.ts'
import { mergeShape } from '../../core/contract/shape-merge.ts'
import type { LearnedFilter } from '../../../shared/ipc/contract-schemas.ts'
import type { IpcOutput } from '../../../shared/ipc/index.ts'
import type { LearnedArchive, LearnedKey, LearnedRouteKey } from './learned-routes.ts'

const matchesFilter = ({ host, version, day }: LearnedKey, filter: LearnedFilter): boolean =>
  (filter.host === null || host === filter.host) &&
  (filter.version === null || version === filter.version) &&
  (filter.from === null || day >= filter.from) &&
  (filter.to === null || day <= filter.to)

/** Lists the routes of which something was learned, and what a filter may choose from. */
export function listLearnedRoutes(archive: LearnedArchive, filter: LearnedFilter): IpcOutput<'contract.learned'> {
  const [hosts, versions, days] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const routes = new Map<string, { key: LearnedKey; success: ResponseSketch; error: ResponseSketch }>()
  for (const key of archive.listKeys()) {
    hosts.add(key.host)
    if (key.version !== null) versions.add(key.version)
    days.add(key.day)
    if (!matchesFilter(key, filter)) continue
    const name = toRouteKey(key)
    const route = routes.get(name) ?? { key, success: createSketch(), error: createSketch() }
    routes.set(name, route)
    mergeSketch(route[key.outcome], { hashes: [...key.hashes], lastHash: -1 })
  }
  const sortedDays = [...days].sort()
  const [first, last = first] = [sortedDays[0], sortedDays.at(-1)]
  return {
    routes: [...routes]
      .sort(([nameA], [nameB]) => (nameA < nameB ? -1 : 1))
      .map(([, { key, success, error }]) => ({
        method: key.method,
        template: key.template,
        endpoint: key.endpoint,
        successes: countResponses(success),
        errors: countResponses(error),
      })),
    hosts: [...hosts].sort(),
    versions: [...versions].sort(),
    days: first !== undefined && last !== undefined ? { first, last } : null,
  }
}

/** Merges and describes by route what was learned; `route` null means all routes. */
export function readLearnedRoutes(
  archive: LearnedArchive,
  filter: LearnedFilter,
  route: LearnedRouteKey | null,
): RouteSchema[] {
  const routes = new Map<
    string,
    {
      key: LearnedKey
      hosts: Set<string>
      versions: Set<string>
      shapes: Partial<Record<LearnedKey['outcome'], LearnedShape>>
    }
  >()
  for (const key of archive.listKeys()) {
    const isMeant = route === null || (key.method === route.method && key.template === route.template)
    if (!isMeant || !matchesFilter(key, filter)) continue
    const shape = parseShape(archive.read(key) ?? '')
    if (!shape) continue
    const entry = routes.get(toRouteKey(key)) ?? {
      key,
      hosts: new Set<string>(),
      versions: new Set<string>(),
      shapes: {},
    }
    routes.set(toRouteKey(key), entry)
    entry.hosts.add(key.host)
    if (key.version !== null) entry.versions.add(key.version)
    mergeShape((entry.shapes[key.outcome] ??= {}), shape)
  }
  return [...routes]
    .sort(([nameA], [nameB]) => (nameA < nameB ? -1 : 1))
    .map(([, { key, hosts, versions, shapes }]) =>
      toRecordedRoute({
        method: key.method,
        template: key.template,
        endpoint: key.endpoint,
        success: shapes.success ?? null,
        error: shapes.error ?? null,
        hosts: [...hosts].sort(),
        versions: [...versions].sort(),
      }),
    )
}
