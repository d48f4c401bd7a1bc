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
  /** JSON text, truncated if long. Null where there is no value, and for `moved`. */
  readonly textBefore: string | null
  readonly textAfter: string | null
}

/** A value or a container of such. A moved element has the changes in it. */
export interface DifferenceNode {
  /** Index of the container in `nodes`, which precedes its members; -1 for the whole value. */
  readonly parent: number
  readonly kind: JsonChange['kind'] | 'container'
  /** The name of a member, or the index of a list element: the newer one if there are two. */
  readonly name: string
  /** Empty if no member tells it. */
  readonly title: string
  readonly id: string | null
  readonly pointerBefore: string | null
  readonly pointerAfter: string | null
  readonly textBefore: string | null
  readonly textAfter: string | null
  /** Number of members that are the same on both sides. */
  readonly sameCount: number
}

export interface JsonComparison {
  readonly changes: readonly JsonChange[]
  /** Number of all changes, including those beyond `MAX_CHANGES`. */
  readonly total: number
  /** The first of the changes as a tree, in which containers precede their members. */
  readonly nodes: readonly DifferenceNode[]
}

/** A person cannot read more changes than this. */
const MAX_CHANGES = 5_000
/** A page builds a tree of this size without a pause that a person notices. */
const MAX_NODES = 1_000
const MAX_TEXT_CHARS = 400

/**
 * Compares two parsed JSON values. List elements are matched by id, or by equality if they have
 * no id, so an element at another position is `moved`, not changed. The remaining elements of a
 * list without ids are compared in order.
 */
export function compareJson(before: unknown, after: unknown): JsonComparison {
  const run = new ComparisonRun()
  run.compareValues({ before, after, pointerBefore: '', pointerAfter: '', name: '', id: null })
  return { changes: run.changes, total: run.total, nodes: run.nodes }
}

/** Two values at the same place, or of the same list element. */
interface ValuePair {
  readonly before: unknown
  readonly after: unknown
  readonly pointerBefore: string
  readonly pointerAfter: string
  readonly name: string
  readonly id: string | null
}

/** A container whose members are being compared. It becomes a node with its first difference. */
interface OpenContainer extends ValuePair {
  node: number | null
}

class ComparisonRun {
  readonly changes: JsonChange[] = []
  readonly nodes: (DifferenceNode & { sameCount: number })[] = []
  total = 0
  readonly #containers: OpenContainer[] = []

  /** Returns the index of the new node; null if there are too many. */
  addChange(createChange: () => JsonChange, name: string, value: unknown): number | null {
    this.total += 1
    if (this.changes.length >= MAX_CHANGES) return null
    const change = createChange()
    this.changes.push(change)
    if (this.nodes.length >= MAX_NODES) return null
    return this.#addNode({ ...change, name, title: getTitle(value), parent: this.#openParent() })
  }

