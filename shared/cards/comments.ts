import { textsOf } from './texts.ts'
import { asFields, listOf, textOf, type Fields } from './tolerant.ts'

/** A comment that a verdict may belong to. */
interface CommentChoice {
  readonly id: string
  /** Its number among the texts, if the host sends one. */
  readonly index: number | null
  readonly kind: string
  /** The beginning of its text. */
  readonly text: string
}

const MOST_TEXT = 40
const names = ['commentId', 'id', 'noteid', 'noteId', 'physicalNoteId']

/**
 * The comments of a card by the ids that the host gives them: spec §4 requires a `commentId` for a verdict but does not show where it
 * comes from. They are collected from the comments, the texts after the card's own, its bands, and earlier verdicts; the card's own id
 * does not count.
 */
export function commentChoices(item: Fields): readonly CommentChoice[] {
  const own = textOf(item['noteid'])
  const found: CommentChoice[] = []
  const add = (id: string | null | undefined, kind: string, text: string | null, index: number | null = null): void => {
    if (!id || id === own || found.some((one) => one.id === id)) return
    found.push({ id, kind, index, text: (text ?? '').replace(/\s+/g, ' ').slice(0, MOST_TEXT) })
  }
  for (const entry of listOf(item['comments'])) {
    const fields = asFields(entry)
    add(fields ? idOf(fields) : textOf(entry), textOf(fields?.['kind']) ?? '', textOf(fields?.['text']))
  }
  for (const { at, index, text, kind } of textsOf(item)) {
    const fields = asFields(listOf(item['texts'])[at])
    if (fields && index !== 0) add(idOf(fields), kind, text, index)
  }
  for (const entry of listOf(item['bands'])) {
    const fields = asFields(entry)
    add(textOf(fields?.['physicalNoteId']), textOf(fields?.['role']) ?? '', null)
  }
  for (const entry of listOf(item['practice'])) add(textOf(asFields(entry)?.['commentId']), '', null)
  return found
}

const idOf = (fields: Fields): string | null =>
  names.map((name) => textOf(fields[name])).find((id) => id !== null && id !== '') ?? null
