import { schemaOf, endpointById, type JsonId, type ResponseOf } from './endpoints/index.ts'
import type { ListRule } from './endpoint.ts'
import { salvage } from './salvage.ts'
import type { Problem, Salvaged } from './salvaged.ts'
import { planOf, typeName } from './schema-plan.ts'
import { isObject } from '../json/object.ts'

/** Where a list of a parsed answer is in the answer as sent. */
interface ListPlace {
  /** The member that holds it; null if the answer is the list itself. */
  readonly member: string | null
  /** The original places of its entries; null if none was left out. */
  readonly positions: readonly number[] | null
}

/** The usable part of an answer, and what was left out. */
export interface Reading<T> extends Omit<Salvaged<T>, 'kept'> {
  /** Lists that are elsewhere or lost entries, by the member name that the schema gives them. */
  readonly lists: Readonly<Record<string, ListPlace>>
}

/**
 * The one way in which an answer becomes a typed value: whatever this gives conforms to the response schema of the row. The list that a row
 * is about is found where the host put it: under its name, as the answer itself, or as the only other list of objects. An answer whose list
 * is none is not usable: it must not look like an empty one. `readAs` lists what was read in another shape than the schema's.
 */
export function readAnswer<Id extends JsonId>(id: Id, sent: unknown): Reading<ResponseOf<Id>> {
  const schema = schemaOf(id)
  const response = endpointById(id)?.response
  const rule = response?.kind === 'json' ? (response.list ?? null) : null
  const moved = rule && moveOf(rule, sent, namesIn(id))
  const { kept, ...taken } = salvage(schema, moved ? moved.value : sent)
  if (rule === null) return { ...taken, lists: listsOf(kept) }
  const own = `/${rule.member}`
  if (moved === null) {
    const lost = isObject(sent) && sent[rule.member] !== undefined && !hasList(taken.value, rule.member)
    const lists = listsOf(kept)
    return lost && taken.value !== undefined ? { ...none(rule, sent), value: undefined, lists } : { ...taken, lists }
  }
  const sentAt = moved.member === null ? '' : pointerTo(moved.member)
  const relocate = (path: string): string =>
    path === own || path.startsWith(`${own}/`) ? sentAt + path.slice(own.length) : path
  const problems = taken.problems.map((one) => ({
    ...one,
    path: relocate(one.path),
    entry: one.entry === null ? null : relocate(one.entry),
  }))
  const free = rule.unnamed === true || (moved.member === null && rule.bare === true)
  const extra = free ? [] : [misplaced(rule, sent)]
  const place = { path: sentAt, name: rule.member, how: 'list' as const, count: 1 }
  const readAs = taken.readAs.map((one) => ({ ...one, path: relocate(one.path) }))
  return {
    readAs: moved.member === null && rule.bare === true ? readAs : [place, ...readAs],
    value: taken.value,
    problems: [...extra, ...problems],
    total: taken.total + extra.length,
    left: taken.left,
    lists: { ...listsOf(kept), [rule.member]: { member: moved.member, positions: kept.get(own) ?? null } },
  }
}

/** Where an entry of a parsed list is in the answer as sent. */
export function sentPlace(
  lists: Reading<unknown>['lists'],
  member: string,
  index: number,
): { readonly member: string | null; readonly at: number } {
  const place = Object.hasOwn(lists, member) ? lists[member] : undefined
  return place ? { member: place.member, at: place.positions?.[index] ?? index } : { member, at: index }
}

/** The answer with its list under the schema's name; null if it is there already, or nowhere. */
function moveOf(
  { member, unnamed }: ListRule,
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

function namesIn(id: JsonId): ReadonlySet<string> {
  const plan = planOf(schemaOf(id))
  return new Set(plan.kind === 'object' ? plan.members.map(({ name }) => name) : [])
}

function listsOf(kept: ReadonlyMap<string, readonly number[]>): Record<string, ListPlace> {
  const lists: Record<string, ListPlace> = {}
  for (const [pointer, positions] of kept) {
    const member = pointer.slice(1).replace(/~1/g, '/').replace(/~0/g, '~')
    if (pointer !== '') lists[member] = { member, positions }
  }
  return lists
}

const hasList = (value: unknown, member: string): boolean => isObject(value) && Array.isArray(value[member])

const misplaced = ({ member }: ListRule, sent: unknown): Problem => ({
  path: Array.isArray(sent) ? '' : pointerTo(member),
  entry: null,
  expected: Array.isArray(sent) ? 'object' : 'array',
  found: Array.isArray(sent) ? 'array' : typeName(isObject(sent) ? sent[member] : undefined),
})

const none = (rule: ListRule, sent: unknown): Omit<Reading<never>, 'value' | 'lists'> => ({
  problems: [misplaced(rule, sent)],
  total: 1,
  left: 0,
  readAs: [],
})

const pointerTo = (member: string): string => `/${member.replace(/~/g, '~0').replace(/\//g, '~1')}`
