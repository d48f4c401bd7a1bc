import { z } from 'zod'
import { originSchema } from '../traffic/exchange.ts'
import { isObject, lookUp } from '../json/object.ts'
import { dataKinds } from './endpoints/endpoint.ts'
import { findEndpointById } from './endpoints/index.ts'
import { getIdKind } from './id-kinds.ts'

/** A change with more ids of one kind counts as a change without ids. */
const MAX_IDS = 500
const MAX_SEARCHED_VALUES = 20_000
const MAX_FACT_CHARS = 100
const MAX_FACTS = 50

/** Only ids of these kinds limit the reads that a change affects. A deck may stand for a set. */
const limitedKinds = ['cards', 'sets', 'documents', 'bundles'] as const
type IdKind = (typeof limitedKinds)[number]
const limitingKinds: Partial<Record<string, IdKind>> = {
  card: 'cards',
  studySet: 'sets',
  deck: 'sets',
  document: 'documents',
  bundle: 'bundles',
}
/** Members in lower case that have ids in requests only, such as the query's `studySet`. */
const requestMemberKinds: Partial<Record<string, IdKind>> = {
  card: 'cards',
  targetparentnoteid: 'cards',
  rootnoteid: 'cards',
  topic: 'sets',
  studyset: 'sets',
}
const kindOfMember = (name: string): IdKind | undefined =>
  lookUp(requestMemberKinds, name.toLowerCase()) ?? lookUp(limitingKinds, getIdKind(name, '') ?? '')

const ids = z.array(z.string()).max(MAX_IDS)
const idsByKindSchema = z.strictObject({ cards: ids, sets: ids, documents: ids, bundles: ids })
export const NO_IDS_BY_KIND = { cards: [], sets: [], documents: [], bundles: [] }

/** A moment after which earlier reads of the host's data may be stale. */
export const dataChangeSchema = z.strictObject({
  /** Epoch milliseconds when the change was noticed. */
  at: z.number(),
  /** The request that made the change; null if no recorded request explains it. */
  cause: z
    .strictObject({
      exchangeId: z.string().nullable(),
      origin: originSchema,
      endpoint: z.string(),
      method: z.string(),
      path: z.string(),
    })
    .nullable(),
  /** If no request explains the change: the value that differs from the earlier response. */
  fact: z.strictObject({ name: z.string(), from: z.string(), to: z.string() }).nullable(),
  /** The kinds of data that changed; null if any may have. */
  matters: z.array(z.enum(dataKinds)).nullable(),
  /** Ids in the request. An empty list means any id of this kind. */
  ids: idsByKindSchema,
  /** True if the host reported the change as done; false if the change is only possible. */
  isCertain: z.boolean(),
})
export type DataChange = z.infer<typeof dataChangeSchema>

export interface DisplayedRead {
  /** Id of an endpoint, or of a route that only the host lists. */
  readonly endpoint: string
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
  readonly body?: unknown
}

export function collectIds(...values: readonly unknown[]): Record<IdKind, string[]> {
  const { idsByKind, isWhole } = searchIds(values)
  const toBoundedList = (idSet: Set<string>): string[] => (!isWhole || idSet.size > MAX_IDS ? [] : [...idSet])
  return {
    cards: toBoundedList(idsByKind.cards),
    sets: toBoundedList(idsByKind.sets),
    documents: toBoundedList(idsByKind.documents),
    bundles: toBoundedList(idsByKind.bundles),
  }
}

/** The ids of cards, as many as there are; not whole if too many values would be searched. */
export function collectCardIds(...values: readonly unknown[]): {
  readonly ids: readonly string[]
  readonly isWhole: boolean
} {
  const { idsByKind, isWhole } = searchIds(values)
  return { ids: [...idsByKind.cards], isWhole }
}

function searchIds(values: readonly unknown[]): {
  readonly idsByKind: Record<IdKind, Set<string>>
  readonly isWhole: boolean
} {
  const idsByKind: Record<IdKind, Set<string>> = {
    cards: new Set(),
    sets: new Set(),
    documents: new Set(),
    bundles: new Set(),
  }
  const queue: unknown[] = [...values]
  for (let searched = 0; queue.length > 0; searched += 1) {
    // The search stops here, so the ids are incomplete and count as unknown.
    if (searched > MAX_SEARCHED_VALUES) return { idsByKind, isWhole: false }
    const value = queue.pop()
    if (Array.isArray(value)) queue.push(...(value as unknown[]).slice(0, MAX_SEARCHED_VALUES))
    else if (isObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        const kind = kindOfMember(name)
        const texts = Array.isArray(inner) ? (inner as unknown[]) : [inner]
        if (kind) for (const id of texts) if (typeof id === 'string' && id !== '') idsByKind[kind].add(id)
        if (typeof inner === 'object') queue.push(inner)
      }
    }
  }
  return { idsByKind, isWhole: true }
}

