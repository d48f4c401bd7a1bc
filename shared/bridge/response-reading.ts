import { parseGroupedList, findWrapper, type GroupedList } from './response-shape.ts'
import { getResponseSchema, findEndpointById, type JsonEndpointId, type ResponseOf } from './endpoints/index.ts'
import type { ListRule } from './endpoints/endpoint.ts'
import { salvage } from './salvage.ts'
import type { DataProblem, SalvageResult } from './salvage-result.ts'
import { getSchemaPlan, getJsonType } from './resources/schema-plan.ts'
import { toListPath } from '../json/list-elements.ts'
import { isObject } from '../json/object.ts'
import { parsePointer, toPointerStep } from '../json/pointer.ts'

/** Where a list of a parsed answer is in the answer as sent. */
interface ListLocation {
  /** The member that holds it, or the path to it (`listPath`); null if the answer is the list itself. */
  readonly member: string | null
  /** The original places of its entries; null if none was left out. */
  readonly positions: readonly number[] | null
  /** The lists that it was put together from, in their order. */
  readonly parts?: readonly { readonly member: string; readonly count: number }[]
}

/** The usable part of an answer, and what was left out. */
export interface ResponseReading<T> extends Omit<SalvageResult<T>, 'keptPositions'> {
  /** Lists that are elsewhere or lost entries, by the member name that the schema gives them. */
  readonly lists: Readonly<Record<string, ListLocation>>
}

/**
 * The one way in which an answer becomes a typed value: whatever this gives conforms to the response schema of the row. The list that a row
 * is about is found where the host put it: under its name, as the answer itself, as the only other list of objects, or in groups; the whole
 * answer may be wrapped. An answer whose list is none is not usable: it must not look like an empty one. `readAs` lists what was read in
 * another shape than the schema's.
 */
export function readResponse<Id extends JsonEndpointId>(id: Id, sent: unknown): ResponseReading<ResponseOf<Id>> {
  const wrapper = findWrapper(getSchemaPlan(getResponseSchema(id)), sent)
  const inner = wrapper === null || !isObject(sent) ? null : readBare(id, sent[wrapper])
  return wrapper === null || inner?.value === undefined ? readBare(id, sent) : readWrapped(wrapper, inner)
}

/** A reading of what stands in a wrapper, with every place as it is in the answer. */
function readWrapped<T>(
  wrapper: string,
  { lists, problems, conversions: readAs, ...inner }: ResponseReading<T>,
): ResponseReading<T> {
  const at = toPointerStep(wrapper)
  const under = (member: string): string => toListPath(wrapper, member)
  const moved: Record<string, ListLocation> = {}
  for (const [name, list] of Object.entries(inner.value ?? {})) {
    if (!Array.isArray(list)) continue
    const { member, positions, parts } = lists[name] ?? { member: name, positions: null }
    const own = parts?.map((part) => ({ ...part, member: under(part.member) }))
    moved[name] = { member: member === null ? wrapper : under(member), positions, ...(own ? { parts: own } : {}) }
  }
  return {
    ...inner,
    lists: moved,
    problems: problems.map((one) => ({
      ...one,
      path: at + one.path,
      entry: one.entry === null ? null : at + one.entry,
    })),
    conversions: [
      { path: at, name: wrapper, how: 'inside', count: 1 },
      ...readAs.map((one) => ({ ...one, path: at + one.path })),
    ],
  }
}

/** An answer whose list was sent in groups. */
function readGrouped<Id extends JsonEndpointId>(
  id: Id,
  member: string,
  { value, parts }: GroupedList,
): ResponseReading<ResponseOf<Id>> {
  const { keptPositions: kept, ...taken } = salvage(getResponseSchema(id), value)
  const own = `/${member}`
  const sentAt = (path: string): string => {
    const [, index = '', rest = ''] = /^(\d+)(.*)$/s.exec(path.slice(own.length + 1)) ?? []
    if (!path.startsWith(`${own}/`)) return path
    const { list, at } = findPart(parts, index === '' ? 0 : Number(index))
    const pointer = (list?.path ?? []).map(toPointerStep).join('')
    return pointer + (index === '' ? path.slice(own.length) : `/${at}${rest}`)
  }
  const places = parts.map(({ path, count }) => ({ member: toListPath(...path), count }))
  return {
    ...taken,
    problems: taken.problems.map((one) => ({
      ...one,
      path: sentAt(one.path),
      entry: one.entry === null ? null : sentAt(one.entry),
    })),
    conversions: [
      ...parts.map(({ path }) => ({
        path: path.map(toPointerStep).join(''),
        name: member,
        how: 'group' as const,
        count: 1,
      })),
      ...taken.conversions.map((one) => ({ ...one, path: sentAt(one.path) })),
    ],
    lists: { ...toListLocations(kept), [member]: { member, positions: kept.get(own) ?? null, parts: places } },
  }
}

/** The part that an entry of a list put together from several came from, and its index there. */
function findPart<P extends { readonly count: number }>(
  parts: readonly P[],
  index: number,
): { readonly list: P | undefined; readonly at: number } {
  let at = index
  for (const list of parts) {
    if (at < list.count) return { list, at }
    at -= list.count
  }
  return { list: undefined, at: index }
}

