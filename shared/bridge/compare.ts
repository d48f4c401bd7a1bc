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
  run.values(before, after, '', '', null)
  return { changes: run.changes, total: run.total }
}

class ComparisonRun {
  readonly changes: JsonChange[] = []
  total = 0

  add(change: () => JsonChange): void {
    this.total += 1
    if (this.changes.length < MAX_CHANGES) this.changes.push(change())
  }

  values(before: unknown, after: unknown, a: string, b: string, id: string | null): void {
    if (before === after) return
    if (Array.isArray(before) && Array.isArray(after)) return this.lists(before, after, a, b)
    if (isRecord(before) && isRecord(after)) return this.objects(before, after, a, b)
    this.add(() => ({
      kind: 'changed',
      pointerBefore: a,
      pointerAfter: b,
      id,
      textBefore: toChangeText(before),
      textAfter: toChangeText(after),
    }))
  }

  objects(before: Members, after: Members, a: string, b: string): void {
    for (const name of Object.keys(before)) {
      const step = toPointerStep(name)
      if (Object.hasOwn(after, name)) this.values(before[name], after[name], a + step, b + step, null)
      else this.removed(before[name], a + step, null)
    }
    for (const name of Object.keys(after)) {
      if (!Object.hasOwn(before, name)) this.added(after[name], b + toPointerStep(name), null)
    }
  }

  lists(before: readonly unknown[], after: readonly unknown[], a: string, b: string): void {
    const member = idMember(before, after)
    const keyOf = (value: unknown): string =>
      member !== null && isRecord(value) ? String(value[member]) : toJsonText(value)
    const pairs = matchKeys(before.map(keyOf), after.map(keyOf))
    const inOrder = new Set(findIncreasingRun(pairs.map(([, to]) => to)))
    pairs.forEach(([from, to], at) => {
      const id = member === null ? null : keyOf(before[from])
      if (!inOrder.has(at)) {
        this.add(() => ({
          kind: 'moved',
          pointerBefore: `${a}/${from}`,
          pointerAfter: `${b}/${to}`,
          id,
          textBefore: null,
          textAfter: null,
        }))
      }
      if (member !== null) this.values(before[from], after[to], `${a}/${from}`, `${b}/${to}`, id)
    })
    const gone = listOtherIndexes(
      before.length,
      pairs.map(([from]) => from),
    )
    const fresh = listOtherIndexes(
      after.length,
      pairs.map(([, to]) => to),
    )
    if (member !== null) {
      for (const at of gone) this.removed(before[at], `${a}/${at}`, keyOf(before[at]))
      for (const at of fresh) this.added(after[at], `${b}/${at}`, keyOf(after[at]))
      return
    }
    for (let at = 0; at < Math.max(gone.length, fresh.length); at += 1) {
      const from = gone[at]
      const to = fresh[at]
      if (from !== undefined && to !== undefined) {
        this.values(before[from], after[to], `${a}/${from}`, `${b}/${to}`, null)
      } else if (from !== undefined) this.removed(before[from], `${a}/${from}`, null)
      else if (to !== undefined) this.added(after[to], `${b}/${to}`, null)
    }
  }

  removed(value: unknown, at: string, id: string | null): void {
    this.add(() => ({
      kind: 'removed',
      pointerBefore: at,
      pointerAfter: null,
      id,
      textBefore: toChangeText(value),
      textAfter: null,
    }))
  }

  added(value: unknown, at: string, id: string | null): void {
    this.add(() => ({
      kind: 'added',
      pointerBefore: null,
      pointerAfter: at,
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
const alsoNames = ['key', 'name', 'path', 'index', 'title'] as const

/** The member by which the elements of both lists can be told apart: each has it, and none has the value of another in its list. */
function idMember(before: readonly unknown[], after: readonly unknown[]): string | null {
  const first = before[0] ?? after[0]
  if (!isRecord(first)) return null
  const own = findOwnIdMember(first)
  const candidates = [...(own === null ? [] : [own]), ...alsoNames]
  return candidates.find((name) => hasDistinctValues(before, name) && hasDistinctValues(after, name)) ?? null
}

function hasDistinctValues(list: readonly unknown[], name: string): boolean {
  const seen = new Set<string>()
  for (const one of list) {
    if (!isRecord(one) || !Object.hasOwn(one, name)) return false
    const value = one[name]
    if (typeof value !== 'string' && typeof value !== 'number') return false
    seen.add(String(value))
  }
  return seen.size === list.length
}

/** Places of equal keys, each used once, in the order of the first list. */
function matchKeys(
  before: readonly string[],
  after: readonly string[],
): readonly (readonly [from: number, to: number])[] {
  const places = new Map<string, number[]>()
  after.forEach((key, at) => {
    const known = places.get(key)
    if (known) known.push(at)
    else places.set(key, [at])
  })
  const taken = new Map<string, number>()
  return before.flatMap((key, from) => {
    const next = taken.get(key) ?? 0
    const to = places.get(key)?.[next]
    if (to === undefined) return []
    taken.set(key, next + 1)
    return [[from, to] as const]
  })
}

function listOtherIndexes(count: number, places: readonly number[]): readonly number[] {
  const taken = new Set(places)
  const left: number[] = []
  for (let at = 0; at < count; at += 1) if (!taken.has(at)) left.push(at)
  return left
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
  const ends: number[] = []
  const before: number[] = []
  numbers.forEach((number, place) => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) low = middle + 1
      else high = middle
    }
    before[place] = low > 0 ? (ends[low - 1] ?? -1) : -1
    ends[low] = place
  })
  const run: number[] = []
  for (let place = ends.at(-1) ?? -1; place >= 0; place = before[place] ?? -1) run.push(place)
  return run.reverse()
}
