/**
 * What a write is going to change, tried on a snapshot of the study set, as far as the write's row
 * in the endpoint table says. What happened afterwards is compared in `forecast-check.ts`.
 */
import { z } from 'zod'
import { findEndpointById } from '../bridge/endpoints/index.ts'
import type { Endpoint } from '../bridge/endpoints/endpoint.ts'
import { createTemplatePattern, decodePercent, listPlaceholders } from '../bridge/endpoints/path-template.ts'
import type { EffectRule, PlacementRule } from '../bridge/endpoints/read-back.ts'
import { getMember, isObject } from '../json/object.ts'
import { getValueAtPointer, parsePointer } from '../json/pointer.ts'
import { parseBodyText, parseNoteIds } from '../operations/prepared-write.ts'
import {
  alwaysListedMembers,
  changeKinds,
  DETAILS_MEMBER,
  getMemberKind,
  parseContent,
  type ChangeKind,
} from './card-content.ts'
import { toKey } from './cause.ts'
import { getChildEnd, getChildStart, NO_PARENT, type Forest } from './forest.ts'

/** A write as it is sent. */
export interface ForecastRequest {
  readonly endpoint: string
  /** Below the base URL; a query is ignored. */
  readonly path: string
  /** JSON text; null without a body. */
  readonly body: string | null
}

/** An empty id stands for the top level. */
const placeSchema = z.strictObject({ noteid: z.string(), title: z.string() })
export type ForecastPlace = z.infer<typeof placeSchema>

const memberSchema = z.strictObject({
  name: z.string(),
  /** `new`: the host decides the value, and it will be another one. */
  change: z.enum(['set', 'add', 'remove', 'new']),
  /** Absent if the snapshot does not have the member. */
  before: z.unknown().optional(),
  /** The value, what is added, or what is removed; absent if that is unknown. */
  after: z.unknown().optional(),
  /** Of a list of texts, which one is set. */
  index: z.number().optional(),
})
export type ForecastMember = z.infer<typeof memberSchema>

export const forecastCardSchema = z.strictObject({
  noteid: z.string(),
  title: z.string(),
  kinds: z.array(z.enum(changeKinds)).min(1),
  /**
   * Where the card goes; if it is removed, where the cards directly below it go; of an added card,
   * that of which it is a copy, and where it goes.
   */
  place: z.strictObject({ before: placeSchema, after: placeSchema }).nullable(),
  /** Number of cards that go along with a moved or copied card, or directly below a removed one. */
  below: z.number().int().nonnegative(),
  members: z.array(memberSchema),
})
export type ForecastCard = z.infer<typeof forecastCardSchema>

export interface Forecast {
  /** The cards that change, in the order of the request. */
  readonly cards: readonly ForecastCard[]
  /** Number of cards for which the snapshot already has what the write asks for. */
  readonly unchanged: number
  /** Number of named cards that the snapshot does not have. */
  readonly missing: number
}

/** @returns the ids that the write names, or null if its row says that it is not about cards */
export function listForecastIds({ endpoint, path, body }: ForecastRequest): readonly string[] | null {
  const row = findEndpointById(endpoint)
  if (!row || row.access !== 'write' || !isAboutCards(row)) return null
  const moves = listMoves(row, parseBodyText(body))
  // Copies may come from another study set than the one that they change.
  if (row.placement?.rule === 'copy') return listUnique(moves.map(({ target }) => target))
  return listUnique([
    ...readPathParameter(row, path, 'noteid'),
    ...parseNoteIds(body),
    ...moves.flatMap(({ noteIds }) => noteIds),
  ])
}

/** Whether a write may change cards, as far as the endpoint table says what it changes. */
export function mayChangeCards(endpoint: string): boolean {
  const dataKinds = findEndpointById(endpoint)?.dataKinds ?? null
  return dataKinds === null || dataKinds.includes('cards') || dataKinds.includes('map')
}

/** Whether the endpoint table says what the write changes. */
export function hasForecast(endpoint: string): boolean {
  const row = findEndpointById(endpoint)
  return row !== undefined && (row.effect !== null || row.placement !== null)
}

const isAboutCards = ({ parameters, limits }: Endpoint): boolean =>
  parameters.some(({ name }) => name === 'noteid') || limits.some(({ member }) => member === 'noteIds')

function readPathParameter({ path: template }: Endpoint, path: string, name: string): string[] {
  const index = listPlaceholders(template).indexOf(name)
  const value = createTemplatePattern(template).exec(path.split('?', 1)[0] ?? '')?.[index + 1]
  return index < 0 || value === undefined ? [] : [decodePercent(value)]
}

/** Hosts write ids in either case. */
const listUnique = (ids: readonly string[]): string[] => [...new Map(ids.map((id) => [toKey(id), id])).values()]

