import { describe, expect, test } from 'vitest'
import { measureCoverage } from '../../../electron/core/contract/contract-coverage.ts'
import { getRouteBasis } from '../../../shared/bridge/endpoints/endpoint.ts'
import { endpoints, getEndpoint, type EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { CoverageCounter } from '../../../shared/panel/coverage.ts'

interface Call {
  readonly endpoint: EndpointId | null
  readonly path: string
  readonly status?: number
  readonly code?: string
}

function count(calls: readonly Call[]) {
  const counter = new CoverageCounter()
  for (const { endpoint, path, status = 200, code = null } of calls) {
    const { method, path: template } = endpoint === null ? { method: 'GET', path } : getEndpoint(endpoint)
    counter.add({
      origin: { kind: 'panel', label: 'Panel' },
      method,
      path,
      endpoint,
      template,
      state: 'answered',
      status,
      errorCode: code,
      bytes: 2,
      mediaType: 'application/json',
      rule: null,
      durationMs: 1,
    })
  }
  return counter.list()
}
const listRoutes = (...ids: readonly EndpointId[]) => ids.map(getEndpoint).map(({ method, path }) => ({ method, path }))
const findRoute = ({ routes }: ReturnType<typeof measureCoverage>, path: string) =>
  routes.find((route) => route.path === path)

describe('coverage of the contract', () => {
  test('is none without calls, and counts only what the spec shows', () => {
    const coverage = measureCoverage([], null)
    expect([coverage.met, coverage.percent]).toEqual([0, 0])
    const observed = endpoints.filter((row) => getRouteBasis(row) === 'observed')
    expect(observed.length).toBeGreaterThan(0)
    for (const { method, path } of observed)
      expect(coverage.routes.filter((route) => route.method === method && route.path === path)).toEqual([])
  })

  test('counts routes, parameters, statuses and codes that calls met', () => {
    const route = endpoints.find(({ id }) => id === 'notes.practiceVerdict')
    const before = measureCoverage([], null)
    const coverage = measureCoverage(
      count([{ endpoint: 'notes.practiceVerdict', path: '/a', status: 409, code: 'PRACTICE_KEY_INVALID' }]),
      null,
    )
    expect(coverage.kinds.route.met).toBe(1)
    expect(coverage.kinds.code.met).toBe(1)
    expect(coverage.total).toBe(before.total)
    expect(coverage.uncounted).toEqual([])
    const cases = findRoute(coverage, route?.path ?? '')?.cases ?? []
    expect(cases.find(({ name }) => name === 'PRACTICE_KEY_INVALID')?.count).toBe(1)
    expect(cases.filter(({ kind }) => kind === 'code').length).toBeGreaterThan(1)
  })

  test('leaves out what the host does not list, and names calls that it does not count', () => {
    const listed = listRoutes('capabilities.get')
    const calls = count([
      { endpoint: 'capabilities.get', path: '/capabilities' },
      { endpoint: 'search.get', path: '/search?q=a' },
      { endpoint: null, path: '/own' },
    ])
    const coverage = measureCoverage(calls, listed)
    expect(coverage.routes.map(({ path, calls: callCount }) => [path, callCount])).toEqual([['/capabilities', 1]])
    expect(coverage.uncounted.map(({ path }) => path)).toEqual(['/search', '/own'])
    expect(measureCoverage(calls, []).total).toBe(0)
  })

  test('is 100 only if everything was met', () => {
    const listed = listRoutes('capabilities.get', 'studySets.tree')
    const { kinds, routes } = measureCoverage([], listed)
    expect([kinds.route, kinds.status]).toEqual([
      { met: 0, total: 2 },
      { met: 0, total: 1 },
    ])
    const names = routes.flatMap(({ cases }) =>
      cases.filter(({ kind }) => kind === 'parameter').map(({ name }) => name),
    )
    expect(names).toContain('cursor')
    const calls = [
      { endpoint: 'capabilities.get' as const, path: '/capabilities' },
      { endpoint: 'studySets.tree' as const, path: `/study-sets/S/tree?${names.map((name) => `${name}=1`).join('&')}` },
    ]
    expect(measureCoverage(count(calls), listed).percent).toBe(100)
    const [capabilitiesCall, treeCall] = calls
    for (const part of [
      [capabilitiesCall],
      [treeCall],
      [{ endpoint: 'studySets.tree' as const, path: '/study-sets/S/tree' }],
    ])
      expect(measureCoverage(count(part.flatMap((call) => call ?? [])), listed).percent).toBeLessThan(100)
  })
})
