import { createRefusedError } from '../../shared/errors.ts'
import { listMembers, skipWhiteSpace, type JsonMember } from '../../shared/json/token-cursor.ts'
import { parsePointer, toPointerStep } from '../../shared/json/pointer.ts'
import { parseEntry } from '../output/response-list.ts'

/** What a page may hold of a result; the rest is for what stands around it. */
export const MAX_PAGE_BYTES = 34_000
/** A member that is shown as it is, beside others that are only counted. */
const MAX_SMALL_BYTES = 1_000
/** Characters of a range of text. */
const RANGE_CHARS = 12_000

/** What is viewed: an answer by its address. */
interface Viewed {
  readonly uri: string
  readonly text: string
  readonly isJson: boolean
}

/** Where a view begins: the value that `pointer` leads to, from its member, element or character `from`. */
interface ViewPosition {
  readonly pointer: string
  readonly offset: number
}

/** A part of an answer: the structured form, and the same as JSON text in which the host's own text is untouched. */
interface ResponseView {
  readonly structured: Record<string, unknown>
  readonly text: string
}

/** As much of an answer as fits into one result, from a place on. Throws `POINTER_UNKNOWN`. */
export function createView(answer: Viewed, { pointer, offset: from }: ViewPosition): ResponseView {
  const head = { whole: false, answer: answer.uri, bytes: getByteLength(answer.text) }
  if (!answer.isJson) return rangeOf(answer.text, { ...head, pointer: '' }, from)
  const span = find(answer.text, pointer)
  const raw = answer.text.slice(span.start, span.end)
  if (costOf(raw) <= MAX_PAGE_BYTES && from === 0) return joined({ ...head, pointer }, raw)
  if (raw.startsWith('"')) return rangeOf(JSON.parse(raw) as string, { ...head, pointer }, from)
  const members = listMembers(answer.text, span.start)
  const page = raw.startsWith('[') ? elementsFrom : membersFrom
  const around = pointer === '' || from > 0 ? {} : { beside: besideOf(answer.text, pointer) }
  return page(answer.text, members, { ...head, pointer, ...around }, from)
}

interface Head extends Record<string, unknown> {
  readonly pointer: string
}

/** The elements of a list as far as they fit. One that does not fit by itself is described instead, and read by its own pointer. */
function elementsFrom(text: string, members: readonly JsonMember[], head: Head, from: number): ResponseView {
  const shown: string[] = []
  let cost = costOf(JSON.stringify(head))
  for (const { start, end } of members.slice(from)) {
    const raw = text.slice(start, end)
    const more = costOf(raw)
    if (cost + more > MAX_PAGE_BYTES) break
    shown.push(raw)
    cost += more
  }
  const first = members[from]
  if (shown.length === 0 && first) {
    const large = describeValue(text, first, head.pointer)
    const rest = pagingOf(head.pointer, from, from + 1, members.length)
    return joined({ ...head, ...rest, large }, '[]')
  }
  return joined(
    { ...head, ...pagingOf(head.pointer, from, from + shown.length, members.length) },
    `[${shown.join(',')}]`,
  )
}

/** The members of an object: small ones as they are, of others what they are and how much they hold. */
function membersFrom(text: string, members: readonly JsonMember[], head: Head, from: number): ResponseView {
  const shown: string[] = []
  let cost = costOf(JSON.stringify(head))
  for (const member of members.slice(from)) {
    const raw = text.slice(member.start, member.end)
    const isSmall = costOf(raw) <= MAX_SMALL_BYTES
    const piece = isSmall
      ? `{"name":${JSON.stringify(member.name)},"value":${raw}}`
      : JSON.stringify(describeValue(text, member, head.pointer))
    if (cost + costOf(piece) > MAX_PAGE_BYTES && shown.length > 0) break
    shown.push(piece)
    cost += costOf(piece)
  }
  const rest = pagingOf(head.pointer, from, from + shown.length, members.length)
  return joined({ ...head, ...rest, summary: true }, `[${shown.join(',')}]`)
}

