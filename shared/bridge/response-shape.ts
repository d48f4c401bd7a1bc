import { isObject } from '../json/object.ts'
import type { ListRule } from './endpoints/endpoint.ts'
import { findOwnIdMember } from './id-kinds.ts'
import { parseHitKind } from './resources/search.ts'
import type { SchemaPlan } from './resources/schema-plan.ts'

/** Members in which hosts may wrap a whole response. */
export const wrapperMembers = ['data', 'result'] as const

/** The member that wraps the response, if no other member belongs to it; null if none does. */
export function findWrapper(plan: SchemaPlan, body: unknown): string | null {
  if (plan.kind !== 'object' || !isObject(body)) return null
  const names = new Set(plan.members.map(({ name }) => name).filter((name) => name !== 'bridgeApiVersion'))
  for (const alternatives of Object.values(plan.variants.names ?? {})) {
    for (const alternative of alternatives) names.add(alternative.split('.', 1)[0] ?? '')
  }
  if (names.size === 0 || Object.keys(body).some((name) => names.has(name) || Array.isArray(body[name]))) return null
  const matches = wrapperMembers.filter((name) => isObject(body[name]))
  return matches.length === 1 ? (matches[0] ?? null) : null
}

export function getMemberNames(plan: SchemaPlan): ReadonlySet<string> {
  return new Set(plan.kind === 'object' ? plan.members.map(({ name }) => name) : [])
}

/** A list or a map by id, as sent. */
export interface ListPart {
  /** Member names that lead to it; empty if it is the response itself. */
  readonly path: readonly string[]
  readonly count: number
  /** For a map by id: the id of each entry, and its position among the members of the map. */
  readonly keys?: readonly string[]
  readonly positions?: readonly number[]
}

export interface LocatedList {
  /** The response with the list under the schema's name. */
  readonly value: Record<string, unknown>
  /** The lists whose entries make up the list, in their order. */
  readonly parts: readonly ListPart[]
  /** The list is one of several, or no plain list: each entry may have got its kind or its id. */
  readonly isJoined: boolean
}

/**
 * Finds the list of a response: as the response itself, under another name, at another depth, in
 * groups or as a map by id. A list whose name the contract does not show is recognised by the ids
 * of its entries.
 * @returns null if the response has no such list, or has it under the schema's name
 */
export function locateList(rule: ListRule, plan: SchemaPlan, body: unknown): LocatedList | null {
  if (Array.isArray(body)) {
    return { value: { [rule.member]: body }, parts: [{ path: [], count: body.length }], isJoined: false }
  }
  if (!isObject(body) || Array.isArray(body[rule.member])) return null
  const candidates = rule.isUnnamed === true ? listCandidates(rule, plan, body) : []
  const identified = candidates.filter(({ isIdentified }) => isIdentified)
  const isGrouped = rule.isGrouped === true && identified.some(({ path }) => isKind(path.at(-1) ?? ''))
  if (isGrouped) return joinCandidates(rule, body, identified)
  const candidate =
    findOnly(identified, rule) ??
    findOnlyTopList(rule, plan, body) ??
    findOnly(candidates, rule) ??
    findEmptyList(rule, plan, body)
  return candidate === null ? null : joinCandidates(rule, body, [candidate])
}

/** A list, or a map by id, that may be the list of the response. */
interface ListCandidate {
  readonly path: readonly string[]
  readonly entries: readonly unknown[]
  readonly keys: readonly string[] | null
  readonly positions: readonly number[] | null
  /** Its entries have the ids that entries of this endpoint have. */
  readonly isIdentified: boolean
}

/** Deeper and further containers are not searched. */
const MAX_LIST_DEPTH = 5
const MAX_SEARCHED_MEMBERS = 2000
/** An id is looked for in that many entries of a list. */
const MAX_SAMPLED_ENTRIES = 20
/** Lists of these names say something about the response. */
const envelopeNames = new Set(['warnings', 'errors', 'notices', 'messages', 'hints'])
/** Empty lists and lists of plain ids are recognised only under these names. */
const usualNames = new Set(['items', 'results', 'list', 'entries', 'records', 'rows', 'data'])

