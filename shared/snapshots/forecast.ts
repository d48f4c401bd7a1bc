/**
 * The expected changes of a write, tried on a snapshot of the study set, as far as the write's row
 * in the endpoint table says. What happened afterwards is compared in `forecast-check.ts`.
 */
import { findEndpointById } from '../bridge/endpoints/index.ts'
import type { Endpoint } from '../bridge/endpoints/endpoint.ts'
import { decodePercent, listPlaceholders, matchPathTemplate } from '../bridge/endpoints/path-template.ts'
import type { EffectRule } from '../bridge/endpoints/read-back.ts'
import { getMember } from '../json/object.ts'
import { getValueAtPointer, parsePointer } from '../json/pointer.ts'
import { parseBodyText, parseNoteIds } from '../operations/prepared-write.ts'
import { alwaysListedMembers, changeKinds, getMemberKind, type ChangeKind } from './card-content.ts'
import { toKey } from './cause.ts'
import {
  findIndexes,
  hasChildren,
  readMembers,
  toCard,
  type ForecastCard,
  type ForecastMember,
} from './forecast-card.ts'
import {
  forecastCopies,
  forecastMerge,
  forecastMoves,
  forecastRemovals,
  forecastSubMap,
  listUnique,
  type CardMove,
} from './forecast-placement.ts'
import type { Forest } from './forest.ts'

export interface ForecastRequest {
  readonly endpoint: string
  /** Below the base URL; a query is ignored. */
  readonly path: string
  /** JSON text; null without a body. */
  readonly body: string | null
}

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

/** True as far as the endpoint table says. */
export function mayChangeCards(endpoint: string): boolean {
  const dataKinds = findEndpointById(endpoint)?.dataKinds ?? null
  return dataKinds === null || dataKinds.includes('cards') || dataKinds.includes('map')
}

export function hasForecast(endpoint: string): boolean {
  const row = findEndpointById(endpoint)
  return row !== undefined && (row.effect !== null || row.placement !== null)
}

const isAboutCards = ({ parameters, limits }: Endpoint): boolean =>
  parameters.some(({ name }) => name === 'noteid') || limits.some(({ member }) => member === 'noteIds')

function readPathParameter({ path: template }: Endpoint, path: string, name: string): string[] {
  const index = listPlaceholders(template).indexOf(name)
  const value = matchPathTemplate(template, path.split('?', 1)[0] ?? '')?.[index]
  return index < 0 || value === undefined ? [] : [decodePercent(value)]
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

/** A tag keeps its first spelling even if it is sent in another (observed-0.49 §5). */
export function toTagKey(tag: string): string {
  return tag.replace(/^#/, '').normalize('NFC').toLowerCase()
}

/** The text at an index of a list of texts; null if there is none. */
export function findText(texts: unknown, index: number): string | null {
  const entries = Array.isArray(texts) ? (texts as unknown[]) : []
  const text = getMember(
    entries.find((entry) => getMember(entry, 'index') === index),
    'text',
  )
  return typeof text === 'string' ? text : null
}

export function toTextList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

/** Nothing says that a host keeps how the characters of a text were composed (UAX #15). */
export function isEqual(first: unknown, second: unknown): boolean {
  return toComparableText(first) === toComparableText(second)
}

const toComparableText = (value: unknown): string | undefined =>
  (JSON.stringify(value) as string | undefined)?.normalize('NFC')

const getLastStep = (pointer: string): string => parsePointer(pointer).at(-1) ?? ''