/** A range of a text; its ends are never within a character. */
function rangeOf(text: string, head: Head, from: number): ResponseView {
  const isLow = (index: number): boolean => /[\uDC00-\uDFFF]/.test(text[index] ?? '')
  let end = Math.min(text.length, from + RANGE_CHARS)
  while (costOf(JSON.stringify(text.slice(from, end))) > MAX_PAGE_BYTES) end = from + Math.floor((end - from) / 2)
  if (end < text.length && isLow(end)) end -= 1
  const paging = pagingOf(head.pointer, from, end, text.length)
  return joined({ ...head, ...paging, range: 'characters' }, JSON.stringify(text.slice(from, end)))
}

function pagingOf(pointer: string, from: number, to: number, total: number) {
  return { from, to, total, ...(to < total ? { cursor: `${pointer}@${to}` } : {}) }
}

/** The place that a cursor names. Throws `CURSOR_INVALID`. */
export function parseCursor(cursor: string): ViewPosition {
  const [, pointer, from] = /^(.*)@(\d{1,9})$/s.exec(cursor) ?? []
  if (pointer !== undefined && from !== undefined) return { pointer, offset: Number(from) }
  throw createRefusedError('CURSOR_INVALID', 'A cursor is given back as it came, in "cursor" of the page before.')
}

const kinds: Readonly<Record<string, string>> = { '{': 'object', '[': 'array', '"': 'string' }

function describeValue(text: string, { name, start, end }: JsonMember, parent: string): Record<string, unknown> {
  const open = text[start] ?? ''
  const isContainer = open === '{' || open === '['
  return {
    name: name.slice(0, 200),
    type: kinds[open] ?? 'scalar',
    ...(isContainer ? { count: listMembers(text, start).length } : {}),
    bytes: getByteLength(text.slice(start, end)),
    pointer: parent + toPointerStep(name),
  }
}

/** The small members that stand beside a list, such as totals and the host's own cursor. */
function besideOf(text: string, pointer: string): Record<string, unknown> {
  const parent = find(text, pointer.slice(0, pointer.lastIndexOf('/')))
  if (text[parent.start] !== '{') return {}
  const beside: [string, unknown][] = []
  let cost = 0
  for (const { name, start, end } of listMembers(text, parent.start)) {
    const raw = text.slice(start, end)
    cost += costOf(raw) <= MAX_SMALL_BYTES ? costOf(raw) + costOf(JSON.stringify(name)) : 0
    if (costOf(raw) <= MAX_SMALL_BYTES && cost <= 2 * MAX_SMALL_BYTES) beside.push([name, parseExactValue(raw)])
  }
  return Object.fromEntries(beside)
}

/** Throws `POINTER_UNKNOWN`. */
function find(text: string, pointer: string): Pick<JsonMember, 'start' | 'end'> {
  let span: Pick<JsonMember, 'start' | 'end'> = { start: skipWhiteSpace(text, 0), end: text.trimEnd().length }
  for (const name of parsePointer(pointer)) {
    const open = text[span.start]
    const next =
      open === '{' || open === '[' ? listMembers(text, span.start).find((one) => one.name === name) : undefined
    if (!next) throw createRefusedError('POINTER_UNKNOWN', `The answer has nothing at ${pointer.slice(0, 200)}.`)
    span = next
  }
  return span
}

/** `raw` stands in the text as the host wrote it. */
function joined(head: Record<string, unknown>, raw: string): ResponseView {
  const before = JSON.stringify(head).slice(0, -1)
  return { structured: { ...head, data: parseExactValue(raw) }, text: `${before},"data":${raw}}` }
}

/** What a JSON text costs in a result: once as text in JSON, once as a value. */
const costOf = (raw: string): number => getByteLength(raw) + getByteLength(JSON.stringify(raw))
export const getByteLength = (text: string): number => Buffer.byteLength(text)
export const parseExactValue = (raw: string): unknown => parseEntry(Buffer.from(raw))