interface CardMove {
  readonly noteIds: readonly string[]
  readonly target: string
}

function listMoves({ placement }: Endpoint, body: unknown): CardMove[] {
  if (placement?.rule !== 'below' && placement?.rule !== 'copy') return []
  const batches = getMember(body, placement.batchesMember)
  return (Array.isArray(batches) ? (batches as unknown[]) : [body]).flatMap((batch) => {
    const noteIds = toTextList(getMember(batch, 'noteIds'))
    const target = getMember(batch, placement.targetMember)
    return typeof target === 'string' && noteIds.length > 0 ? { noteIds, target } : []
  })
}

/** @returns null if the endpoint table does not say what the write changes */
export function forecastWrite(request: ForecastRequest, forest: Forest): Forecast | null {
  const row = findEndpointById(request.endpoint)
  const ids = listForecastIds(request)
  if (!row || !ids || !hasForecast(request.endpoint)) return null
  const body = parseBodyText(request.body)
  const moves = listMoves(row, body)
  const indexByKey = findIndexes(forest, [...ids, ...moves.flatMap(({ noteIds, target }) => [...noteIds, target])])
  const indexes = ids.flatMap((id) => indexByKey.get(toKey(id)) ?? [])
  const { placement } = row
  const forecastCards = (): ForecastCard[] | null => {
    switch (placement?.rule) {
      case 'below':
        return forecastMoves(forest, moves, indexByKey)
      case 'copy':
        return forecastCopies(forest, moves, indexByKey)
      case 'merge':
        return indexes.flatMap((index) => forecastMerge(forest, index, placement, body))
      case 'subMap':
        return indexes.map((index) => forecastSubMap(forest, index, placement, body))
      default:
        if (row.effect?.rule === 'gone') return forecastRemovals(forest, indexes)
        return indexes.map((index) => forecastMembers(forest, index, row, request))
    }
  }
  const cards = forecastCards()
  if (cards === null) return null
  const changed = cards.filter(({ kinds }) => kinds.length > 0)
  return { cards: changed, unchanged: cards.length - changed.length, missing: ids.length - indexes.length }
}

/** The indexes of these cards, by id in upper case. */
export function findIndexes(forest: Forest, ids: Iterable<string>): Map<string, number> {
  const keys = new Set([...ids].map(toKey))
  const indexes = new Map<string, number>()
  for (let index = 0; index < forest.count && indexes.size < keys.size; index += 1) {
    const key = toKey(forest.ids[index] ?? '')
    if (keys.has(key)) indexes.set(key, index)
  }
  return indexes
}

const noDetails = { texts: [], hashtags: [], bands: [] }

/** The members of a card in a snapshot, with its details if they were read. */
export const readMembers = (forest: Forest, index: number): Record<string, unknown> => {
  const { [DETAILS_MEMBER]: details, ...listed } = parseContent(forest.contents[index] ?? '')
  // Details leave out what has no value.
  return isObject(details) ? { ...noDetails, ...details, ...listed } : listed
}

function readTitle(forest: Forest, index: number): string {
  const { title } = readMembers(forest, index)
  return typeof title === 'string' ? title : ''
}

const toPlace = (forest: Forest, index: number): ForecastPlace =>
  index === NO_PARENT ? { noteid: '', title: '' } : { noteid: forest.ids[index] ?? '', title: readTitle(forest, index) }

const toCard = (forest: Forest, index: number): ForecastCard => ({
  ...{ noteid: forest.ids[index] ?? '', title: readTitle(forest, index) },
  ...{ kinds: [], place: null, below: 0, members: [] },
})

/** The children of a card that goes are attached to the next card above that stays. */
function forecastRemovals(forest: Forest, indexes: readonly number[]): ForecastCard[] {
  const removed = new Set(indexes)
  return indexes.map((index) => {
    let heir = forest.parents[index] ?? NO_PARENT
    while (removed.has(heir)) heir = forest.parents[heir] ?? NO_PARENT
    const children = listChildren(forest, index).filter((child) => !removed.has(child))
    const place = { before: toPlace(forest, index), after: toPlace(forest, heir) }
    return {
      ...toCard(forest, index),
      ...{ kinds: ['removed'], below: children.length, place: children.length > 0 ? place : null },
    }
  })
}

export const listChildren = (forest: Forest, index: number): number[] => [
  ...forest.children.subarray(getChildStart(forest, index), getChildEnd(forest, index)),
]

