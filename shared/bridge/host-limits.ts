import { z } from 'zod'
import { isObject } from '../json/object.ts'
import { toPointer } from '../json/pointer.ts'
import { compareCapabilities, toRouteShape } from './capabilities.ts'
import type { Endpoint, ListLimit, EndpointParameter } from './endpoints/endpoint.ts'
import { endpoints } from './endpoints/index.ts'
import { documentedLimits as documented } from './endpoints/documented-limits.ts'
import { parseBounds, pageSpanLimits, toLimitWords, findLimitsByPath, type LimitBound } from './limit-names.ts'
import type { Capabilities } from './resources/state.ts'

const boundSchema = z.number().nullable()

/** A limit that is in effect: of a query parameter, of a list in the body, or of a span of pages. */
const limitSchema = z.strictObject({
  /** Id of the row. */
  endpoint: z.string(),
  /** The parameter, or the dotted member of the body. */
  name: z.string(),
  min: boundSchema,
  max: boundSchema,
  default: boundSchema,
  /** Where each number stands in the capabilities; null if the contract's number holds. */
  sources: z.strictObject({ min: z.string().nullable(), max: z.string().nullable(), default: z.string().nullable() }),
})
export type HostLimit = z.infer<typeof limitSchema>

/** Numbers at one place in the capabilities. */
const statedSchema = z.strictObject({
  /** JSON pointer. */
  pointer: z.string(),
  /** Several if the host gives a list of numbers. */
  values: z.array(z.number()),
  /** `endpoint name` of the limits that it decides. Empty if it is not known what it limits. */
  appliesTo: z.array(z.string()),
  /** `endpoint name` of the limits for which a more specific number, or a stricter one, stands elsewhere. */
  outranked: z.array(z.string()),
})
export type ReportedNumber = z.infer<typeof statedSchema>

export const hostLimitsSchema = z.strictObject({
  limits: z.array(limitSchema),
  stated: z.array(statedSchema),
  /** How many more numbers there are than `stated` holds. */
  left: z.number(),
})
/** The limits of a host (spec §8): those of its capabilities, and the contract's where they say nothing. */
export type HostLimits = z.infer<typeof hostLimitsSchema>

const BOUNDS: readonly LimitBound[] = ['min', 'max', 'default']

const MAX_REPORTED_NUMBERS = 2_000
const MAX_DEPTH = 10
const MAX_MEMBERS = 5_000

const isRange = ({ type, min, max }: EndpointParameter): boolean =>
  type === 'integer' && max !== undefined && min !== max

/** The contract's own limits (spec §8, observed-0.49). */
const contractLimits: readonly HostLimit[] = [
  ...endpoints.flatMap((row: Endpoint) => [
    ...row.parameters.filter(isRange).map(({ name, min = null, max = null, default: usual }) => ({
      endpoint: row.id,
      name,
      min,
      max,
      default: typeof usual === 'number' ? usual : null,
    })),
    ...row.limits.map(({ member, max }) => ({ endpoint: row.id, name: member, min: null, max, default: null })),
  ]),
  ...pageSpanLimits.map((span) => ({ ...span, min: null, max: documented.documentPages, default: null })),
].map((limit) => ({ ...limit, sources: { min: null, max: null, default: null } }))

const keyOf = ({ endpoint, name }: Pick<HostLimit, 'endpoint' | 'name'>): string => `${endpoint} ${name}`

/** A number that may be a bound of a limit. */
interface Candidate {
  readonly pointer: string
  readonly key: string
  readonly bound: LimitBound
  readonly value: number
  readonly rank: number
}

const contractOnly: HostLimits = { limits: [...contractLimits], stated: [], left: 0 }
const limitsByCapabilities = new WeakMap<object, HostLimits>()

/**
 * Every number of the capabilities, and the limits in effect with them (spec §8, §9). A route's own description comes before a named
 * limit, a specific name before a general one; where two are equal, the stricter holds. `null`: not read, the contract's limits hold.
 */
export function readHostLimits(capabilities: Capabilities | null): HostLimits {
  if (capabilities === null) return contractOnly
  const before = limitsByCapabilities.get(capabilities)
  if (before) return before
  const read = readLimits(capabilities)
  limitsByCapabilities.set(capabilities, read)
  return read
}

/** The limit of a parameter or of a list in the body; without bounds if there is none. `limits`: null = the contract's. */
export function getLimit(
  limits: HostLimits | null,
  endpoint: string,
  name: string,
): Pick<HostLimit, LimitBound | 'sources'> {
  const found = (limits ?? contractOnly).limits.find((limit) => limit.endpoint === endpoint && limit.name === name)
  return found ?? { min: null, max: null, default: null, sources: { min: null, max: null, default: null } }
}

/** The row with a host's limits in place of the contract's. */
export function applyHostLimits(row: Endpoint, limits: HostLimits | null): Endpoint {
  if (limits === null || !limits.limits.some(({ endpoint }) => endpoint === row.id)) return row
  const parameters = row.parameters.map((parameter): EndpointParameter => {
    if (!isRange(parameter)) return parameter
    const { min, max, default: usual } = getLimit(limits, row.id, parameter.name)
    const bounds = { ...(min === null ? {} : { min }), ...(max === null ? {} : { max }) }
    return { ...parameter, ...bounds, ...(usual === null ? {} : { default: usual }) }
  })
  const lists = row.limits.map((list): ListLimit => {
    const { max } = getLimit(limits, row.id, list.member)
    return max === null ? list : { ...list, max }
  })
  return { ...row, parameters, limits: lists }
}

