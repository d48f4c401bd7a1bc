import { isBinding } from '../../../shared/bridge/basis.ts'
import { compareCapabilities } from '../../../shared/bridge/capabilities.ts'
import { listErrorCodes } from '../../../shared/bridge/endpoint-errors.ts'
import { getParameterBasis, getRouteBasis, type Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { getCodeBasis } from '../../../shared/bridge/errors.ts'
import type { CapabilityRoute } from '../../../shared/bridge/resources/state.ts'
import type { RouteCoverage } from '../../../shared/panel/coverage.ts'

export const coverageKinds = ['route', 'parameter', 'status', 'code'] as const
type CoverageKind = (typeof coverageKinds)[number]

interface CoveredCase {
  readonly kind: Exclude<CoverageKind, 'route'>
  /** Name of a query parameter, a status, or an error code. */
  readonly name: string
  /** Number of calls that met it. */
  readonly count: number
}

interface CoveredRoute {
  readonly method: string
  readonly path: string
  readonly calls: number
  /** Only those that the spec shows. */
  readonly cases: readonly CoveredCase[]
}

interface CoverageSum {
  readonly met: number
  readonly total: number
}

export interface ContractCoverage extends CoverageSum {
  /** Share of all routes, parameters, statuses and codes, rounded down to one decimal. */
  readonly percent: number
  readonly kinds: Readonly<Record<CoverageKind, CoverageSum>>
  readonly routes: readonly CoveredRoute[]
  /** Routes that were called, but that the spec or the host does not have. */
  readonly uncounted: readonly Pick<CoveredRoute, 'method' | 'path' | 'calls'>[]
}

/** Counts only what the spec shows; `listed` are the host's routes, null (all) if unknown. */
export function measureCoverage(
  recorded: readonly RouteCoverage[],
  listed: readonly CapabilityRoute[] | null,
): ContractCoverage {
  const counted = listCountedRows(listed)
  const countedIds: ReadonlySet<string> = new Set(counted.map(({ id }) => id))
  const routes = counted.map((row) => {
    const calls = recorded.filter(({ endpoint }) => endpoint === row.id)
    const count = (member: 'parameters' | 'statuses' | 'errorCodes', name: string): number =>
      calls.reduce((sum, part) => sum + (Object.hasOwn(part[member], name) ? (part[member][name] ?? 0) : 0), 0)
    return {
      method: row.method,
      path: row.path,
      calls: calls.reduce((sum, part) => sum + part.calls, 0),
      cases: [
        ...listParameters(row).map((name) => ({ kind: 'parameter' as const, name, count: count('parameters', name) })),
        ...listStatuses(row).map((name) => ({ kind: 'status' as const, name, count: count('statuses', name) })),
        ...listCodes(row).map((name) => ({ kind: 'code' as const, name, count: count('errorCodes', name) })),
      ],
    }
  })
  const kinds = {
    route: sumUp(routes.map(({ calls }) => calls)),
    parameter: sumUp(listCounts(routes, 'parameter')),
    status: sumUp(listCounts(routes, 'status')),
    code: sumUp(listCounts(routes, 'code')),
  }
  const met = coverageKinds.reduce((sum, kind) => sum + kinds[kind].met, 0)
  const total = coverageKinds.reduce((sum, kind) => sum + kinds[kind].total, 0)
  return {
    met,
    total,
    percent: total === 0 ? 0 : Math.floor((met * 1_000) / total) / 10,
    kinds,
    routes,
    uncounted: listUncounted(recorded.filter(({ endpoint }) => endpoint === null || !countedIds.has(endpoint))),
  }
}

/** A read that the host serves at another path is left out, because its calls are not known. */
function listCountedRows(listed: readonly CapabilityRoute[] | null): Endpoint[] {
  const rows = endpoints.filter((row) => isBinding(getRouteBasis(row)))
  if (listed === null) return rows.filter(({ recognition }) => recognition === null)
  if (listed.length === 0) return []
  const { missingRowIds, pathOverrides } = compareCapabilities({ routes: [...listed] })
  const uncountedIds: ReadonlySet<string> = new Set([...missingRowIds, ...Object.keys(pathOverrides)])
  return rows.filter(({ id }) => !uncountedIds.has(id))
}

const listParameters = (row: Endpoint): string[] =>
  row.parameters
    .filter((parameter) => parameter.in === 'query' && isBinding(getParameterBasis(row, parameter)))
    .map(({ name }) => name)

/** Statuses that the spec shows as an example only need not occur. */
const listStatuses = ({ statuses: { success, refusal, isExample } }: Endpoint): string[] =>
  isExample ? [] : [...success, ...refusal].map(String)

const listCodes = (row: Endpoint): string[] => listErrorCodes(row).filter((code) => isBinding(getCodeBasis(code)))

const listCounts = (routes: readonly CoveredRoute[], kind: CoverageKind): number[] =>
  routes.flatMap(({ cases }) => cases.filter((entry) => entry.kind === kind).map(({ count }) => count))

const sumUp = (counts: readonly number[]): CoverageSum => ({
  met: counts.filter((count) => count > 0).length,
  total: counts.length,
})

function listUncounted(recorded: readonly RouteCoverage[]): ContractCoverage['uncounted'] {
  const callsByRoute = new Map<string, { method: string; path: string; calls: number }>()
  for (const { method, template, calls } of recorded) {
    const name = `${method} ${template}`
    const route = callsByRoute.get(name) ?? { method, path: template, calls: 0 }
    callsByRoute.set(name, { ...route, calls: route.calls + calls })
  }
  return [...callsByRoute.values()]
}
