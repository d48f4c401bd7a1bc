import { z } from 'zod'
import { isObject } from '../json/object.ts'
import { toPointer } from '../json/pointer.ts'
import { compareCapabilities, toRouteShape } from './capabilities.ts'
import type { Basis } from './basis.ts'
import { getParameterBasis, type Endpoint, type ListLimit, type EndpointParameter } from './endpoints/endpoint.ts'
import { endpoints, findEndpointById } from './endpoints/index.ts'
import { documentedLimits } from './documented-limits.ts'
import { parseBounds, pageSpanLimits, toLimitWords, findLimitsByPath, type LimitBound } from './limit-names.ts'
import type { Capabilities } from './resources/state.ts'

const boundSchema = z.number().nullable()

/** A limit of a query parameter, of a list in the body, or of a page span. */
const limitSchema = z.strictObject({
  endpoint: z.string(),
  /** The parameter, or the dotted path of the body member. */
  name: z.string(),
  min: boundSchema,
  max: boundSchema,
  default: boundSchema,
  /** JSON pointers into the capabilities; each is null if the contract's number applies. */
  sources: z.strictObject({ min: z.string().nullable(), max: z.string().nullable(), default: z.string().nullable() }),
})
export type HostLimit = z.infer<typeof limitSchema>

const reportedNumberSchema = z.strictObject({
  /** JSON pointer into the capabilities. */
  pointer: z.string(),
  /** The host may give a list of numbers. */
  values: z.array(z.number()),
  /** Limits as `endpoint name`. Empty if the number's meaning is unknown. */
  appliesTo: z.array(z.string()),
  /** Limits, each as `endpoint name`, for which a more specific or stricter number exists. */
  outranked: z.array(z.string()),
})
export type ReportedNumber = z.infer<typeof reportedNumberSchema>

export const hostLimitsSchema = z.strictObject({
  limits: z.array(limitSchema),
  stated: z.array(reportedNumberSchema),
  /** Number of further entries that `stated` omits. */
  left: z.number(),
})
/** Limits come from the capabilities, or else from the contract (spec §8). */
export type HostLimits = z.infer<typeof hostLimitsSchema>

const BOUNDS: readonly LimitBound[] = ['min', 'max', 'default']

const MAX_REPORTED_NUMBERS = 2_000
const MAX_DEPTH = 10
const MAX_MEMBERS = 5_000

const isRange = ({ type, min, max }: EndpointParameter): boolean =>
  type === 'integer' && max !== undefined && min !== max

/** Stated in spec §8 and observed-0.49. */
const contractLimits: readonly HostLimit[] = [
  ...endpoints.flatMap((row: Endpoint) => [
    ...row.parameters.filter(isRange).map(({ name, min = null, max = null, default: defaultValue }) => ({
      endpoint: row.id,
      name,
      min,
      max,
      default: typeof defaultValue === 'number' ? defaultValue : null,
    })),
    ...row.limits.map(({ member, max }) => ({ endpoint: row.id, name: member, min: null, max, default: null })),
  ]),
  ...pageSpanLimits.map((span) => ({ ...span, min: null, max: documentedLimits.documentPages, default: null })),
].map((limit) => ({ ...limit, sources: { min: null, max: null, default: null } }))

const keyOf = ({ endpoint, name }: Pick<HostLimit, 'endpoint' | 'name'>): string => `${endpoint} ${name}`

interface Candidate {
  readonly pointer: string
  readonly key: string
  readonly bound: LimitBound
  readonly value: number
  readonly rank: number
}

const CONTRACT_LIMITS: HostLimits = { limits: [...contractLimits], stated: [], left: 0 }
const limitsByCapabilities = new WeakMap<object, HostLimits>()

/**
 * Returns every number in the capabilities, and the limits that follow from them (spec §8, §9). The
 * description of a route outranks a named limit, and a specific name outranks a general name; of
 * two equal ones the stricter wins.
 * @param capabilities null if they were not read; the contract's limits apply then
 */
