import { isObject } from '../json/object.ts'
import { toPointerStep } from '../json/pointer.ts'
import { findOwnIdMember } from './id-kinds.ts'

/** Pointers are JSON pointers; a pointer is null on the side that has no value. */
export interface JsonChange {
  readonly kind: 'added' | 'removed' | 'changed' | 'moved'
  readonly pointerBefore: string | null
  readonly pointerAfter: string | null
  /** The id by which a list element was matched; null if it has none. */
  readonly id: string | null
  /**
   * The values are JSON text, truncated if long. They are null where there is no value, and for
   * `moved`.
   */
  readonly textBefore: string | null
  readonly textAfter: string | null
}

export interface JsonComparison {
  readonly changes: readonly JsonChange[]
  /** Number of all changes, including those beyond `MAX_CHANGES`. */
  readonly total: number
}

/** A person cannot read more changes than this. */
const MAX_CHANGES = 5_000
const MAX_TEXT_CHARS = 400

/**
 * Compares two parsed JSON values. List elements are matched by id, or by equality if they have
 * no id, so an element at another position is `moved`, not changed. The remaining elements of a
 * list without ids are compared in order.
 */
export function compareJson(before: unknown, after: unknown): JsonComparison {
  const run = new ComparisonRun()
  run.compareValues(before, after, '', '', null)
  return { changes: run.changes, total: run.total }
}

class ComparisonRun {
  readonly changes: JsonChange[] = []
  total = 0

  add(change: () => JsonChange): void {
    this.total += 1
    if (this.changes.length < MAX_CHANGES) this.changes.push(change())
  }

  compareValues(before: unknown, after: unknown, beforePointer: string, afterPointer: string, id: string | null): void {
    if (before === after) return
    if (Array.isArray(before) && Array.isArray(after))
      return this.compareLists(before, after, beforePointer, afterPointer)
    if (isObject(before) && isObject(after)) return this.compareObjects(before, after, beforePointer, afterPointer)
    this.add(() => ({
      kind: 'changed',
      pointerBefore: beforePointer,
      pointerAfter: afterPointer,
      id,
      textBefore: toChangeText(before),
      textAfter: toChangeText(after),
    }))
  }

  compareObjects(before: Members, after: Members, beforePointer: string, afterPointer: string): void {
    for (const name of Object.keys(before)) {
      const step = toPointerStep(name)
      if (Object.hasOwn(after, name))
        this.compareValues(before[name], after[name], beforePointer + step, afterPointer + step, null)
      else this.addRemoved(before[name], beforePointer + step, null)
    }
    for (const name of Object.keys(after)) {
      if (!Object.hasOwn(before, name)) this.addAdded(after[name], afterPointer + toPointerStep(name), null)
    }
  }

  compareLists(
    before: readonly unknown[],
    after: readonly unknown[],
    beforePointer: string,
    afterPointer: string,
  ): void {
    const member = findIdMember(before, after)
    const keyOf = (value: unknown): string =>
      member !== null && isObject(value) ? String(value[member]) : toJsonText(value)
    const pairs = matchKeys(before.map(keyOf), after.map(keyOf))
    const pairsInOrder = new Set(findIncreasingRun(pairs.map(([, to]) => to)))
    pairs.forEach(([from, to], pairIndex) => {
      const id = member === null ? null : keyOf(before[from])
      if (!pairsInOrder.has(pairIndex)) {
        this.add(() => ({
          kind: 'moved',
          pointerBefore: `${beforePointer}/${from}`,
          pointerAfter: `${afterPointer}/${to}`,
          id,
          textBefore: null,
          textAfter: null,
        }))
      }
      if (member !== null)
        this.compareValues(before[from], after[to], `${beforePointer}/${from}`, `${afterPointer}/${to}`, id)
    })
    const removedIndexes = listOtherIndexes(
      before.length,
      pairs.map(([from]) => from),
    )
    const addedIndexes = listOtherIndexes(
      after.length,
      pairs.map(([, to]) => to),
    )
    if (member !== null) {
      for (const index of removedIndexes)
        this.addRemoved(before[index], `${beforePointer}/${index}`, keyOf(before[index]))
      for (const index of addedIndexes) this.addAdded(after[index], `${afterPointer}/${index}`, keyOf(after[index]))
      return
    }
    for (let index = 0; index < Math.max(removedIndexes.length, addedIndexes.length); index += 1) {
      const from = removedIndexes[index]
      const to = addedIndexes[index]
      if (from !== undefined && to !== undefined) {
        this.compareValues(before[from], after[to], `${beforePointer}/${from}`, `${afterPointer}/${to}`, null)
      } else if (from !== undefined) this.addRemoved(before[from], `${beforePointer}/${from}`, null)
      else if (to !== undefined) this.addAdded(after[to], `${afterPointer}/${to}`, null)
    }
  }

