import { toPointerStep } from '../json/pointer.ts'
import { findOwnIdMember } from './id-kinds.ts'

/** One place in which two values differ. Places are JSON pointers, one for each side; null where there is nothing on that side. */
export interface JsonChange {
  readonly kind: 'added' | 'removed' | 'changed' | 'moved'
  readonly pointerBefore: string | null
  readonly pointerAfter: string | null
  /** What the element of a list is called there, by which it was found on both sides; null if it has no id. */
  readonly id: string | null
  /** The values as JSON text, cut if they are long; null where there is nothing, and for what only moved. */
  readonly textBefore: string | null
  readonly textAfter: string | null
}

export interface JsonComparison {
  readonly changes: readonly JsonChange[]
  /** All changes, including those that are not kept. */
  readonly total: number
}

/** Changes that are kept; more cannot be read by anyone. */
const MAX_CHANGES = 5_000
const MAX_TEXT_CHARS = 400

/**
 * What differs between two parsed JSON values. Elements of lists are matched by their ids, or by being equal where they have none, so that
 * an element that is elsewhere is `moved` and not changed; what is left of a list without ids is compared place by place.
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
    if (isRecord(before) && isRecord(after)) return this.compareObjects(before, after, beforePointer, afterPointer)
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
      member !== null && isRecord(value) ? String(value[member]) : toJsonText(value)
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
const isRecord = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Names under which elements are told apart where none of them is an id that is known. */
const FALLBACK_ID_MEMBERS = ['key', 'name', 'path', 'index', 'title'] as const

/** The member by which the elements of both lists can be told apart: each has it, and none has the value of another in its list. */
function findIdMember(before: readonly unknown[], after: readonly unknown[]): string | null {
  const first = before[0] ?? after[0]
  if (!isRecord(first)) return null
  const own = findOwnIdMember(first)
  const candidates = [...(own === null ? [] : [own]), ...FALLBACK_ID_MEMBERS]
  return candidates.find((name) => hasDistinctValues(before, name) && hasDistinctValues(after, name)) ?? null
}

function hasDistinctValues(list: readonly unknown[], name: string): boolean {
  const values = new Set<string>()
  for (const element of list) {
    if (!isRecord(element) || !Object.hasOwn(element, name)) return false
    const value = element[name]
    if (typeof value !== 'string' && typeof value !== 'number') return false
    values.add(String(value))
  }
  return values.size === list.length
}

/** Places of equal keys, each used once, in the order of the first list. */
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

/** As JSON; numbers that only a bigint holds appear as texts. */
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

/** Places of a longest increasing run through these numbers: what has kept its order. Takes n log n steps. */
export function findIncreasingRun(numbers: readonly number[]): readonly number[] {
  /** For each length, the place of the smallest number that ends such a run. */
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
