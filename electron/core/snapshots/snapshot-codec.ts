import { z } from 'zod'
import { NO_PARENT, type CardColumns, type DerivedCards, type LinkedCards } from '../../../shared/snapshots/forest.ts'

/** A delta with more cards of its own than this share of the listing is not worth a chain. */
const MAX_DELTA_SHARE = 0.3

/** A line of JSON with ids and parents, then one for each content: canonical JSON has no breaks. */
export function encodeWhole({ ids, parentIds, contents }: CardColumns): string {
  const indexById = new Map<string, number>()
  for (let index = 0; index < ids.length; index += 1) indexById.set(ids[index] ?? '', index)
  const parents = parentIds.map((id) => (id === '' ? -1 : (indexById.get(id) ?? id)))
  return [JSON.stringify({ ids, parents }), ...contents].join('\n')
}

/** Checked as a whole, because a schema for each of a million entries takes as long as parsing. */
const isArrayOf = (value: unknown, types: readonly string[]): boolean =>
  Array.isArray(value) && value.every((entry) => types.includes(typeof entry))
const wholeHeadSchema = z.object({
  ids: z.custom<readonly string[]>((value) => isArrayOf(value, ['string'])),
  parents: z.custom<readonly (string | number)[]>((value) => isArrayOf(value, ['string', 'number'])),
})

/** @throws when the text is not what `encodeWhole` wrote */
export function decodeWhole(text: string): LinkedCards {
  const [head = '', ...contents] = text.split('\n')
  const { ids, parents } = wholeHeadSchema.parse(JSON.parse(head))
  if (contents.length !== ids.length || parents.length !== ids.length) throw new Error('the snapshot is damaged')
  return {
    ids,
    parentIds: parents.map((parent) => (typeof parent === 'string' ? parent : (ids[parent] ?? ''))),
    contents,
    parents: Int32Array.from(parents, (parent) =>
      typeof parent === 'number' && ids[parent] !== undefined ? parent : NO_PARENT,
    ),
  }
}

/**
 * A listing as what it takes from an earlier one. `runs` holds pairs: the first index in the
 * earlier listing and the number of cards that are the same from there on; or -1 and the number of
 * the next `cards`. A card is its id, its parent's id, and its content or the index of a card with
 * it.
 */
const deltaSchema = z.object({
  runs: z.array(z.number().int()),
  cards: z.array(z.tuple([z.string(), z.string(), z.union([z.string(), z.number().int().nonnegative()])])),
})
type Delta = z.infer<typeof deltaSchema>

/** @returns null if too much differs, so that the whole listing should be stored */
export function encodeDelta(base: CardColumns, columns: CardColumns): string | null {
  const indexById = new Map<string, number>()
  for (let index = 0; index < base.ids.length; index += 1) indexById.set(base.ids[index] ?? '', index)
  const maxCards = Math.max(20, columns.ids.length * MAX_DELTA_SHARE)
  const delta: Delta = { runs: [], cards: [] }
  let [runStart, runLength] = [0, 0]
  const endRun = (): void => {
    if (runLength > 0) delta.runs.push(runStart, runLength)
    runLength = 0
  }
  for (let index = 0; index < columns.ids.length; index += 1) {
    const [id, parentId, content] = [
      columns.ids[index] ?? '',
      columns.parentIds[index] ?? '',
      columns.contents[index] ?? '',
    ]
    const old = indexById.get(id)
    const hasContent = old !== undefined && base.contents[old] === content
    const isCopied = hasContent && base.parentIds[old] === parentId
    if (isCopied && runStart !== -1 && runLength > 0 && runStart + runLength === old) runLength += 1
    else if (isCopied) {
      endRun()
      runStart = old
      runLength = 1
    } else {
      if (runStart !== -1) endRun()
      runStart = -1
      runLength += 1
      delta.cards.push([id, parentId, hasContent ? old : content])
    }
    if (delta.cards.length + delta.runs.length > maxCards) return null
  }
  endRun()
  return JSON.stringify(delta)
}

/** @throws when the text is no delta of this listing */
export function applyDelta(base: CardColumns, text: string): DerivedCards {
  const { runs, cards } = deltaSchema.parse(JSON.parse(text))
  const columns = { ids: [] as string[], parentIds: [] as string[], contents: [] as string[] }
  const sources: number[] = []
  let nextCard = 0
  for (let place = 0; place < runs.length; place += 2) {
    const start = runs[place] ?? 0
    const length = runs[place + 1] ?? 0
    if (start !== -1) {
      if (start < 0 || length < 0 || start + length > base.ids.length) throw new Error('the delta is damaged')
      for (let index = start; index < start + length; index += 1) {
        columns.ids.push(base.ids[index] ?? '')
        columns.parentIds.push(base.parentIds[index] ?? '')
        columns.contents.push(base.contents[index] ?? '')
        sources.push(index)
      }
      continue
    }
    for (const [id, parentId, content] of cards.slice(nextCard, nextCard + length)) {
      columns.ids.push(id)
      columns.parentIds.push(parentId)
      columns.contents.push(typeof content === 'number' ? (base.contents[content] ?? '{}') : content)
      sources.push(-1)
    }
    nextCard += length
  }
  return { ...columns, sources: Int32Array.from(sources) }
}
