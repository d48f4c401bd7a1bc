import { createRefusedError } from '../../shared/errors.ts'
import { listMembers, skipWhiteSpace, type JsonMember } from '../../shared/json/token-cursor.ts'
import { parsePointer, toPointerStep } from '../../shared/json/pointer.ts'
import { parseJsonEntry } from '../output/response-list.ts'

/** The rest of a result is reserved for the members around the page. */
export const MAX_PAGE_BYTES = 34_000
/** Larger members are only described and counted. */
const MAX_SMALL_BYTES = 1_000
const MAX_RANGE_CHARS = 12_000

interface ViewedResponse {
  readonly uri: string
  readonly text: string
  readonly isJson: boolean
}

/** A view starts with the value at `pointer`, from its member, element or character `offset` on. */
interface ViewPosition {
  readonly pointer: string
  readonly offset: number
}

/** A part of a response. The JSON text contains the host's own text unchanged. */
interface ResponseView {
  readonly structured: Record<string, unknown>
  readonly text: string
}

/** @throws POINTER_UNKNOWN when the response has nothing at `pointer` */
export function createResponseView(response: ViewedResponse, { pointer, offset }: ViewPosition): ResponseView {
  const head = { whole: false, answer: response.uri, bytes: getByteLength(response.text) }
  if (!response.isJson) return createTextView(response.text, { ...head, pointer: '' }, offset)
  const span = findSpan(response.text, pointer)
  const raw = response.text.slice(span.start, span.end)
  if (measureCost(raw) <= MAX_PAGE_BYTES && offset === 0) return joinView({ ...head, pointer }, raw)
  if (raw.startsWith('"')) return createTextView(JSON.parse(raw) as string, { ...head, pointer }, offset)
  const members = listMembers(response.text, span.start)
  const siblings = pointer === '' || offset > 0 ? {} : { beside: listSmallSiblings(response.text, pointer) }
  const isList = raw.startsWith('[')
  return createListView(response.text, members, {
    head: { ...head, pointer, ...siblings, ...(isList ? {} : { summary: true }) },
    offset,
    toEntry: isList ? (_, element) => element : (member, value) => toMemberEntry(response.text, pointer, member, value),
  })
}

interface ViewHead extends Record<string, unknown> {
  readonly pointer: string
}

/**
 * Returns as many entries as fit. An element that does not fit alone is read by its own pointer.
 * @param toEntry JSON text of a member in the view
 */
function createListView(
  text: string,
  members: readonly JsonMember[],
  { head, offset, toEntry }: { head: ViewHead; offset: number; toEntry: (member: JsonMember, raw: string) => string },
): ResponseView {
  const entries: string[] = []
  let cost = measureCost(JSON.stringify(head))
  for (const member of members.slice(offset)) {
    const entry = toEntry(member, text.slice(member.start, member.end))
    cost += measureCost(entry)
    if (cost > MAX_PAGE_BYTES) break
    entries.push(entry)
  }
  const first = members[offset]
  const large = entries.length === 0 && first ? { large: describeValue(text, first, head.pointer) } : {}
  const end = offset + (entries.length === 0 && first ? 1 : entries.length)
  return joinView(
    { ...head, ...createPaging(head.pointer, offset, end, members.length), ...large },
    `[${entries.join(',')}]`,
  )
}

/** Shows small members of an object with their value, others only with type and size. */
function toMemberEntry(text: string, pointer: string, member: JsonMember, raw: string): string {
  return measureCost(raw) <= MAX_SMALL_BYTES
    ? `{"name":${JSON.stringify(member.name)},"value":${raw}}`
    : JSON.stringify(describeValue(text, member, pointer))
}

