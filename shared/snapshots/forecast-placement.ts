import type { PlacementRule } from '../bridge/endpoints/read-back.ts'
import { getMember } from '../json/object.ts'
import { toKey } from './cause.ts'
import {
  hasChildren,
  listChildren,
  readMembers,
  readTitle,
  toCard,
  toPlace,
  type ForecastCard,
  type ForecastMember,
} from './forecast-card.ts'
import { NO_PARENT, type Forest } from './forest.ts'

export interface CardMove {
  readonly noteIds: readonly string[]
  readonly target: string
}

/** Hosts write ids in either case. */
export function listUnique(ids: readonly string[]): string[] {
  return [...new Map(ids.map((id) => [toKey(id), id])).values()]
}

/** The children of a card that goes are attached to the next card above that stays. */
export function forecastRemovals(forest: Forest, indexes: readonly number[]): ForecastCard[] {
  const removed = new Set(indexes)
  return indexes.map((index) => {
    let heir = forest.parents[index] ?? NO_PARENT
    while (removed.has(heir)) heir = forest.parents[heir] ?? NO_PARENT
    const children = listChildren(forest, index).filter((child) => !removed.has(child))
    const place = { before: toPlace(forest, index), after: toPlace(forest, heir) }
    return {
      ...toCard(forest, index),
      kinds: ['removed'],
      below: children.length,
      place: children.length > 0 ? place : null,
    }
  })
}

/** @returns null if a card would go below itself */
export function forecastMoves(
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

export function forecastCopies(
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
export function forecastMerge(
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

export function forecastSubMap(
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

function hasAncestor(forest: Forest, index: number, ancestors: ReadonlySet<number>): boolean {
  let parent = forest.parents[index] ?? NO_PARENT
  while (parent !== NO_PARENT && !ancestors.has(parent)) parent = forest.parents[parent] ?? NO_PARENT
  return parent !== NO_PARENT
}