function listCandidates(rule: ListRule, plan: SchemaPlan, body: Record<string, unknown>): ListCandidate[] {
  const knownNames = getMemberNames(plan)
  const hasId = createIdTest(rule, plan)
  const candidates: ListCandidate[] = []
  let searchedMembers = 0
  const queue: { readonly path: readonly string[]; readonly value: Record<string, unknown> }[] = [
    { path: [], value: body },
  ]
  for (let holder = queue.shift(); holder; holder = queue.shift()) {
    const map = parseMapById(rule, holder.path, holder.value, hasId)
    if (map !== null) {
      candidates.push(map)
      continue
    }
    for (const [name, value] of Object.entries(holder.value)) {
      searchedMembers += 1
      if (searchedMembers > MAX_SEARCHED_MEMBERS) return candidates
      const isOtherMember = holder.path.length === 0 && name !== rule.member && knownNames.has(name)
      if (isOtherMember || envelopeNames.has(name)) continue
      const path = [...holder.path, name]
      if (Array.isArray(value)) {
        const entries = value as readonly unknown[]
        if (entries.length === 0) continue
        const areIds = entries.every((entry) => typeof entry === 'string' && isIdLike(entry))
        const isGroup = rule.isGrouped === true && isKind(name) && (areIds || entries.every(isObject))
        const isIdentified = isGroup || entries.slice(0, MAX_SAMPLED_ENTRIES).every(hasId)
        if (isIdentified || areIds) candidates.push({ path, entries, keys: null, positions: null, isIdentified })
      } else if (isObject(value) && path.length < MAX_LIST_DEPTH) queue.push({ path, value })
    }
  }
  return candidates
}

const isKind = (name: string): boolean => /^[A-Za-z_-]+$/.test(name) && parseHitKind(name) !== undefined

const isIdLike = (text: string): boolean => text !== '' && text.length <= 200 && !/\s/.test(text)

/** Keys of a map by id contain a digit, unless the entries repeat them or its name is known. */
function parseMapById(
  { member }: ListRule,
  path: readonly string[],
  holder: Record<string, unknown>,
  hasId: (entry: unknown) => boolean,
): ListCandidate | null {
  const members = Object.keys(holder)
  const positions = members.flatMap((name, index) => (isObject(holder[name]) ? [index] : []))
  const keys = positions.map((index) => members[index] ?? '')
  const name = path.at(-1)
  const areOthersPlain = members.every((key) => !Array.isArray(holder[key]))
  if (keys.length === 0 || !areOthersPlain || (name !== undefined && keys.length < members.length)) return null
  if (keys.some((key) => isKind(key) || !isIdLike(key) || key === member || usualNames.has(key))) return null
  const entries = keys.map((key) => ({ id: key, ...Object(holder[key]) }) as unknown)
  const areKeysRepeated = keys.every((key) => Object.values(Object(holder[key]) as object).includes(key))
  const areKeysIds = keys.every((key) => key.length >= 6 && /\d/.test(key))
  const isNamed = name !== undefined && (name === member || usualNames.has(name) || isKind(name))
  return areKeysRepeated || areKeysIds || isNamed
    ? { path, entries, keys, positions, isIdentified: entries.every(hasId) }
    : null
}

/** Tests by the member that a plain text stands for, or by any id if there are several kinds. */
function createIdTest(rule: ListRule, plan: SchemaPlan): (entry: unknown) => boolean {
  const list = plan.kind === 'object' ? plan.members.find(({ name }) => name === rule.member)?.plan : undefined
  const inner = list?.kind === 'optional' ? list.inner : list
  const { self, names = {} } = inner?.kind === 'list' && inner.element.kind === 'object' ? inner.element.variants : {}
  if (rule.isGrouped === true) return (entry) => isObject(entry) && findOwnIdMember(entry) !== null
  if (self === undefined) return () => false
  const idNames = [self, ...(names[self] ?? [])]
  return (entry) => isObject(entry) && idNames.some((name) => typeof (entry[name] ?? null) === 'string')
}

