// This folder reads what hosts send: responses, capabilities, limits and ids, in whatever shape
// they come. It does no I/O: requests are made in electron/services/bridge. Read
// endpoints/endpoint.ts first, then this file.

import type { z } from 'zod'
import { getWeakerBasis, isBinding, type Basis } from './basis.ts'
import { locateList, findWrapper, type LocatedList, type ListPart } from './response-shape.ts'
import { getResponseSchema, findEndpointById, type JsonEndpointId, type ResponseOf } from './endpoints/index.ts'
import type { JsonShape, ListRule } from './endpoints/endpoint.ts'
import { salvage } from './salvage.ts'
import type { DataProblem, SalvageResult } from './salvage-result.ts'
import { getPlanBasis, getSchemaPlan, getJsonType, type SchemaPlan } from './resources/schema-plan.ts'
import { toListPath } from '../json/list-elements.ts'
import { getMember, isObject } from '../json/object.ts'
import { parsePointer, toPointer, toPointerStep } from '../json/pointer.ts'

/** Place of a parsed list in the response as sent. */
interface ListLocation {
  /** The list's name, or path (`toListPath`); null if the response is the list itself. */
  readonly member: string | null
  /** For each entry that was kept, its index as sent; null if no entry was omitted. */
  readonly positions: readonly number[] | null
  /** The lists that were joined, in their order. */
  readonly parts?: readonly SentPart[]
}
type SentPart = Omit<ListPart, 'path'> & { readonly member: string | null }

/** The usable part of a response, and what was omitted. */
export interface ResponseReading<T> extends Omit<SalvageResult<T>, 'keptPositions'> {
  /** Lists elsewhere or with removed entries, by the schema's member name. */
  readonly lists: Readonly<Record<string, ListLocation>>
  /**
   * True if the response has no usable part, or no list that the program finds, and the contract
   * does not show where it is. Nothing is wrong with such a response; `value` is undefined, so that
   * it does not look empty.
   */
  readonly isShapeUnknown?: true
}

/**
 * Reads a response as the type of its endpoint's schema. The response may be wrapped, and its list
 * is where `locateList` finds it. Without its list, the response is unusable, because it must not
 * look like an empty list. `conversions` reports the values that were read in another shape.
 */
export function readResponse<Id extends JsonEndpointId>(id: Id, sentBody: unknown): ResponseReading<ResponseOf<Id>> {
  const normalize = getNormalizer(id)
  const body = normalize ? normalize(sentBody) : sentBody
  if (body === undefined) return { ...NOTHING_READ, lists: {}, isShapeUnknown: true }
  const wrapper = findWrapper(getSchemaPlan(getResponseSchema(id)), body)
  const inner = wrapper === null || !isObject(body) ? null : readUnwrapped(id, body[wrapper])
  return wrapper === null || inner?.value === undefined ? readUnwrapped(id, body) : readWrapped(wrapper, inner)
}

function getNormalizer(id: JsonEndpointId): JsonShape['normalize'] {
  const response = findEndpointById(id)?.response
  return response?.kind === 'json' ? response.normalize : undefined
}

/** Adds the wrapper, so that all pointers are relative to the whole response. */
function readWrapped<T>(
  wrapper: string,
  { lists, problems, conversions, ...inner }: ResponseReading<T>,
): ResponseReading<T> {
  const wrapperPointer = toPointerStep(wrapper)
  const toWrappedPath = (member: string | null): string => (member === null ? wrapper : toListPath(wrapper, member))
  const movedLists: Record<string, ListLocation> = {}
  for (const [name, list] of Object.entries(inner.value ?? {})) {
    if (!Array.isArray(list)) continue
    const { member, positions, parts } = lists[name] ?? { member: name, positions: null }
    const movedParts = parts?.map((part) => ({ ...part, member: toWrappedPath(part.member) }))
    movedLists[name] = {
      member: toWrappedPath(member),
      positions,
      ...(movedParts ? { parts: movedParts } : {}),
    }
  }
  const toWrapped = (pointer: string): string => wrapperPointer + pointer
  return {
    ...inner,
    lists: movedLists,
    problems: moveProblems(problems, toWrapped),
    conversions: [
      { path: wrapperPointer, name: wrapper, conversionKind: 'wrapped', count: 1 },
      ...conversions.map((conversion) => ({ ...conversion, path: wrapperPointer + conversion.path })),
    ],
  }
}

const moveProblems = (problems: readonly DataProblem[], move: (pointer: string) => string): readonly DataProblem[] =>
  problems.map((problem) => ({
    ...problem,
    path: move(problem.path),
    entry: problem.entry === null ? null : move(problem.entry),
  }))

/** Finds the sent list that an entry of a joined list came from, and the entry's index there. */
function findPart<P extends { readonly count: number }>(
  parts: readonly P[],
  index: number,
): { readonly list: P | undefined; readonly indexInPart: number } {
  let indexInPart = index
  for (const list of parts) {
    if (indexInPart < list.count) return { list, indexInPart }
    indexInPart -= list.count
  }
  return { list: undefined, indexInPart: index }
}

/** An unusable response that breaks no binding statement has a shape that is not known. */
function readUnwrapped<Id extends JsonEndpointId>(id: Id, body: unknown): ResponseReading<ResponseOf<Id>> {
  const reading = readWithList(id, body)
  const isOpen = reading.value === undefined && reading.bindingProblemCount === 0
  return isOpen ? { ...reading, isShapeUnknown: true } : reading
}