  #addNode(node: Omit<DifferenceNode, 'sameCount'>): number {
    return this.nodes.push({ ...node, sameCount: 0 }) - 1
  }

  /** Adds the containers of a new node that have none yet. Returns the index of the innermost. */
  #openParent(): number {
    let parent = -1
    for (const container of this.#containers) {
      const { name, id, pointerBefore, pointerAfter, after } = container
      const title = getTitle(after)
      const texts = { textBefore: null, textAfter: null }
      container.node ??= this.#addNode({
        parent,
        kind: 'container',
        name,
        title,
        id,
        pointerBefore,
        pointerAfter,
        ...texts,
      })
      parent = container.node
    }
    return parent
  }

  /** @param node the node of a moved element, which contains what changed in it */
  compareValues(pair: ValuePair, node: number | null = null): void {
    const { before, after, pointerBefore, pointerAfter, name, id } = pair
    if (before === after) return
    const areLists = Array.isArray(before) && Array.isArray(after)
    if (!areLists && !(isObject(before) && isObject(after))) {
      const createChange = (): JsonChange => {
        const [textBefore, textAfter] = [toChangeText(before), toChangeText(after)]
        return { kind: 'changed', pointerBefore, pointerAfter, id, textBefore, textAfter }
      }
      this.addChange(createChange, name, after)
      return
    }
    const container: OpenContainer = { ...pair, node }
    this.#containers.push(container)
    const sameCount = areLists
      ? this.compareLists(before, after, pointerBefore, pointerAfter)
      : this.compareObjects(before as Members, after as Members, pointerBefore, pointerAfter)
    this.#containers.pop()
    const opened = container.node === null ? undefined : this.nodes[container.node]
    if (opened) opened.sameCount = sameCount
  }

  isSame(pair: ValuePair, node: number | null = null): boolean {
    const totalBefore = this.total
    this.compareValues(pair, node)
    return this.total === totalBefore
  }

  /** Returns the number of equal members. */
  compareObjects(before: Members, after: Members, pointerBefore: string, pointerAfter: string): number {
    let sameCount = 0
    for (const name of Object.keys(before)) {
      const step = toPointerStep(name)
      const pointers = { pointerBefore: pointerBefore + step, pointerAfter: pointerAfter + step }
      if (!Object.hasOwn(after, name)) this.addRemoved(before[name], pointers.pointerBefore, null, name)
      else if (this.isSame({ before: before[name], after: after[name], ...pointers, name, id: null })) sameCount += 1
    }
    for (const name of Object.keys(after)) {
      if (!Object.hasOwn(before, name)) this.addAdded(after[name], pointerAfter + toPointerStep(name), null, name)
    }
    return sameCount
  }

  /** Returns the number of elements that are equal and kept their order. */
  compareLists(
    before: readonly unknown[],
    after: readonly unknown[],
    pointerBefore: string,
    pointerAfter: string,
  ): number {
    const member = findIdMember(before, after)
    const keyOf = (value: unknown): string =>
      member !== null && isObject(value) ? String(value[member]) : toJsonText(value)
    const toPair = (from: number, to: number): ValuePair => ({
      before: before[from],
      after: after[to],
      pointerBefore: `${pointerBefore}/${from}`,
      pointerAfter: `${pointerAfter}/${to}`,
      name: String(to),
      id: member === null ? null : keyOf(before[from]),
    })
    const pairs = matchKeys(before.map(keyOf), after.map(keyOf))
    const pairsInOrder = new Set(findIncreasingRun(pairs.map(([, to]) => to)))
    let sameCount = 0
    pairs.forEach(([from, to], pairIndex) => {
      const pair = toPair(from, to)
      const isMoved = !pairsInOrder.has(pairIndex)
      const node = isMoved ? this.addMoved(pair) : null
      const isSame = member === null || this.isSame(pair, node)
      if (isSame && !isMoved) sameCount += 1
    })
    const removedIndexes = listOtherIndexes(
      before.length,
      pairs.map(([from]) => from),
    )
    const addedIndexes = listOtherIndexes(
      after.length,
      pairs.map(([, to]) => to),
    )
    // Elements without ids are compared in order.
    const comparedCount = member === null ? Math.min(removedIndexes.length, addedIndexes.length) : 0
    for (let index = 0; index < comparedCount; index += 1)
      this.compareValues(toPair(removedIndexes[index] ?? 0, addedIndexes[index] ?? 0))
    for (const index of removedIndexes.slice(comparedCount))
      this.addRemoved(
        before[index],
        `${pointerBefore}/${index}`,
        member === null ? null : keyOf(before[index]),
        String(index),
      )
    for (const index of addedIndexes.slice(comparedCount))
      this.addAdded(
        after[index],
        `${pointerAfter}/${index}`,
        member === null ? null : keyOf(after[index]),
        String(index),
      )
    return sameCount
  }

  addMoved({ after, pointerBefore, pointerAfter, id, name }: ValuePair): number | null {
    const texts = { textBefore: null, textAfter: null }
    return this.addChange(() => ({ kind: 'moved', pointerBefore, pointerAfter, id, ...texts }), name, after)
  }

  addRemoved(value: unknown, pointer: string, id: string | null, name: string): void {
    const createChange = (): JsonChange => ({
      kind: 'removed',
      pointerBefore: pointer,
      pointerAfter: null,
      id,
      textBefore: toChangeText(value),
      textAfter: null,
    })
    this.addChange(createChange, name, value)
  }

  addAdded(value: unknown, pointer: string, id: string | null, name: string): void {
    const createChange = (): JsonChange => ({
      kind: 'added',
      pointerBefore: null,
      pointerAfter: pointer,
      id,
      textBefore: null,
      textAfter: toChangeText(value),
    })
    this.addChange(createChange, name, value)
  }
}

const TITLE_MEMBERS = ['title', 'name', 'label'] as const
const MAX_TITLE_CHARS = 80

export function getTitle(value: unknown): string {
  if (!isObject(value)) return ''
  const title = TITLE_MEMBERS.map((name) => value[name]).find((text) => typeof text === 'string' && text !== '')
  return typeof title === 'string' ? title.slice(0, MAX_TITLE_CHARS) : ''
}

type Members = Readonly<Record<string, unknown>>
/** Members that identify list elements without a known id member. */
const FALLBACK_ID_MEMBERS = ['key', 'name', 'path'] as const

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

/** JSON text, truncated if long. */
export function toChangeText(value: unknown): string {
  const text = typeof value === 'bigint' ? String(value) : toJsonText(value)
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text
}

/** Indexes of the elements that kept their order, found in n log n steps. */
export function findIncreasingRun(numbers: readonly number[]): readonly number[] {
  /** The smallest number that ends an increasing subsequence, as its index, by length. */
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