/** Shows a range of a long text. The range does not end within a character. */
function createTextView(text: string, head: ViewHead, offset: number): ResponseView {
  const isLowSurrogate = (index: number): boolean => /[\uDC00-\uDFFF]/.test(text[index] ?? '')
  let end = Math.min(text.length, offset + MAX_RANGE_CHARS)
  while (measureCost(JSON.stringify(text.slice(offset, end))) > MAX_PAGE_BYTES)
    end = offset + Math.floor((end - offset) / 2)
  if (end < text.length && isLowSurrogate(end)) end -= 1
  const paging = createPaging(head.pointer, offset, end, text.length)
  return joinView({ ...head, ...paging, range: 'characters' }, JSON.stringify(text.slice(offset, end)))
}

function createPaging(pointer: string, from: number, to: number, total: number) {
  return { from, to, total, ...(to < total ? { cursor: `${pointer}@${to}` } : {}) }
}

/** @throws CURSOR_INVALID when the cursor was not returned by this server */
export function parseViewCursor(cursor: string): ViewPosition {
  const [, pointer, offset] = /^(.*)@(\d{1,9})$/s.exec(cursor) ?? []
  if (pointer !== undefined && offset !== undefined) return { pointer, offset: Number(offset) }
  throw createRefusedError('CURSOR_INVALID', 'Pass the "cursor" of the previous page back unchanged.')
}

const containerTypes: Readonly<Record<string, string>> = { '{': 'object', '[': 'array', '"': 'string' }

function describeValue(text: string, { name, start, end }: JsonMember, parent: string): Record<string, unknown> {
  const open = text[start] ?? ''
  const isContainer = open === '{' || open === '['
  return {
    name: name.slice(0, 200),
    type: containerTypes[open] ?? 'scalar',
    ...(isContainer ? { count: listMembers(text, start).length } : {}),
    bytes: getByteLength(text.slice(start, end)),
    pointer: parent + toPointerStep(name),
  }
}

/** Small members beside a list are, for example, totals and the host's cursor. */
function listSmallSiblings(text: string, pointer: string): Record<string, unknown> {
  const parent = findSpan(text, pointer.slice(0, pointer.lastIndexOf('/')))
  if (text[parent.start] !== '{') return {}
  const siblings: [string, unknown][] = []
  let cost = 0
  for (const { name, start, end } of listMembers(text, parent.start)) {
    const raw = text.slice(start, end)
    cost += measureCost(raw) <= MAX_SMALL_BYTES ? measureCost(raw) + measureCost(JSON.stringify(name)) : 0
    if (measureCost(raw) <= MAX_SMALL_BYTES && cost <= 2 * MAX_SMALL_BYTES) siblings.push([name, parseExactValue(raw)])
  }
  return Object.fromEntries(siblings)
}

/** @throws POINTER_UNKNOWN when the text has nothing there. */
function findSpan(text: string, pointer: string): Pick<JsonMember, 'start' | 'end'> {
  let span: Pick<JsonMember, 'start' | 'end'> = { start: skipWhiteSpace(text, 0), end: text.trimEnd().length }
  for (const name of parsePointer(pointer)) {
    const open = text[span.start]
    const member =
      open === '{' || open === '['
        ? listMembers(text, span.start).find((candidate) => candidate.name === name)
        : undefined
    if (!member) throw createRefusedError('POINTER_UNKNOWN', `The answer has nothing at ${pointer.slice(0, 200)}.`)
    span = member
  }
  return span
}

/** Adds the text of the value to the head of a view, exactly as the host wrote it. */
function joinView(head: Record<string, unknown>, raw: string): ResponseView {
  const headText = JSON.stringify(head).slice(0, -1)
  return { structured: { ...head, data: parseExactValue(raw) }, text: `${headText},"data":${raw}}` }
}

/** A result contains the JSON text both as a JSON string and as a value. */
const measureCost = (raw: string): number => getByteLength(raw) + getByteLength(JSON.stringify(raw))
export function getByteLength(text: string): number {
  return Buffer.byteLength(text)
}
export function parseExactValue(raw: string): unknown {
  return parseJsonEntry(Buffer.from(raw))
}