function readLimits(capabilities: Capabilities): HostLimits {
  const numbers = [...findNumbers(capabilities)]
  const rows = rowsByRoute(capabilities)
  const candidates = numbers.flatMap((number) => findCandidates(number, capabilities, rows))
  const winners = new Map<string, Candidate>()
  for (const candidate of candidates) {
    const slot = `${candidate.key} ${candidate.bound}`
    const other = winners.get(slot)
    if (!other || outranks(candidate, other)) winners.set(slot, candidate)
  }
  const limits = contractLimits.map((limit) => applyWinners(limit, (bound) => winners.get(`${keyOf(limit)} ${bound}`)))
  const decided = new Set([...winners.values()].map(({ pointer, key }) => `${pointer}\n${key}`))
  const byPointer = new Map<string, Set<string>>()
  for (const { pointer, key } of candidates) byPointer.set(pointer, (byPointer.get(pointer) ?? new Set()).add(key))
  const stated = numbers.map(({ pointer, values }): ReportedNumber => {
    const keys = [...(byPointer.get(pointer) ?? [])]
    const isDecided = (key: string): boolean => decided.has(`${pointer}\n${key}`)
    return {
      pointer,
      values: [...values],
      appliesTo: keys.filter(isDecided),
      outranked: keys.filter((key) => !isDecided(key)),
    }
  })
  return {
    limits,
    stated: stated.slice(0, MAX_REPORTED_NUMBERS),
    left: Math.max(0, stated.length - MAX_REPORTED_NUMBERS),
  }
}

function outranks(candidate: Candidate, other: Candidate): boolean {
  if (candidate.rank !== other.rank) return candidate.rank > other.rank
  return candidate.bound === 'min' ? candidate.value > other.value : candidate.value < other.value
}

function applyWinners(limit: HostLimit, winner: (bound: LimitBound) => Candidate | undefined): HostLimit {
  const [min, max, usual] = BOUNDS.map((bound) => winner(bound))
  const top = max?.value ?? limit.max
  // Bounds from two places may contradict each other: then the maximum holds. A default outside of the range would be refused.
  const stated = min?.value ?? limit.min
  const low = stated === null || top === null ? stated : Math.min(stated, top)
  const within = (value: number): number => Math.min(Math.max(value, low ?? value), top ?? value)
  return {
    ...limit,
    min: low,
    max: top,
    default: usual ? within(usual.value) : limit.default === null ? null : within(limit.default),
    sources: { min: min?.pointer ?? null, max: max?.pointer ?? null, default: usual?.pointer ?? null },
  }
}

interface FoundNumber {
  readonly pointer: string
  readonly path: readonly string[]
  readonly values: readonly number[]
}

function* findNumbers(value: unknown, path: readonly string[] = []): Generator<FoundNumber> {
  const pointer = toPointer(path)
  if (typeof value === 'number') yield { pointer, path, values: [value] }
  if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return
  if (Array.isArray(value) && value.length > 0 && value.every((entry) => typeof entry === 'number')) {
    yield { pointer, path, values: value.slice(0, 100) }
    return
  }
  for (const [name, member] of Object.entries(value).slice(0, MAX_MEMBERS)) yield* findNumbers(member, [...path, name])
}

/** The rows of the table by the place of their route in the list. */
function rowsByRoute(capabilities: Capabilities): readonly (Endpoint | undefined)[] {
  const { pathOverrides } = compareCapabilities(capabilities)
  const shapes = new Map<string, Endpoint>(endpoints.map((row) => [toRouteShape(row.method, row.path), row]))
  for (const row of endpoints) {
    const path = pathOverrides[row.id]
    if (path !== undefined) shapes.set(toRouteShape(row.method, path), row)
  }
  return capabilities.routes.map(({ method, path }) => shapes.get(toRouteShape(method, path)))
}

function findCandidates(
  { pointer, path, values }: FoundNumber,
  capabilities: Capabilities,
  rows: readonly (Endpoint | undefined)[],
): Candidate[] {
  const bounds = parseBounds(path, values)
  const make = (key: string, rank: number): Candidate[] => bounds.map((bound) => ({ pointer, key, rank, ...bound }))
  if (path[0] === 'routes') {
    const row = rows[Number(path[1])]
    const named = collectNames(capabilities, path)
    return contractLimits
      .filter(
        ({ endpoint, name }) => endpoint === row?.id && isBoundOf(named, toLimitWords(name.split('.').at(-1) ?? '')),
      )
      .flatMap((limit) => make(keyOf(limit), 3))
  }
  return findLimitsByPath(path).flatMap(({ keys, rank }) => keys.flatMap((key) => make(key, rank)))
}

/** The names on the way to a value, as words: of members, or what an object in a list gives as its `name`. */
function collectNames(root: unknown, path: readonly string[]): string[] {
  let value = root
  return path.map((step) => {
    value = typeof value === 'object' && value !== null ? (Reflect.get(value, step) as unknown) : undefined
    return toLimitWords(isObject(value) && typeof value['name'] === 'string' ? value['name'] : step)
  })
}

/** Steps between a parameter and its bounds. Anything else is another property of it: a length, an example, a position. */
const wrapper = /^(?:schema|range|bounds?|limits?|\d+)?$/

/** Whether these names lead to a bound of the parameter, and not to a rate. */
function isBoundOf(named: readonly string[], parameter: string): boolean {
  const index = named.lastIndexOf(parameter)
  return (
    index >= 0 &&
    named.slice(index + 1).every((words) => wrapper.test(words)) &&
    !named.slice(0, index).some((words) => /\b(?:rate|throttl\w*|quota)\b/.test(words))
  )
}