  addRemoved(value: unknown, pointer: string, id: string | null): void {
    this.add(() => ({
      kind: 'removed',
      pointerBefore: pointer,
      pointerAfter: null,
      id,
      textBefore: toChangeText(value),
      textAfter: null,
    }))
  }

  addAdded(value: unknown, pointer: string, id: string | null): void {
    this.add(() => ({
      kind: 'added',
      pointerBefore: null,
      pointerAfter: pointer,
      id,
      textBefore: null,
      textAfter: toChangeText(value),
    }))
  }
}

type Members = Readonly<Record<string, unknown>>
/** Members that identify list elements without a known id member. */
const FALLBACK_ID_MEMBERS = ['key', 'name', 'path', 'index', 'title'] as const

/** Finds a member that all elements of both lists have, with distinct values in each list. */
function findIdMember(before: readonly unknown[], after: readonly unknown[]): string | null {
  const first = before[0] ?? after[0]
  if (!isObject(first)) return null
  const ownIdMember = findOwnIdMember(first)
  const candidates = [...(ownIdMember === null ? [] : [ownIdMember]), ...FALLBACK_ID_MEMBERS]
  return candidates.find((name) => hasDistinctValues(before, name) && hasDistinctValues(after, name)) ?? null
}

function hasDistinctValues(list: readonly unknown[], name: string): boolean {
  const values = new Set<string>()
  for (const element of list) {
    if (!isObject(element) || !Object.hasOwn(element, name)) return false
    const value = element[name]
    if (typeof value !== 'string' && typeof value !== 'number') return false
    values.add(String(value))
  }
  return values.size === list.length
}

/** Pairs indexes of equal keys in the order of the first list. Each index is used once. */
function matchKeys(
  before: readonly string[],
  after: readonly string[],
): readonly (readonly [from: number, to: number])[] {
  const positionsByKey = new Map<string, number[]>()
  after.forEach((key, position) => {
    const positions = positionsByKey.get(key)
    if (positions) positions.push(position)
    else positionsByKey.set(key, [position])
  })
  const usedCounts = new Map<string, number>()
  return before.flatMap((key, from) => {
    const next = usedCounts.get(key) ?? 0
    const to = positionsByKey.get(key)?.[next]
    if (to === undefined) return []
    usedCounts.set(key, next + 1)
    return [[from, to] as const]
  })
}

function listOtherIndexes(count: number, usedIndexes: readonly number[]): readonly number[] {
  const used = new Set(usedIndexes)
  const otherIndexes: number[] = []
  for (let index = 0; index < count; index += 1) if (!used.has(index)) otherIndexes.push(index)
  return otherIndexes
}

/** JSON cannot represent bigints, so they are written as text. */
function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner))
  }
}

function toChangeText(value: unknown): string {
  const text = typeof value === 'bigint' ? String(value) : toJsonText(value)
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text
}

/**
 * Returns the indexes of a longest increasing subsequence, which are the elements that kept their
 * order. Takes n log n steps.
 */
export function findIncreasingRun(numbers: readonly number[]): readonly number[] {
  /**
   * For each length of an increasing subsequence: the index of the smallest number that ends one.
   */
  const runEnds: number[] = []
  const predecessors: number[] = []
  numbers.forEach((number, place) => {
    let low = 0
    let high = runEnds.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((numbers[runEnds[middle] ?? 0] ?? 0) < number) low = middle + 1
      else high = middle
    }
    predecessors[place] = low > 0 ? (runEnds[low - 1] ?? -1) : -1
    runEnds[low] = place
  })
  const run: number[] = []
  for (let place = runEnds.at(-1) ?? -1; place >= 0; place = predecessors[place] ?? -1) run.push(place)
  return run.reverse()
}
