import { z } from 'zod'
import { decodePercent } from '../bridge/endpoints/path-template.ts'
import { getResponder } from './panel.ts'
import { exchangeStates, originSchema, type ExchangeRow } from '../traffic/exchange.ts'

/** Classes of response bodies by their size in bytes. */
export const sizeClasses = ['empty', 'small', 'medium', 'large'] as const
export type SizeClass = (typeof sizeClasses)[number]
/** A body of fewer bytes is small, or medium. */
const [SMALL_BYTES, MEDIUM_BYTES] = [10_000, 1_000_000]

/** Further names of a route are not counted, because a client can invent any number. */
const MAX_NAMES = 100
const countsSchema = z.record(z.string().max(300), z.number().int().positive())

/** Records of one route as one client called it. */
export const routeCoverageSchema = z.strictObject({
  /** With the opening (`caller`) of a panel, whose label is the newest title of its page. */
  client: originSchema.pick({ kind: true, label: true, caller: true }),
  method: z.string(),
  template: z.string(),
  /** Id of the endpoint in the endpoint table; null if none fits. */
  endpoint: z.string().nullable(),
  calls: z.number().int().positive(),
  /** Numbers of calls to which not the host alone responded, by who did. */
  responders: z.partialRecord(z.enum(['override', 'gate', 'by-hand']), z.number().int().positive()),
  /** Numbers of calls by name of a query parameter, and so on. */
  parameters: countsSchema,
  statuses: countsSchema,
  errorCodes: countsSchema,
  /** The part of `errorCodes` in responses that not the host alone gave. */
  madeErrorCodes: countsSchema,
  mediaTypes: countsSchema,
  sizes: z.partialRecord(z.enum(sizeClasses), z.number().int().positive()),
  states: z.partialRecord(z.enum(exchangeStates), z.number().int().positive()),
  /** Longest duration in milliseconds. */
  slowestMs: z.number(),
})
export type RouteCoverage = z.infer<typeof routeCoverageSchema>

/** The members of a recorded exchange that coverage counts. */
export type CoveredExchange = Pick<
  ExchangeRow,
  | 'method'
  | 'path'
  | 'endpoint'
  | 'template'
  | 'state'
  | 'status'
  | 'errorCode'
  | 'bytes'
  | 'mediaType'
  | 'rule'
  | 'durationMs'
> & { readonly origin: Pick<ExchangeRow['origin'], 'kind' | 'label' | 'caller'> }

/** Counts exchanges, in the order of time, by client and route. */
export class CoverageCounter {
  readonly #routes = new Map<string, RouteCoverage>()
  /** The newest title of the page of each opening of a panel. */
  readonly #titles = new Map<string, string | null>()

  add(exchange: CoveredExchange): void {
    const { origin, method, path, endpoint, template, state, status, errorCode, bytes, mediaType, rule } = exchange
    const { kind, label, caller } = origin
    const isOpening = kind === 'panel' && caller !== undefined
    const client = { kind, label, ...(isOpening ? { caller } : {}) }
    const route = this.#getRoute({ client, method, template, endpoint })
    route.calls += 1
    const responder = rule === null ? 'held' : getResponder(rule)
    if (responder !== 'held') route.responders[responder] = (route.responders[responder] ?? 0) + 1
    for (const name of listQueryNames(path)) increase(route.parameters, name)
    if (status !== null) increase(route.statuses, String(status))
    if (errorCode !== null) increase(route.errorCodes, errorCode)
    if (errorCode !== null && responder !== 'held') increase(route.madeErrorCodes, errorCode)
    if (mediaType !== '') increase(route.mediaTypes, mediaType)
    route.states[state] = (route.states[state] ?? 0) + 1
    route.slowestMs = Math.max(route.slowestMs, exchange.durationMs ?? 0)
    if (state !== 'answered') return
    const size = getSizeClass(bytes)
    route.sizes[size] = (route.sizes[size] ?? 0) + 1
  }

  /** Adds what another counter has counted. */
  merge(routes: readonly RouteCoverage[]): void {
    for (const part of routes) {
      const route = this.#getRoute(part)
      route.calls += part.calls
      route.slowestMs = Math.max(route.slowestMs, part.slowestMs)
      for (const member of [
        'responders',
        'parameters',
        'statuses',
        'errorCodes',
        'madeErrorCodes',
        'mediaTypes',
        'sizes',
        'states',
      ] as const)
        for (const [name, count] of Object.entries(part[member])) increase(route[member], name, count)
    }
  }

  list(): RouteCoverage[] {
    return [...this.#routes.values()].map((route) => {
      const { caller } = route.client
      const label = caller === undefined ? undefined : this.#titles.get(caller)
      return label === undefined ? route : { ...route, client: { ...route.client, label } }
    })
  }

  #getRoute({
    client,
    method,
    template,
    endpoint,
  }: Pick<RouteCoverage, 'client' | 'method' | 'template' | 'endpoint'>): RouteCoverage {
    const { kind, label, caller = null } = client
    if (caller !== null) this.#titles.set(caller, label)
    const key = JSON.stringify([kind, caller, caller === null ? label : null, method, template])
    const existing = this.#routes.get(key)
    if (existing) return existing
    const route: RouteCoverage = {
      client,
      method,
      template,
      endpoint,
      calls: 0,
      responders: {},
      parameters: {},
      statuses: {},
      errorCodes: {},
      madeErrorCodes: {},
      mediaTypes: {},
      sizes: {},
      states: {},
      slowestMs: 0,
    }
    this.#routes.set(key, route)
    return route
  }
}

function increase(counts: Record<string, number>, rawName: string, count = 1): void {
  const name = rawName.slice(0, 300)
  if (Object.hasOwn(counts, name)) counts[name] = (counts[name] ?? 0) + count
  else if (name !== '__proto__' && Object.keys(counts).length < MAX_NAMES) counts[name] = count
}

function listQueryNames(path: string): ReadonlySet<string> {
  const queryStart = path.indexOf('?')
  const pairs = queryStart < 0 ? [] : path.slice(queryStart + 1).split('&')
  return new Set(pairs.map((pair) => decodePercent(pair.split('=', 1)[0] ?? '')).filter((name) => name !== ''))
}

const getSizeClass = (bytes: number): SizeClass =>
  bytes === 0 ? 'empty' : bytes < SMALL_BYTES ? 'small' : bytes < MEDIUM_BYTES ? 'medium' : 'large'