function findOnly(candidates: readonly ListCandidate[], { member }: ListRule): ListCandidate | null {
  const namedCandidates = candidates.filter(({ path }) => usualNames.has(path.at(-1) ?? '') || path.at(-1) === member)
  const [only, another] = namedCandidates.length === 1 ? namedCandidates : candidates
  return another === undefined ? (only ?? null) : null
}

/** The only list of objects among the response's own members, or the only one with a usual name. */
function findOnlyTopList(
  { isUnnamed }: ListRule,
  plan: SchemaPlan,
  body: Record<string, unknown>,
): ListCandidate | null {
  const knownNames = getMemberNames(plan)
  const lists = Object.entries(body).filter(
    ([name, list]) => !knownNames.has(name) && !envelopeNames.has(name) && Array.isArray(list),
  )
  const usuallyNamed = lists.filter(([name]) => isUnnamed === true && usualNames.has(name))
  const topLists = usuallyNamed.length === 1 ? usuallyNamed : lists.filter(([, list]) => isListOfObjects(list))
  const [only] = topLists
  if (!only || topLists.length > 1) return null
  return { path: [only[0]], entries: only[1] as readonly unknown[], keys: null, positions: null, isIdentified: false }
}

const isListOfObjects = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isObject)

/** A response says that there is nothing if it has lists, and all of them are empty. */
function findEmptyList(rule: ListRule, plan: SchemaPlan, body: Record<string, unknown>): ListCandidate | null {
  if (rule.isUnnamed !== true) return null
  const emptyPaths: (readonly string[])[] = []
  const knownNames = getMemberNames(plan)
  const hasOnlyEmptyLists = (value: Record<string, unknown>, path: readonly string[]): boolean =>
    path.length < MAX_LIST_DEPTH &&
    Object.entries(value).every(([name, inner]) => {
      if (envelopeNames.has(name) || (path.length === 0 && name !== rule.member && knownNames.has(name))) return true
      const isEmpty = Array.isArray(inner) && inner.length === 0
      if (isEmpty) emptyPaths.push([...path, name])
      return isEmpty || (isObject(inner) ? hasOnlyEmptyLists(inner, [...path, name]) : !Array.isArray(inner))
    })
  const [path] = hasOnlyEmptyLists(body, []) ? emptyPaths : []
  return path === undefined ? null : { path, entries: [], keys: null, positions: null, isIdentified: false }
}

/** Joins lists to the list of the schema. An entry without a kind gets the name of its group. */
function joinCandidates(
  { member, isGrouped }: ListRule,
  body: Record<string, unknown>,
  candidates: readonly ListCandidate[],
): LocatedList {
  const [first] = candidates
  const isGroup = isGrouped === true && candidates.some(({ path }) => isKind(path.at(-1) ?? ''))
  const entries = candidates.flatMap(({ path, entries: partEntries }) => {
    const kind = path.at(-1)
    return isGroup && kind !== undefined ? partEntries.map((entry) => withKind(entry, kind)) : partEntries
  })
  const isMoved = first?.path.length === 1 && candidates.length === 1 && !isGroup
  const others = Object.entries(body).filter(([name]) => !isMoved || name !== first.path[0])
  return {
    value: { ...Object.fromEntries(others), [member]: entries },
    parts: candidates.map(({ path, entries: partEntries, keys, positions }) => ({
      path,
      count: partEntries.length,
      ...(keys && positions ? { keys, positions } : {}),
    })),
    isJoined: isGroup || candidates.length > 1 || (first?.keys ?? null) !== null,
  }
}

function withKind(entry: unknown, kind: string): unknown {
  if (typeof entry === 'string') return { id: entry, kind }
  return !isObject(entry) || typeof (entry['kind'] ?? entry['type']) === 'string' ? entry : { ...entry, kind }
}