function readWithList<Id extends JsonEndpointId>(id: Id, body: unknown): ResponseReading<ResponseOf<Id>> {
  const schema = getResponseSchema(id)
  const response = findEndpointById(id)?.response
  const rule = response?.kind === 'json' ? (response.list ?? null) : null
  const located = rule && locateList(rule, getSchemaPlan(schema), body)
  const { keptPositions, ...salvaged } = salvage(schema, located ? located.value : body)
  const lists = toListLocations(keptPositions)
  if (rule === null) return { ...salvaged, lists }
  if (located !== null)
    return readLocatedList(rule, createMissingListProblem(rule, schema, body), located, { ...salvaged, keptPositions })
  if (hasList(salvaged.value, rule.member)) return { ...salvaged, lists }
  if (rule.isUnnamed === true) return { ...NOTHING_READ, lists }
  const isListLost = isObject(body) && body[rule.member] !== undefined && salvaged.value !== undefined
  return isListLost ? { ...createMissingListReading(rule, schema, body), lists } : { ...salvaged, lists }
}

/** Converts all pointers, so that they lead to the response as sent. */
function readLocatedList<T>(
  rule: ListRule,
  missingList: DataProblem,
  { parts, isJoined }: LocatedList,
  { keptPositions, ...salvaged }: SalvageResult<T>,
): ResponseReading<T> {
  const listPointer = `/${rule.member}`
  const toSentPath = (path: string): string => {
    if (path !== listPointer && !path.startsWith(`${listPointer}/`)) return path
    const rest = path.slice(listPointer.length)
    const [, index, suffix = ''] = /^\/(\d+)(\D.*)?$/s.exec(rest) ?? []
    const { list, indexInPart } = findPart(parts, Number(index ?? 0))
    const pointer = toPointer(list?.path ?? [])
    return index === undefined
      ? pointer + rest
      : `${pointer}${toPointerStep(list?.keys?.[indexInPart] ?? indexInPart)}${suffix}`
  }
  const isBareList = rule.isBare === true && parts[0]?.path.length === 0
  const extraProblems = rule.isUnnamed === true || isBareList || missingList.basis === 'open' ? [] : [missingList]
  const listConversions = parts.map(({ path }) => ({
    path: toPointer(path),
    name: rule.member,
    conversionKind: isJoined ? ('group' as const) : ('list' as const),
    count: 1,
  }))
  const [first] = parts
  return {
    ...salvaged,
    problems: [...extraProblems, ...moveProblems(salvaged.problems, toSentPath)],
    problemCount: salvaged.problemCount + extraProblems.length,
    bindingProblemCount: salvaged.bindingProblemCount + extraProblems.filter(({ basis }) => isBinding(basis)).length,
    conversions: [
      ...(isBareList ? [] : listConversions),
      ...salvaged.conversions.map((conversion) => ({ ...conversion, path: toSentPath(conversion.path) })),
    ],
    lists: {
      ...toListLocations(keptPositions),
      [rule.member]: {
        member: first === undefined || first.path.length === 0 ? null : toListPath(...first.path),
        positions: keptPositions.get(listPointer) ?? null,
        ...(isJoined ? { parts: parts.map(toSentPart) } : {}),
      },
    },
  }
}

const toSentPart = ({ path, ...part }: ListPart): SentPart => ({
  ...part,
  member: path.length === 0 ? null : toListPath(...path),
})

export function locateSentEntry(
  lists: ResponseReading<unknown>['lists'],
  member: string,
  index: number,
): { readonly member: string | null; readonly index: number } {
  const location = Object.hasOwn(lists, member) ? lists[member] : undefined
  if (!location) return { member, index }
  const sentIndex = location.positions?.[index] ?? index
  const part = location.parts && findPart(location.parts, sentIndex)
  return part?.list
    ? { member: part.list.member, index: part.list.positions?.[part.indexInPart] ?? part.indexInPart }
    : { member: location.member, index: sentIndex }
}

function toListLocations(keptPositions: ReadonlyMap<string, readonly number[]>): Record<string, ListLocation> {
  const lists: Record<string, ListLocation> = {}
  for (const [pointer, positions] of keptPositions) {
    const [member = ''] = parsePointer(pointer)
    if (pointer !== '') lists[member] = { member, positions }
  }
  return lists
}

const hasList = (value: unknown, member: string): boolean => isObject(value) && Array.isArray(value[member])

const createMissingListProblem = ({ member }: ListRule, schema: z.ZodType, body: unknown): DataProblem => ({
  basis: getListBasis(getSchemaPlan(schema), member, body),
  path: Array.isArray(body) ? '' : toPointerStep(member),
  entry: null,
  expected: Array.isArray(body) ? 'object' : 'array',
  actual: Array.isArray(body) ? 'array' : getJsonType(isObject(body) ? body[member] : undefined),
})

/** Basis of the statement that a response has the list under the schema's name. */
function getListBasis(plan: SchemaPlan, member: string, body: unknown): Basis {
  const basis = getPlanBasis(plan)
  const statement = plan.kind === 'object' ? plan.members.find(({ name }) => name === member) : undefined
  if (!statement || Array.isArray(body)) return basis
  return getWeakerBasis(basis, getMember(body, member) === undefined ? statement.presence : statement.type)
}

const NOTHING_READ = {
  value: undefined,
  problems: [],
  problemCount: 0,
  bindingProblemCount: 0,
  omittedEntryCount: 0,
  conversions: [],
} as const

/** A response whose list has another type. */
function createMissingListReading(
  rule: ListRule,
  schema: z.ZodType,
  body: unknown,
): Omit<ResponseReading<never>, 'lists'> {
  const problem = createMissingListProblem(rule, schema, body)
  if (problem.basis === 'open') return NOTHING_READ
  const bindingProblemCount = isBinding(problem.basis) ? 1 : 0
  return { ...NOTHING_READ, problems: [problem], problemCount: 1, bindingProblemCount }
}
