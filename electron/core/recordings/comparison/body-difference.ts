import { compareJson, toChangeText } from '../../../../shared/bridge/compare.ts'
import { findOwnIdMember } from '../../../../shared/bridge/id-kinds.ts'
import { isObject } from '../../../../shared/json/object.ts'
import { getValueAtPointer } from '../../../../shared/json/pointer.ts'
import type { CheckDifferences } from '../../../../shared/recordings/check/check-difference.ts'
import { toDifference } from '../check/response-check.ts'
import type { RedactionPolicy } from '../../../../shared/recordings/recording.ts'
import { foldRedactedPlaces } from '../../redaction/redacted-places.ts'
import { replaceInnerIds } from '../../redaction/string-shapes.ts'
import { getElementRule, getMemberRule, type ValueRule } from '../../redaction/value-rules.ts'
import type { IdPairs } from './id-pairs.ts'
import { getPlaceKind, mapPlaces, type PlaceKind } from './value-places.ts'

interface BodyContext {
  readonly rule: ValueRule
  readonly ids: IdPairs
  /** The runs may have created what the bodies name. */
  readonly areIdsNew: boolean
  readonly areTextsComparable: boolean
}

const OMITTED_VALUE = '…'

/** Ids that stand for each other are equal; times, revisions and their like are left out. */
export function compareBodies(before: unknown, after: unknown, context: BodyContext): CheckDifferences {
  const { rule, ids } = context
  ids.matchShared(listIds(before, rule), listIds(after, rule))
  learnIds(before, after, rule, context)
  const foldedBefore = fold(before, context, (id) => ids.getAfter(id) ?? id)
  const foldedAfter = fold(after, context, (id) => id)
  const { changes, total } = compareJson(foldedBefore, foldedAfter)
  const toText = (value: unknown, pointer: string | null, folded: string | null): string | null => {
    const original = pointer === null ? undefined : getValueAtPointer(value, pointer)
    return original === undefined ? folded : toChangeText(original)
  }
  const differences = changes.map((change) => ({
    ...toDifference(change),
    expected: toText(before, change.pointerBefore, change.textBefore),
    actual: toText(after, change.pointerAfter, change.textAfter),
  }))
  return { differences, total }
}

/** Ids are paired by themselves, and pictures are no JSON. */
const REPLACED_TEXTS: RedactionPolicy = { texts: 'placeholder', ids: 'keep', pictures: 'keep' }

function fold(value: unknown, { rule, areTextsComparable }: BodyContext, toId: (id: string) => string): unknown {
  const comparable = areTextsComparable ? value : foldRedactedPlaces(value, rule, REPLACED_TEXTS)
  return mapPlaces(comparable, rule, (place, kind) => {
    if (kind === 'id') return toId(String(place))
    if (kind === 'text' && areTextsComparable) return replaceInnerIds(String(place), toId)
    const isOmitted = kind === 'moment' || kind === 'text'
    // The type of the value is compared all the same.
    return isOmitted ? (typeof place === 'number' ? 0 : OMITTED_VALUE) : place
  })
}

export function listIds(value: unknown, rule: ValueRule): Set<string> {
  const ids = new Set<string>()
  mapPlaces(value, rule, (place, kind) => {
    if (kind === 'id') ids.add(String(place))
    return place
  })
  return ids
}

/** Pairs the ids at the same places. */
function learnIds(before: unknown, after: unknown, rule: ValueRule, context: BodyContext): void {
  if (Array.isArray(before) && Array.isArray(after)) {
    const elementRule = getElementRule(rule)
    for (const [first, second] of pairElements(before, after, elementRule, context))
      learnIds(first, second, elementRule, context)
  } else if (isObject(before) && isObject(after)) {
    for (const name of Object.keys(before))
      if (Object.hasOwn(after, name)) learnIds(before[name], after[name], getMemberRule(rule, name), context)
  } else if (isIdPlace(before, rule) && isIdPlace(after, rule))
    context.ids.match(String(before), String(after), context.areIdsNew)
}

const isIdPlace = (value: unknown, rule: ValueRule): boolean => getPlaceKind(value, rule.kind) === 'id'

/**
 * Pairs elements with ids that stand for each other; of the others those that are equal but for
 * ids; and of mere ids the others in their order if there are as many.
 */
function pairElements(
  before: readonly unknown[],
  after: readonly unknown[],
  rule: ValueRule,
  context: BodyContext,
): (readonly [unknown, unknown])[] {
  const { ids } = context
  const byId = new Map(after.map((element) => [getElementId(element, rule), element]))
  const used = new Set<unknown>()
  const pairs: (readonly [unknown, unknown])[] = []
  const waiting: unknown[] = []
  for (const element of before) {
    const id = getElementId(element, rule)
    const partner = id === null ? undefined : byId.get(ids.getAfter(id) ?? id)
    if (partner === undefined) waiting.push(element)
    else {
      pairs.push([element, partner])
      used.add(partner)
    }
  }
  const others = after.filter((element) => !used.has(element))
  const isInOrder = waiting.length === others.length && others.every((element) => getElementId(element, rule) === null)
  const areIds = others.every((element) => isIdPlace(element, rule)) && waiting.length === others.length
  if (isInOrder || areIds) return [...pairs, ...waiting.map((element, index) => [element, others[index]] as const)]
  const byFold = Map.groupBy(others, (element) => foldElement(element, rule))
  for (const element of waiting) {
    const partner = byFold.get(foldElement(element, rule))?.shift()
    if (partner !== undefined) pairs.push([element, partner])
  }
  return pairs
}

function getElementId(element: unknown, rule: ValueRule): string | null {
  if (!isObject(element)) return isIdPlace(element, rule) ? String(element) : null
  const member = findOwnIdMember(element)
  return member === null ? null : String(element[member])
}

/** An element without ids, times and texts that a redaction may have replaced. */
function foldElement(element: unknown, rule: ValueRule): string {
  const omit = (value: unknown, kind: PlaceKind): unknown =>
    kind === 'id' || kind === 'moment' ? OMITTED_VALUE : value
  return JSON.stringify(mapPlaces(element, rule, omit))
}
