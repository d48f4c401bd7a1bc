// This folder reads what hosts send: responses, capabilities, limits and ids, in whatever shape
// they come. It does no I/O: requests are made in electron/services/bridge. Read
// endpoints/endpoint.ts first, then this file.

import { parseGroupedList, findWrapper, type GroupedList } from './response-shape.ts'
import { getResponseSchema, findEndpointById, type JsonEndpointId, type ResponseOf } from './endpoints/index.ts'
import type { ListRule } from './endpoints/endpoint.ts'
import { salvage } from './salvage.ts'
import type { DataProblem, SalvageResult } from './salvage-result.ts'
import { getSchemaPlan, getJsonType, type SchemaPlan } from './resources/schema-plan.ts'
import { toListPath } from '../json/list-elements.ts'
import { isObject } from '../json/object.ts'
import { parsePointer, toPointerStep } from '../json/pointer.ts'

/** Where a parsed list is in the response as sent. */
interface ListLocation {
  /**
   * The name of the member, or the path to it (`toListPath`); null if the response is the list
   * itself.
   */
  readonly member: string | null
  /** For each entry that was kept, its index as sent; null if no entry was omitted. */
  readonly positions: readonly number[] | null
  /** The lists that were joined, in their order. */
  readonly parts?: readonly { readonly member: string; readonly count: number }[]
}

/** The usable part of a response, and what was omitted. */
export interface ResponseReading<T> extends Omit<SalvageResult<T>, 'keptPositions'> {
  /**
   * Lists that are elsewhere in the response, or from which entries were removed, by the schema's
   * member name.
   */
  readonly lists: Readonly<Record<string, ListLocation>>
}

/**
 * Reads a response as the type of its endpoint's schema. The list is found under its name, as the
 * whole response, as the only other list of objects, or in groups; the response may be wrapped. If
 * the member that should be the list is not a list, the response is unusable, because it must not
 * look like an empty list. `conversions` reports the values that were read in another shape.
 */
export function readResponse<Id extends JsonEndpointId>(id: Id, body: unknown): ResponseReading<ResponseOf<Id>> {
  const wrapper = findWrapper(getSchemaPlan(getResponseSchema(id)), body)
  const inner = wrapper === null || !isObject(body) ? null : readUnwrapped(id, body[wrapper])
  return wrapper === null || inner?.value === undefined ? readUnwrapped(id, body) : readWrapped(wrapper, inner)
}

/**
 * Adds the wrapper of a response to the result of reading its content, so that all pointers are
 * relative to the whole response.
 */
function readWrapped<T>(
  wrapper: string,
  { lists, problems, conversions, ...inner }: ResponseReading<T>,
): ResponseReading<T> {
  const wrapperPointer = toPointerStep(wrapper)
  const toWrappedPath = (member: string): string => toListPath(wrapper, member)
  const movedLists: Record<string, ListLocation> = {}
  for (const [name, list] of Object.entries(inner.value ?? {})) {
    if (!Array.isArray(list)) continue
    const { member, positions, parts } = lists[name] ?? { member: name, positions: null }
    const movedParts = parts?.map((part) => ({ ...part, member: toWrappedPath(part.member) }))
    movedLists[name] = {
      member: member === null ? wrapper : toWrappedPath(member),
      positions,
      ...(movedParts ? { parts: movedParts } : {}),
    }
  }
  return {
    ...inner,
    lists: movedLists,
    problems: problems.map((problem) => ({
      ...problem,
      path: wrapperPointer + problem.path,
      entry: problem.entry === null ? null : wrapperPointer + problem.entry,
    })),
    conversions: [
      { path: wrapperPointer, name: wrapper, conversionKind: 'inside', count: 1 },
      ...conversions.map((conversion) => ({ ...conversion, path: wrapperPointer + conversion.path })),
    ],
  }
}

function readGrouped<Id extends JsonEndpointId>(
  id: Id,
  member: string,
  { value, parts }: GroupedList,
): ResponseReading<ResponseOf<Id>> {
  const { keptPositions, ...salvaged } = salvage(getResponseSchema(id), value)
  const listPointer = `/${member}`
  const toSentPath = (path: string): string => {
    const [, index = '', suffix = ''] = /^(\d+)(.*)$/s.exec(path.slice(listPointer.length + 1)) ?? []
    if (!path.startsWith(`${listPointer}/`)) return path
    const { list, indexInPart } = findPart(parts, index === '' ? 0 : Number(index))
    const pointer = (list?.path ?? []).map(toPointerStep).join('')
    return pointer + (index === '' ? path.slice(listPointer.length) : `/${indexInPart}${suffix}`)
  }
  const sentParts = parts.map(({ path, count }) => ({ member: toListPath(...path), count }))
  return {
    ...salvaged,
    problems: salvaged.problems.map((problem) => ({
      ...problem,
      path: toSentPath(problem.path),
      entry: problem.entry === null ? null : toSentPath(problem.entry),
    })),
    conversions: [
      ...parts.map(({ path }) => ({
        path: path.map(toPointerStep).join(''),
        name: member,
        conversionKind: 'group' as const,
        count: 1,
      })),
      ...salvaged.conversions.map((conversion) => ({ ...conversion, path: toSentPath(conversion.path) })),
    ],
    lists: {
      ...toListLocations(keptPositions),
      [member]: { member, positions: keptPositions.get(listPointer) ?? null, parts: sentParts },
    },
  }
}

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