/** `no` if kinds or ids rule an effect out; a card's id does so only for cards' own data. */
export function judgeChangeImpact(change: DataChange, read: DisplayedRead): 'yes' | 'maybe' | 'no' {
  const row = findEndpointById(read.endpoint)
  // A route without documentation may return any data.
  if (!row || row.dataKinds === null) return 'maybe'
  if (row.dataKinds.length === 0) return 'no'
  if (change.matters === null && change.fact === null) return 'maybe'
  const sharedKinds = row.dataKinds.filter((dataKind) => change.matters?.includes(dataKind) ?? true)
  if (sharedKinds.length === 0) return 'no'
  const readIds = collectIds(read.params, read.query, read.body)
  const isComposed = row.response.kind === 'binary' && row.response.isComposed === true
  for (const kind of limitedKinds) {
    if (kind === 'cards' && (isComposed || sharedKinds.includes('map'))) continue
    if (areDisjoint(change.ids[kind], readIds[kind])) return 'no'
  }
  return change.isCertain ? 'yes' : 'maybe'
}

function areDisjoint(changedIds: readonly string[], readIds: readonly string[]): boolean {
  if (changedIds.length === 0 || readIds.length === 0) return false
  const upperCaseIds = new Set(changedIds.map((id) => id.toUpperCase()))
  return readIds.every((id) => !upperCaseIds.has(id.toUpperCase()))
}

/** Names that say when or how much data changed, except those about the host itself. */
const dataFactName =
  /^(?:last)?(?:modified|updated|changed)(?:at)?$|^lastmodified(?:at)?$|revision$|^change(?:count|token|sequence)$|^(?:note|card|studyset|document|deck)count$/i

/** Returns members with times and counts, by JSON pointer; depth, number, length are limited. */
export function collectDataFacts(value: unknown, pointer = '', depth = 0): Record<string, string> {
  if (!isObject(value) || depth > 2) return {}
  const facts: [string, string][] = []
  for (const [name, inner] of Object.entries(value).slice(0, 200)) {
    const isFact = dataFactName.test(name) && !/api|guide|app/i.test(name)
    if (isFact && (typeof inner === 'string' || typeof inner === 'number')) {
      facts.push([`${pointer}/${name}`, String(inner).slice(0, MAX_FACT_CHARS)])
    } else facts.push(...Object.entries(collectDataFacts(inner, `${pointer}/${name}`, depth + 1)))
  }
  return Object.fromEntries(facts.slice(0, MAX_FACTS))
}

/** A value that changes in more consecutive responses than this is a clock or a counter. */
const MAX_CHANGES_IN_A_ROW = 2

export class DataFactHistory {
  #facts: Readonly<Record<string, string>> = {}
  readonly #changesInARow = new Map<string, number>()

  /** @returns the first value that differs from the previous response; null if there is none */
  update(facts: Readonly<Record<string, string>>): DataChange['fact'] {
    const before = this.#facts
    this.#facts = facts
    const changed = Object.keys(facts).filter((name) => before[name] !== undefined && before[name] !== facts[name])
    const counts = new Map(changed.map((name) => [name, (this.#changesInARow.get(name) ?? 0) + 1]))
    this.#changesInARow.clear()
    for (const [name, count] of counts) this.#changesInARow.set(name, count)
    const name = changed.find((factName) => (counts.get(factName) ?? 0) <= MAX_CHANGES_IN_A_ROW)
    return name === undefined ? null : { name, from: before[name] ?? '', to: facts[name] ?? '' }
  }
}

/** @returns the first value that differs between the two responses; null if there is none */
export function findChangedFact(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): DataChange['fact'] {
  for (const [name, to] of Object.entries(after)) {
    const from = before[name]
    if (from !== undefined && from !== to) return { name, from, to }
  }
  return null
}