export function readHostLimits(capabilities: Capabilities | null): HostLimits {
  if (capabilities === null) return CONTRACT_LIMITS
  const cached = limitsByCapabilities.get(capabilities)
  if (cached) return cached
  const hostLimits = computeLimits(capabilities)
  limitsByCapabilities.set(capabilities, hostLimits)
  return hostLimits
}

/** Returns bounds, null where there is no limit. `limits` of null means those of the contract. */
export function getLimit(
  limits: HostLimits | null,
  endpoint: string,
  name: string,
): Pick<HostLimit, LimitBound | 'sources'> {
  const match = (limits ?? CONTRACT_LIMITS).limits.find((limit) => limit.endpoint === endpoint && limit.name === name)
  return match ?? { min: null, max: null, default: null, sources: { min: null, max: null, default: null } }
}

/** Returns the basis of one bound, whose `source` is one of the limit's `sources`. */
export function getLimitBasis(endpoint: string, name: string, source: string | null): Basis {
  const row: Endpoint | undefined = findEndpointById(endpoint)
  const parameter = row?.parameters.find((candidate) => candidate.name === name)
  if (source !== null) return 'host'
  return row && parameter ? getParameterBasis(row, parameter) : 'observed'
}

export function applyHostLimits(row: Endpoint, limits: HostLimits | null): Endpoint {
  if (limits === null || !limits.limits.some(({ endpoint }) => endpoint === row.id)) return row
  const parameters = row.parameters.map((parameter): EndpointParameter => {
    if (!isRange(parameter)) return parameter
    const { min, max, default: defaultValue } = getLimit(limits, row.id, parameter.name)
    const bounds = { ...(min === null ? {} : { min }), ...(max === null ? {} : { max }) }
    return { ...parameter, ...bounds, ...(defaultValue === null ? {} : { default: defaultValue }) }
  })
  const lists = row.limits.map((list): ListLimit => {
    const { max } = getLimit(limits, row.id, list.member)
    return max === null ? list : { ...list, max }
  })
  return { ...row, parameters, limits: lists }
}

function computeLimits(capabilities: Capabilities): HostLimits {
  const numbers = [...findNumbers(capabilities)]
  const rowsByRouteIndex = listRowsByRoute(capabilities)
  const candidates = numbers.flatMap((number) => findCandidates(number, capabilities, rowsByRouteIndex))
  const winners = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const slot = `${candidate.key} ${candidate.bound}`
    const other = winners.get(slot)
    if (!other || outranks(candidate, other)) winners.set(slot, candidate)
  }
  const limits = contractLimits.map((limit) => applyWinners(limit, (bound) => winners.get(`${keyOf(limit)} ${bound}`)))
  const decidingKeys = new Set([...winners.values()].map(({ pointer, key }) => `${pointer}\n${key}`))
  const byPointer = new Map<string, Set<string>>()
  for (const { pointer, key } of candidates) byPointer.set(pointer, (byPointer.get(pointer) ?? new Set()).add(key))
  const reportedNumbers = numbers.map(({ pointer, values }): ReportedNumber => {
    const keys = [...(byPointer.get(pointer) ?? [])]
    const isDecided = (key: string): boolean => decidingKeys.has(`${pointer}\n${key}`)
    return {
      pointer,
      values: [...values],
      appliesTo: keys.filter(isDecided),
      outranked: keys.filter((key) => !isDecided(key)),
    }
  })
  return {
    limits,
    stated: reportedNumbers.slice(0, MAX_REPORTED_NUMBERS),
    left: Math.max(0, reportedNumbers.length - MAX_REPORTED_NUMBERS),
  }
}

function outranks(candidate: Candidate, other: Candidate): boolean {
  if (candidate.rank !== other.rank) return candidate.rank > other.rank
  return candidate.bound === 'min' ? candidate.value > other.value : candidate.value < other.value
}