function readUnwrapped<Id extends JsonEndpointId>(id: Id, body: unknown): ResponseReading<ResponseOf<Id>> {
  const schema = getResponseSchema(id)
  const response = findEndpointById(id)?.response
  const rule = response?.kind === 'json' ? (response.list ?? null) : null
  const names = getMemberNames(getSchemaPlan(schema))
  const groups = rule && parseGroupedList(rule, body, names)
  if (rule && groups) return readGrouped(id, rule.member, groups)
  const movedList = rule && findMovedList(rule, body, names)
  const { keptPositions, ...salvaged } = salvage(schema, movedList ? movedList.value : body)
  if (rule === null) return { ...salvaged, lists: toListLocations(keptPositions) }
  const listPointer = `/${rule.member}`
  if (movedList === null) {
    const isListLost = isObject(body) && body[rule.member] !== undefined && !hasList(salvaged.value, rule.member)
    const lists = toListLocations(keptPositions)
    return isListLost && salvaged.value !== undefined
      ? { ...createMissingListReading(rule, body), value: undefined, lists }
      : { ...salvaged, lists }
  }
  const sentPointer = movedList.member === null ? '' : toPointerStep(movedList.member)
  const relocate = (path: string): string =>
    path === listPointer || path.startsWith(`${listPointer}/`) ? sentPointer + path.slice(listPointer.length) : path
  const problems = salvaged.problems.map((problem) => ({
    ...problem,
    path: relocate(problem.path),
    entry: problem.entry === null ? null : relocate(problem.entry),
  }))
  const isExpectedMove = rule.isUnnamed === true || (movedList.member === null && rule.isBare === true)
  const extraProblems = isExpectedMove ? [] : [createMissingListProblem(rule, body)]
  const listConversion = { path: sentPointer, name: rule.member, conversionKind: 'list' as const, count: 1 }
  const conversions = salvaged.conversions.map((conversion) => ({ ...conversion, path: relocate(conversion.path) }))
  return {
    conversions: movedList.member === null && rule.isBare === true ? conversions : [listConversion, ...conversions],
    value: salvaged.value,
    problems: [...extraProblems, ...problems],
    problemCount: salvaged.problemCount + extraProblems.length,
    omittedEntryCount: salvaged.omittedEntryCount,
    lists: {
      ...toListLocations(keptPositions),
      [rule.member]: { member: movedList.member, positions: keptPositions.get(listPointer) ?? null },
    },
  }
}

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
    ? { member: part.list.member, index: part.indexInPart }
    : { member: location.member, index: sentIndex }
}

/**
 * Returns the response with its list under the schema's name. Returns null if the list has that
 * name already or is missing.
 */
export function findMovedList(
  { member, isUnnamed }: ListRule,
  body: unknown,
  knownNames: ReadonlySet<string>,
): { readonly value: unknown; readonly member: string | null } | null {
  if (Array.isArray(body)) return { value: { [member]: body }, member: null }
  if (!isObject(body) || Array.isArray(body[member])) return null
  const lists = Object.entries(body).filter(([name, list]) => !knownNames.has(name) && Array.isArray(list))
  const usuallyNamed = lists.filter(([name]) => isUnnamed === true && usualNames.has(name))
  const candidates = usuallyNamed.length === 1 ? usuallyNamed : lists.filter(([, list]) => isListOfObjects(list))
  const [only] = candidates
  if (!only || candidates.length > 1) return null
  const { [only[0]]: list, ...otherMembers } = body
  return { value: { ...otherMembers, [member]: list }, member: only[0] }
}

/**
 * Usual names of undocumented lists. Empty lists and lists of plain ids are recognised only under
 * these names.
 */
const usualNames = new Set(['items', 'results', 'list', 'entries', 'records', 'rows', 'data'])

const isListOfObjects = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isObject)

export const getMemberNames = (plan: SchemaPlan): ReadonlySet<string> =>
  new Set(plan.kind === 'object' ? plan.members.map(({ name }) => name) : [])

function toListLocations(keptPositions: ReadonlyMap<string, readonly number[]>): Record<string, ListLocation> {
  const lists: Record<string, ListLocation> = {}
  for (const [pointer, positions] of keptPositions) {
    const [member = ''] = parsePointer(pointer)
    if (pointer !== '') lists[member] = { member, positions }
  }
  return lists
}

const hasList = (value: unknown, member: string): boolean => isObject(value) && Array.isArray(value[member])

const createMissingListProblem = ({ member }: ListRule, body: unknown): DataProblem => ({
  path: Array.isArray(body) ? '' : toPointerStep(member),
  entry: null,
  expected: Array.isArray(body) ? 'object' : 'array',
  actual: Array.isArray(body) ? 'array' : getJsonType(isObject(body) ? body[member] : undefined),
})

const createMissingListReading = (rule: ListRule, body: unknown): Omit<ResponseReading<never>, 'value' | 'lists'> => ({
  problems: [createMissingListProblem(rule, body)],
  problemCount: 1,
  omittedEntryCount: 0,
  conversions: [],
})
