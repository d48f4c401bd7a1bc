import { assertNotCancelled } from '../../../../shared/errors.ts'

export interface ReductionOptions {
  /** Ends the reduction with an error. */
  readonly signal?: AbortSignal | undefined
  /** True as soon as no further selection is to be tried. */
  readonly isOver?: ((tries: number) => boolean) | undefined
}

export interface ReducedItems<Item> {
  /** The smallest selection that passed the test, in the order of the items. */
  readonly items: readonly Item[]
  readonly tries: number
  /** Leaving out any one of the items was tried, and did not pass. False if there was no time. */
  readonly isMinimal: boolean
}

/**
 * Finds a small selection of items that still passes a test, by delta debugging (ddmin).
 *
 * @param isShown the test. It is run at most once for a selection, and never for all items, which
 *   the caller has seen to pass.
 * @see Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002
 */
export async function reduceItems<Item>(
  items: readonly Item[],
  isShown: (selection: readonly Item[]) => Promise<boolean>,
  { signal, isOver }: ReductionOptions = {},
): Promise<ReducedItems<Item>> {
  const triedKeys = new Set<string>()
  let current = items.map((_, index) => index)
  let tries = 0
  let isCut = false

  async function passes(indexes: readonly number[]): Promise<boolean> {
    const key = createSelectionKey(indexes, items.length)
    // A selection that passed has become the current one, which only gets smaller.
    if (triedKeys.has(key)) return false
    if (isOver?.(tries) === true) {
      isCut = true
      return false
    }
    assertNotCancelled(signal)
    triedKeys.add(key)
    tries += 1
    const hasPassed = await isShown(indexes.map((index) => items[index] as Item))
    assertNotCancelled(signal)
    if (hasPassed) current = [...indexes]
    return hasPassed
  }

  /** Tries the parts alone, then all but one of them. */
  async function tryParts(parts: readonly (readonly number[])[]): Promise<'part' | 'rest' | null> {
    for (const part of parts) if (!isCut && (await passes(part))) return 'part'
    // If there are two parts, each is the rest of the other.
    if (parts.length === 2) return null
    for (const part of parts) {
      const left = new Set(part)
      if (!isCut && (await passes(current.filter((index) => !left.has(index))))) return 'rest'
    }
    return null
  }

  if (current.length > 0) await passes([])
  let partCount = 2
  while (current.length > 1 && !isCut) {
    const passed = await tryParts(splitEvenly(current, Math.min(partCount, current.length)))
    if (passed === null && partCount >= current.length) break
    if (passed === 'part') partCount = 2
    else if (passed === 'rest') partCount = Math.max(partCount - 1, 2)
    else partCount = Math.min(partCount * 2, current.length)
  }
  return { items: current.map((index) => items[index] as Item), tries, isMinimal: !isCut }
}

function splitEvenly(indexes: readonly number[], count: number): number[][] {
  return Array.from({ length: count }, (_, part) =>
    indexes.slice(Math.floor((part * indexes.length) / count), Math.floor(((part + 1) * indexes.length) / count)),
  )
}

/** One bit for each item, because selections of many items are compared. */
function createSelectionKey(indexes: readonly number[], itemCount: number): string {
  const codes = new Uint8Array(Math.ceil(itemCount / 7))
  for (const index of indexes) codes[Math.floor(index / 7)] = (codes[Math.floor(index / 7)] ?? 0) | (1 << (index % 7))
  let key = ''
  for (const code of codes) key += String.fromCharCode(code)
  return key
}