function applyWinners(limit: HostLimit, winner: (bound: LimitBound) => Candidate | undefined): HostLimit {
  const [min, max, defaultCandidate] = BOUNDS.map((bound) => winner(bound))
  const maxValue = max?.value ?? limit.max
  // Bounds of two places may contradict: the maximum wins, as the host refuses others.
  const reportedMin = min?.value ?? limit.min
  const minValue = reportedMin === null || maxValue === null ? reportedMin : Math.min(reportedMin, maxValue)
  const clamp = (value: number): number => Math.min(Math.max(value, minValue ?? value), maxValue ?? value)
  return {
    ...limit,
    min: minValue,
    max: maxValue,
    default: defaultCandidate ? clamp(defaultCandidate.value) : limit.default === null ? null : clamp(limit.default),
    sources: { min: min?.pointer ?? null, max: max?.pointer ?? null, default: defaultCandidate?.pointer ?? null },
  }
}

interface LocatedNumber {
  readonly pointer: string
  readonly path: readonly string[]
  readonly values: readonly number[]
}

function* findNumbers(value: unknown, path: readonly string[] = []): Generator<LocatedNumber> {
  const pointer = toPointer(path)
  if (typeof value === 'number') yield { pointer, path, values: [value] }
  if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return
  if (Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'number')) {
    yield { pointer, path, values: value.slice(0, 100) }
    return
  }
  for (const [name, member] of Object.entries(value).slice(0, MAX_MEMBERS)) yield* findNumbers(member, [...path, name])
}

/** Finds the endpoint of each route in the capabilities, in the order of the routes. */
function listRowsByRoute(capabilities: Capabilities): readonly (Endpoint | undefined)[] {
  const { pathOverrides } = compareCapabilities(capabilities)
  const shapes = new Map<string, Endpoint>(endpoints.map((row) => [toRouteShape(row.method, row.path), row]))
  for (const row of endpoints) {
    const path = pathOverrides[row.id]
    if (path !== undefined) shapes.set(toRouteShape(row.method, path), row)
  }
  return capabilities.routes.map(({ method, path }) => shapes.get(toRouteShape(method, path)))
}

function findCandidates(
  { pointer, path, values }: LocatedNumber,
  capabilities: Capabilities,
  rows: readonly (Endpoint | undefined)[],
): Candidate[] {
  const bounds = parseBounds(path, values)
  const createCandidates = (key: string, rank: number): Candidate[] =>
    bounds.map((bound) => ({ pointer, key, rank, ...bound }))
  if (path[0] === 'routes') {
    const row = rows[Number(path[1])]
    const nameTrail = collectNames(capabilities, path)
    return contractLimits
      .filter(
        ({ endpoint, name }) =>
          endpoint === row?.id && isBoundOf(nameTrail, toLimitWords(name.split('.').at(-1) ?? '')),
      )
      .flatMap((limit) => createCandidates(keyOf(limit), 3))
  }
  return findLimitsByPath(path).flatMap(({ keys, rank }) => keys.flatMap((key) => createCandidates(key, rank)))
}

/** Collects the words on the path to a number. A list entry counts by its `name`. */
function collectNames(root: unknown, path: readonly string[]): string[] {
  let value = root
  return path.map((step) => {
    value = typeof value === 'object' && value !== null ? (Reflect.get(value, step) as unknown) : undefined
    return toLimitWords(isObject(value) && typeof value['name'] === 'string' ? value['name'] : step)
  })
}

/** Only these steps may lie between a parameter and its bounds; others lead to another property. */
const wrapperName = /^(?:schema|range|bounds?|limits?|\d+)?$/

/** The bounds of a rate, such as requests per second, are not bounds of the parameter. */
function isBoundOf(nameTrail: readonly string[], parameter: string): boolean {
  const index = nameTrail.lastIndexOf(parameter)
  return (
    index >= 0 &&
    nameTrail.slice(index + 1).every((words) => wrapperName.test(words)) &&
    !nameTrail.slice(0, index).some((words) => /\b(?:rate|throttl\w*|quota)\b/.test(words))
  )
}