/** @returns null if a card would go below itself */
function forecastMoves(
  forest: Forest,
  moves: readonly CardMove[],
  indexByKey: ReadonlyMap<string, number>,
): ForecastCard[] | null {
  const cards: ForecastCard[] = []
  for (const { noteIds, target } of moves) {
    const targetIndex = indexByKey.get(toKey(target))
    const indexes = new Set(noteIds.flatMap((id) => indexByKey.get(toKey(id)) ?? []))
    const isBelowItself =
      targetIndex !== undefined && (indexes.has(targetIndex) || hasAncestor(forest, targetIndex, indexes))
    if (isBelowItself) return null
    const after = targetIndex === undefined ? { noteid: target, title: '' } : toPlace(forest, targetIndex)
    for (const index of indexes) {
      // A card below another named card goes along with it.
      if (hasAncestor(forest, index, indexes)) continue
      const parent = forest.parents[index] ?? NO_PARENT
      const card = { ...toCard(forest, index), below: (forest.sizes[index] ?? 1) - 1 }
      const place = { before: toPlace(forest, parent), after }
      cards.push(parent === targetIndex ? card : { ...card, kinds: ['moved'], place })
    }
  }
  return cards
}

function forecastCopies(
  forest: Forest,
  moves: readonly CardMove[],
  indexByKey: ReadonlyMap<string, number>,
): ForecastCard[] {
  return moves.flatMap(({ noteIds, target }) => {
    const targetIndex = indexByKey.get(toKey(target))
    const after = targetIndex === undefined ? { noteid: target, title: '' } : toPlace(forest, targetIndex)
    const indexes = new Set(noteIds.flatMap((id) => indexByKey.get(toKey(id)) ?? []))
    return listUnique(noteIds).flatMap((noteid): ForecastCard[] => {
      const index = indexByKey.get(toKey(noteid))
      const before = index === undefined ? { noteid, title: '' } : toPlace(forest, index)
      const copy = { ...before, kinds: ['added' as const], place: { before, after }, members: [] }
      if (index === undefined) return [{ ...copy, below: 0 }]
      // A card below another named card is copied with it.
      return hasAncestor(forest, index, indexes) ? [] : [{ ...copy, below: (forest.sizes[index] ?? 1) - 1 }]
    })
  })
}

/**
 * The merged cards go, and their titles are appended. The contract does not say where what is below
 * them goes, nor what becomes of cards below the root of a sub-map.
 */
function forecastMerge(
  forest: Forest,
  index: number,
  { recursiveMember, separator }: Extract<PlacementRule, { rule: 'merge' }>,
  body: unknown,
): ForecastCard[] {
  const merged: number[] = []
  let isCertain = true
  const pending = listChildren(forest, index).reverse()
  for (let child = pending.pop(); child !== undefined; child = pending.pop()) {
    const isSubMapRoot = isSubMap(readMembers(forest, child))
    const below = getMember(body, recursiveMember) === true ? listChildren(forest, child) : []
    if (isSubMapRoot) isCertain &&= below.length === 0
    else {
      merged.push(child)
      pending.push(...below.reverse())
    }
  }
  const before = readTitle(forest, index)
  const titles = [before, ...merged.map((child) => readTitle(forest, child))].filter((title) => title !== '')
  const title: ForecastMember = isCertain
    ? { name: 'title', change: 'set', before, after: titles.join(separator) }
    : { name: 'title', change: 'new', before }
  const card = toCard(forest, index)
  const isChanged = merged.length > 0
  return [
    isChanged ? { ...card, kinds: ['renamed'], members: [title] } : card,
    ...merged.map((child): ForecastCard => ({ ...toCard(forest, child), kinds: ['removed'] })),
  ]
}

const isSubMap = ({ subMapId }: Readonly<Record<string, unknown>>): boolean => subMapId !== undefined

function forecastSubMap(
  forest: Forest,
  index: number,
  { undoMember }: Extract<PlacementRule, { rule: 'subMap' }>,
  body: unknown,
): ForecastCard {
  const card = toCard(forest, index)
  const members = readMembers(forest, index)
  const isUndo = getMember(body, undoMember) === true
  if (!hasChildren(forest, index) || isSubMap(members) !== isUndo) return card
  const before = isUndo ? { before: members['subMapId'] } : {}
  return {
    ...card,
    kinds: ['subMap'],
    members: [{ name: 'subMapId', change: isUndo ? 'set' : 'new', ...before, ...(isUndo ? { after: null } : {}) }],
  }
}

const hasChildren = (forest: Forest, index: number): boolean =>
  getChildEnd(forest, index) > getChildStart(forest, index)

function hasAncestor(forest: Forest, index: number, ancestors: ReadonlySet<number>): boolean {
  let parent = forest.parents[index] ?? NO_PARENT
  while (parent !== NO_PARENT && !ancestors.has(parent)) parent = forest.parents[parent] ?? NO_PARENT
  return parent !== NO_PARENT
}