function readBare<Id extends JsonEndpointId>(id: Id, sent: unknown): ResponseReading<ResponseOf<Id>> {
  const schema = getResponseSchema(id)
  const response = findEndpointById(id)?.response
  const rule = response?.kind === 'json' ? (response.list ?? null) : null
  const groups = rule && parseGroupedList(rule, sent, getMemberNames(id))
  if (rule && groups) return readGrouped(id, rule.member, groups)
  const moved = rule && findMovedList(rule, sent, getMemberNames(id))
  const { keptPositions: kept, ...taken } = salvage(schema, moved ? moved.value : sent)
  if (rule === null) return { ...taken, lists: toListLocations(kept) }
  const own = `/${rule.member}`
  if (moved === null) {
    const lost = isObject(sent) && sent[rule.member] !== undefined && !hasList(taken.value, rule.member)
    const lists = toListLocations(kept)
    return lost && taken.value !== undefined
      ? { ...createMissingListReading(rule, sent), value: undefined, lists }
      : { ...taken, lists }
  }
  const sentAt = moved.member === null ? '' : toPointerStep(moved.member)
  const relocate = (path: string): string =>
    path === own || path.startsWith(`${own}/`) ? sentAt + path.slice(own.length) : path
  const problems = taken.problems.map((one) => ({
    ...one,
    path: relocate(one.path),
    entry: one.entry === null ? null : relocate(one.entry),
  }))
  const free = rule.isUnnamed === true || (moved.member === null && rule.isBare === true)
  const extra = free ? [] : [createMissingListProblem(rule, sent)]
  const place = { path: sentAt, name: rule.member, how: 'list' as const, count: 1 }
  const readAs = taken.conversions.map((one) => ({ ...one, path: relocate(one.path) }))
  return {
    conversions: moved.member === null && rule.isBare === true ? readAs : [place, ...readAs],
    value: taken.value,
    problems: [...extra, ...problems],
    problemCount: taken.problemCount + extra.length,
    omittedEntryCount: taken.omittedEntryCount,
    lists: { ...toListLocations(kept), [rule.member]: { member: moved.member, positions: kept.get(own) ?? null } },
  }
}

/** Where an entry of a parsed list is in the answer as sent. */
export function locateSentEntry(
  lists: ResponseReading<unknown>['lists'],
  member: string,
  index: number,
): { readonly member: string | null; readonly index: number } {
  const place = Object.hasOwn(lists, member) ? lists[member] : undefined
  if (!place) return { member, index: index }
  const at = place.positions?.[index] ?? index
  const part = place.parts && findPart(place.parts, at)
  return part?.list ? { member: part.list.member, index: part.at } : { member: place.member, index: at }
}

/** The answer with its list under the schema's name; null if it is there already, or nowhere. */
function findMovedList(
  { member, isUnnamed: unnamed }: ListRule,
  sent: unknown,
  named: ReadonlySet<string>,
): { readonly value: unknown; readonly member: string | null } | null {
  if (Array.isArray(sent)) return { value: { [member]: sent }, member: null }
  if (!isObject(sent) || Array.isArray(sent[member])) return null
  const lists = Object.entries(sent).filter(([name, list]) => !named.has(name) && Array.isArray(list))
  const usual = lists.filter(([name]) => unnamed === true && usualNames.has(name))
  const others = usual.length === 1 ? usual : lists.filter(([, list]) => isListOfObjects(list))
  const [only] = others
  if (!only || others.length > 1) return null
  const { [only[0]]: list, ...rest } = sent
  return { value: { ...rest, [member]: list }, member: only[0] }
}

/** Usual names for a list whose name is not documented; under these, an empty list or one of plain ids is recognised as well. */
const usualNames = new Set(['items', 'results', 'list', 'entries', 'records', 'rows', 'data'])

const isListOfObjects = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isObject)

function getMemberNames(id: JsonEndpointId): ReadonlySet<string> {
  const plan = getSchemaPlan(getResponseSchema(id))
  return new Set(plan.kind === 'object' ? plan.members.map(({ name }) => name) : [])
}

function toListLocations(kept: ReadonlyMap<string, readonly number[]>): Record<string, ListLocation> {
  const lists: Record<string, ListLocation> = {}
  for (const [pointer, positions] of kept) {
    const [member = ''] = parsePointer(pointer)
    if (pointer !== '') lists[member] = { member, positions }
  }
  return lists
}

const hasList = (value: unknown, member: string): boolean => isObject(value) && Array.isArray(value[member])

const createMissingListProblem = ({ member }: ListRule, sent: unknown): DataProblem => ({
  path: Array.isArray(sent) ? '' : toPointerStep(member),
  entry: null,
  expected: Array.isArray(sent) ? 'object' : 'array',
  found: Array.isArray(sent) ? 'array' : getJsonType(isObject(sent) ? sent[member] : undefined),
})

const createMissingListReading = (rule: ListRule, sent: unknown): Omit<ResponseReading<never>, 'value' | 'lists'> => ({
  problems: [createMissingListProblem(rule, sent)],
  problemCount: 1,
  omittedEntryCount: 0,
  conversions: [],
})
