import { listErrorCodes } from '../../../shared/bridge/endpoint-errors.ts'
import { knownErrors } from '../../../shared/bridge/errors.ts'
import { classifyRequest, findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import { lookUp } from '../../../shared/json/object.ts'
import type { OverrideRule } from '../../../shared/panel/overrides.ts'
import type { AllowedRoute } from '../../../shared/panel/panel.ts'
import type { RouteCoverage } from '../../../shared/panel/coverage.ts'

/**
 * Something that is not in the recorded traffic of a client: a `route` that it may call, a query
 * `parameter` of the contract, a known error `code`, a `slow` response, or a call that `fails`
 * without one. No document tells of the last two; they are worth a test for every client.
 */
export interface UntestedCase {
  readonly kind: 'route' | 'parameter' | 'code' | 'slow' | 'fails'
  readonly method: string
  readonly template: string
  /** Name of the parameter, or error code; empty otherwise. */
  readonly name: string
  /** The override that makes the case happen; null if none can. */
  readonly override: Pick<OverrideRule, 'answer' | 'delayMs'> | null
}

/** A call that takes longer is noticed by a person. */
const SLOW_MS = 2_000
const SLOW_DELAY_MS = 3_000
/** The host and its helper for panels keep these errors from a panel. */
const outsideErrors = new Set(['UNAUTHORIZED', 'MAX_REQUIRED', 'CONFIRM_REQUIRED', 'INVALID_JSON'])

/** Calls that a client may make (`allowed`), and that are not in its recorded `routes`. */
export function listUntestedCases(
  routes: readonly RouteCoverage[],
  allowed: readonly AllowedRoute[],
): readonly UntestedCase[] {
  return [
    ...routes.flatMap(listCasesOfRoute),
    ...listUncalledRoutes(routes, allowed).map(({ method, path }): UntestedCase => {
      return { kind: 'route', method, template: path, name: '', override: null }
    }),
  ]
}

export function listUncalledRoutes(
  routes: readonly RouteCoverage[],
  allowed: readonly AllowedRoute[],
): readonly AllowedRoute[] {
  const called = new Set(routes.map(({ method, template, endpoint }) => getRouteKey(method, template, endpoint)))
  return allowed.filter(({ method, path }) => {
    const { endpoint } = classifyRequest(method, path.replace(/\{[^{}]*\}/g, 'x'))
    return !called.has(getRouteKey(method, path, endpoint?.id ?? null))
  })
}

/** Hosts name placeholders as they like, so the endpoint counts if there is one. */
const getRouteKey = (method: string, template: string, endpoint: string | null): string =>
  endpoint ?? `${method} ${template.replace(/\{[^{}]*\}/g, '{}')}`

function listCasesOfRoute(route: RouteCoverage): readonly UntestedCase[] {
  const { method, template } = route
  const endpoint = route.endpoint === null ? undefined : findEndpointById(route.endpoint)
  const unseenCodes = (endpoint ? listErrorCodes(endpoint) : []).filter(
    (code) => !outsideErrors.has(code) && !Object.hasOwn(route.errorCodes, code),
  )
  const unsentParameters = (endpoint?.parameters ?? []).filter(
    (parameter) => parameter.in === 'query' && !Object.hasOwn(route.parameters, parameter.name),
  )
  const createCase = (
    kind: UntestedCase['kind'],
    override: UntestedCase['override'],
    name: UntestedCase['name'] = '',
  ): UntestedCase => ({ kind, method, template, name, override })
  const hasFailed = (route.states.failed ?? 0) > 0
  const isSlow = route.slowestMs >= SLOW_MS
  return [
    ...unseenCodes.map((name) => createCase('code', createErrorOverride(name), name)),
    ...(hasFailed ? [] : [createCase('fails', { answer: { kind: 'fault', fault: 'offline' }, delayMs: 0 })]),
    ...(isSlow ? [] : [createCase('slow', { answer: { kind: 'change', changes: [] }, delayMs: SLOW_DELAY_MS })]),
    ...unsentParameters.map(({ name }) => createCase('parameter', null, name)),
  ]
}

/** Returns null if no document tells the status. */
function createErrorOverride(code: string): UntestedCase['override'] {
  const { status, meaning } = lookUp(knownErrors, code) ?? { status: null, meaning: '' }
  if (status === null) return null
  const body = JSON.stringify({ error: { code, message: meaning } })
  return {
    answer: { kind: 'canned', status, headers: [['Content-Type', 'application/json']], body, base64: false },
    delayMs: 0,
  }
}