function forecastMembers(forest: Forest, index: number, row: Endpoint, request: ForecastRequest): ForecastCard {
  const { effect } = row
  const isKept = effect?.rule === 'members' && effect.isForParents === true && !hasChildren(forest, index)
  const members = effect && !isKept ? listMembers(effect, readMembers(forest, index), row, request) : []
  const differing = members.filter((member) => member.change !== 'set' || !isAlready(member))
  const kinds = new Set<ChangeKind>(differing.map(({ name }) => getMemberKind(name)))
  if (effect?.rule === 'revision' && differing.length > 0) {
    kinds.clear()
    kinds.add('practice')
  }
  return { ...toCard(forest, index), kinds: changeKinds.filter((kind) => kinds.has(kind)), members: differing }
}

/** A listing leaves out what has no value, of members that it always has otherwise. */
const isAlready = ({ name, before, after }: ForecastMember): boolean =>
  isEqual(before, after) || (before === undefined && after === false && alwaysListedMembers.has(name))

/** @param card the members of the card in the snapshot */
function listMembers(
  effect: EffectRule,
  card: Readonly<Record<string, unknown>>,
  row: Endpoint,
  { path, body: bodyText }: ForecastRequest,
): ForecastMember[] {
  const body = parseBodyText(bodyText)
  const readIndex = (name: string): number => Number(readPathParameter(row, path, name)[0] ?? NaN)
  const withBefore = (member: ForecastMember): ForecastMember =>
    member.name in card ? { ...member, before: card[member.name] } : member
  switch (effect.rule) {
    case 'members':
      return Object.entries(effect.readBackPointers).flatMap(([from, to]) => {
        const after = getValueAtPointer(body, from)
        return after === undefined ? [] : withBefore({ name: getLastStep(to), change: 'set', after })
      })
    case 'text': {
      const text = getValueAtPointer(body, effect.bodyPointer)
      const name = getLastStep(effect.readBackPointer)
      if (typeof text !== 'string') return []
      if (typeof effect.index === 'object' && 'responsePointer' in effect.index)
        return [{ name, change: 'add', after: [text] }]
      const index = typeof effect.index === 'number' ? effect.index : readIndex(effect.index.pathParameter)
      const before = findText(card[name], index)
      return [{ name, change: 'set', after: text, ...(before === null ? {} : { before }), index }]
    }
    case 'textGone': {
      const name = getLastStep(effect.readBackPointer)
      const text = findText(card[name], readIndex(effect.pathParameter))
      return [withBefore({ name, change: 'remove', ...(text === null ? {} : { after: [text] }) })]
    }
    case 'computed':
      return [withBefore({ name: getLastStep(effect.readBackPointer), change: 'new' })]
    case 'tags':
      return forecastTags(effect, card, body)
    case 'revision':
      return [withBefore({ name: getLastStep(effect.readBackPointer), change: 'new' })]
    case 'added': {
      const entries = effect.members.flatMap((name) => {
        const value = getMember(body, name)
        return value === undefined ? [] : [[name, value] as const]
      })
      const name = getLastStep(effect.readBackPointer)
      return [withBefore({ name, change: 'add', after: [Object.fromEntries(entries)] })]
    }
    case 'gone':
      return []
  }
}

function forecastTags(
  { operationPointer, bodyPointer, readBackPointer }: Extract<EffectRule, { rule: 'tags' }>,
  card: Readonly<Record<string, unknown>>,
  body: unknown,
): ForecastMember[] {
  const name = getLastStep(readBackPointer)
  const operation = getValueAtPointer(body, operationPointer)
  const after = toTextList(getValueAtPointer(body, bodyPointer))
  const isKnown = Array.isArray(card[name])
  const before = toTextList(card[name])
  const keys = new Set(before.map(toTagKey))
  const beforePart = isKnown ? { before } : {}
  if (operation === 'replace') {
    const isSame = isKnown && keys.size === after.length && after.every((tag) => keys.has(toTagKey(tag)))
    return isSame ? [] : [{ name, change: 'set', after, ...beforePart }]
  }
  if (operation !== 'add' && operation !== 'remove') return []
  const affected = isKnown ? after.filter((tag) => keys.has(toTagKey(tag)) === (operation === 'remove')) : after
  return affected.length === 0 ? [] : [{ name, change: operation, after: affected, ...beforePart }]
}

/** Tags are compared in this form (observed-0.49 §5). */
export const toTagKey = (tag: string): string => tag.replace(/^#/, '').toLowerCase()

/** The text at an index of a list of texts; null if there is none. */
export function findText(texts: unknown, index: number): string | null {
  const entries = Array.isArray(texts) ? (texts as unknown[]) : []
  const text = getMember(
    entries.find((entry) => getMember(entry, 'index') === index),
    'text',
  )
  return typeof text === 'string' ? text : null
}

export const toTextList = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []

export const isEqual = (first: unknown, second: unknown): boolean => JSON.stringify(first) === JSON.stringify(second)

const getLastStep = (pointer: string): string => parsePointer(pointer).at(-1) ?? ''
