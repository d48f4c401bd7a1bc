import { isObject } from './json/object.ts'
import { parseBoolean, parseDecimal } from './bridge/resources/shape-variants.ts'

/** Number of characters of the current text in `expectedPrefix` (observed-0.49 §5). */
const PREFIX_CHARS = 32

/**
 * Returns the `expectedPrefix` for a current text: its first 32 characters, or the empty text if
 * there is none. The contract does not say what a character is; code points are counted here, so
 * that none is cut in two.
 */
export function toExpectedPrefix(text: string): string {
  return [...text.slice(0, PREFIX_CHARS * 2)].slice(0, PREFIX_CHARS).join('')
}

/** Its 32 characters may have been counted as code points or as UTF-16 units. */
export function isExpectedPrefix(expected: string, present: string): boolean {
  if (expected === '') return present === ''
  const units = present.slice(0, PREFIX_CHARS)
  const points = toExpectedPrefix(present)
  return expected === points || expected === units
}

/** The members of an object that a host sent, whatever their types. */
export type HostFields = Readonly<Record<string, unknown>>

export function toFields(value: unknown): HostFields | null {
  return isObject(value) ? value : null
}
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
export function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
/** Parses a number, also from a text, as some hosts send it. Null if it is neither. */
export function parseHostNumber(value: unknown): number | null {
  if (typeof value === 'string') return parseDecimal(value) ?? null
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
export function toBoolean(value: unknown): boolean | null {
  if (typeof value === 'string') return parseBoolean(value) ?? null
  return typeof value === 'boolean' ? value : null
}

/** A comment that a verdict may refer to. */
interface CommentChoice {
  readonly id: string
  /** Index among the card's texts; null if the host sends none. */
  readonly index: number | null
  readonly kind: string
  readonly text: string
}

const MAX_CHOICE_TEXT_CHARS = 40
const idMembers = ['commentId', 'id', 'noteid', 'noteId', 'physicalNoteId']

/**
 * Lists the comments of a card by their ids: spec §4 requires a `commentId` for a verdict but
 * does not show its source. They come from the comments, the texts after the card's own, its
 * bands, and earlier verdicts; the card's own id is excluded.
 */
export function listCommentChoices(item: HostFields): readonly CommentChoice[] {
  const ownNoteid = toText(item['noteid'])
  const choices: CommentChoice[] = []
  const add = (id: string | null | undefined, kind: string, text: string | null, index: number | null = null): void => {
    if (!id || id === ownNoteid || choices.some((choice) => choice.id === id)) return
    choices.push({ id, kind, index, text: (text ?? '').replace(/\s+/g, ' ').slice(0, MAX_CHOICE_TEXT_CHARS) })
  }
  for (const entry of toList(item['comments'])) {
    const fields = toFields(entry)
    add(fields ? idOf(fields) : toText(entry), toText(fields?.['kind']) ?? '', toText(fields?.['text']))
  }
  for (const { position, index, text, kind } of parseCardTexts(item)) {
    const fields = toFields(toList(item['texts'])[position])
    if (fields && index !== 0) add(idOf(fields), kind, text, index)
  }
  for (const entry of toList(item['bands'])) {
    const fields = toFields(entry)
    add(toText(fields?.['physicalNoteId']), toText(fields?.['role']) ?? '', null)
  }
  for (const entry of toList(item['practice'])) add(toText(toFields(entry)?.['commentId']), '', null)
  return choices
}

const idOf = (fields: HostFields): string | null =>
  idMembers.map((name) => toText(fields[name])).find((id) => id !== null && id !== '') ?? null

export interface CardText {
  /** Index in the list as sent. */
  readonly position: number
  /** The host's index, 0 for the card itself; null if it sent none. There may be gaps. */
  readonly index: number | null
  readonly text: string | null
  readonly kind: string
  readonly isExcerpt: boolean
  readonly noteid: string | null
  /** First and last index of a gap before this text; null if there is no gap. */
  readonly missingIndexes: readonly [from: number, to: number] | null
}

/** Reads `POST /notes/batch-get` (observed-0.49). Entries that are no objects are plain text. */
export function parseCardTexts(item: HostFields): CardText[] {
  let nextIndex = 0
  return toList(item['texts']).map((entry, position) => {
    const fields = toFields(entry) ?? { text: toText(entry) ?? JSON.stringify(entry) }
    const index = parseHostNumber(fields['index'])
    const missingIndexes = index !== null && index > nextIndex ? ([nextIndex, index - 1] as const) : null
    if (index !== null) nextIndex = Math.max(nextIndex, index + 1)
    return {
      position,
      index,
      text: toText(fields['text']),
      kind: toText(fields['kind']) ?? '',
      isExcerpt: toBoolean(fields['excerpt']) ?? false,
      noteid: toText(fields['noteid']),
      missingIndexes,
    }
  })
}

/** A line of the list of texts: one text, or empty bands with consecutive indexes. */
interface TextRun {
  readonly text: CardText
  /** Last index of the run; null for a single text. */
  readonly until: number | null
  readonly count: number
}

export function collapseEmptyBands(texts: readonly CardText[]): TextRun[] {
  const runs: TextRun[] = []
  for (const text of texts) {
    const last = runs.at(-1)
    if (last && text.index !== null && continuesRun(last, text)) {
      runs[runs.length - 1] = { ...last, until: text.index, count: last.count + 1 }
    } else runs.push({ text, until: null, count: 1 })
  }
  return runs
}

const isEmptyBand = ({ kind, text }: CardText): boolean => kind === 'blank' && !text

function continuesRun({ text: first, until }: TextRun, next: CardText): boolean {
  const before = until ?? first.index
  return (
    isEmptyBand(first) &&
    isEmptyBand(next) &&
    first.noteid === next.noteid &&
    before !== null &&
    next.index === before + 1
  )
}
