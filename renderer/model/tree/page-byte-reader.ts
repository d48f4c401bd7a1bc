import { type NodeColumns, PARENT_KIND_UUID } from './node-columns.ts'
import {
  skipBlanks,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  scanPlainString,
  QUOTE,
  scanValue,
  skipToValue,
  BACKSLASH,
  scanNull,
  PLAIN_STRING_BYTES,
  SHORT_ESCAPE_CODES,
  scanString,
} from '../../../shared/json/json-byte-scanner.ts'
import { getMember, toNonEmptyText } from '../../../shared/json/object.ts'
import { FLAG_SUB_MAP, FLAG_TITLE } from './tree-chunk.ts'
import { packUuid, UUID_CHARS, UUID_WORDS } from './uuid.ts'

const NOTEID = 1
const PARENT = 2
const TITLE = 4
const SUB_MAP = 8
const DOC_PAGE = 16
const DOC_BOOK = 128
/** Only the type of these members is checked. */
const DEPTH_FIELD = 32
const CHILD_COUNT = 64
const ZERO = 48
const NINE = 57
const POINT = 46
const UPPER_E = 69
const LOWER_E = 101
/** Numbers with more digits are read by `JSON.parse`. */
const MAX_DIGITS = 9

const encoder = new TextEncoder()
const memberNames = {
  noteid: encoder.encode('noteid'),
  parent: encoder.encode('parent'),
  title: encoder.encode('title'),
  subMapId: encoder.encode('subMapId'),
  docPage: encoder.encode('docPage'),
  depth: encoder.encode('depth'),
  childCount: encoder.encode('childCount'),
  docBookmd5: encoder.encode('docBookmd5'),
}

/**
 * Reads the node at `offset` into the next row of `columns` without creating a value. Understands
 * UUIDs, titles without `\u` and short numbers, and skips members that are not stored.
 * @returns the offset after the node, or -1 for an unusual node, which needs `JSON.parse`
 */
function readNodeBytes(bytes: Uint8Array, offset: number, columns: NodeColumns): number {
  columns.beginNode()
  let seenMembers = 0
  let position = skipBlanks(bytes, offset + 1)
  for (;;) {
    const nameEnd = bytes[position] === QUOTE ? scanPlainString(bytes, position + 1) : -1
    if (nameEnd < 0) return -1
    const member = identifyMember(bytes, position + 1, nameEnd)
    if ((seenMembers & member) !== 0) return -1
    seenMembers |= member
    position = skipToValue(bytes, nameEnd + 1)
    if (position < 0) return -1
    position = member === 0 ? scanValue(bytes, position) : readMember(bytes, position, member, columns)
    if (position < 0) return -1
    position = skipBlanks(bytes, position)
    if (bytes[position] !== COMMA) break
    position = skipBlanks(bytes, position + 1)
  }
  if (bytes[position] !== CLOSE_OBJECT || (seenMembers & NOTEID) === 0) return -1
  if ((seenMembers & TITLE) !== 0) columns.flags[columns.count] = (columns.flags[columns.count] ?? 0) | FLAG_TITLE
  columns.commitNode()
  return position + 1
}

/** Returns the code of the member with this name, or 0 if the member is not stored. */
function identifyMember(bytes: Uint8Array, start: number, end: number): number {
  switch (end - start) {
    case 5:
      return isNameAt(bytes, start, memberNames.title)
        ? TITLE
        : isNameAt(bytes, start, memberNames.depth)
          ? DEPTH_FIELD
          : 0
    case 6:
      return isNameAt(bytes, start, memberNames.noteid)
        ? NOTEID
        : isNameAt(bytes, start, memberNames.parent)
          ? PARENT
          : 0
    case 7:
      return isNameAt(bytes, start, memberNames.docPage) ? DOC_PAGE : 0
    case 8:
      return isNameAt(bytes, start, memberNames.subMapId) ? SUB_MAP : 0
    case 10:
      return isNameAt(bytes, start, memberNames.childCount)
        ? CHILD_COUNT
        : isNameAt(bytes, start, memberNames.docBookmd5)
          ? DOC_BOOK
          : 0
    default:
      return 0
  }
}

function isNameAt(bytes: Uint8Array, start: number, name: Uint8Array): boolean {
  for (let index = 0; index < name.length; index += 1) if (bytes[start + index] !== name[index]) return false
  return true
}

function readMember(bytes: Uint8Array, offset: number, member: number, columns: NodeColumns): number {
  switch (member) {
    case NOTEID:
      return readUuid(bytes, offset, columns.uuids, columns.count)
    case DEPTH_FIELD:
    case CHILD_COUNT:
      return findCountEnd(bytes, offset)
    case DOC_PAGE:
      return readPage(bytes, offset, columns)
    default:
      return bytes[offset] === QUOTE ? readText(bytes, offset, member, columns) : scanNull(bytes, offset)
  }
}

function readText(bytes: Uint8Array, offset: number, member: number, columns: NodeColumns): number {
  if (member === PARENT) return readParent(bytes, offset, columns)
  if (member === TITLE) return readTitle(bytes, offset + 1, columns)
  return member === SUB_MAP ? readSubMap(bytes, offset, columns) : readBook(bytes, offset, columns)
}

function readBook(bytes: Uint8Array, offset: number, columns: NodeColumns): number {
  const end = scanPlainString(bytes, offset + 1)
  if (end < 0) return -1
  columns.setDocumentBytes(bytes, offset + 1, end)
  return end + 1
}

function readUuid(bytes: Uint8Array, offset: number, words: Uint32Array, row: number): number {
  const end = offset + 1 + UUID_CHARS
  if (bytes[offset] !== QUOTE || bytes[end] !== QUOTE) return -1
  return packUuid(bytes, offset + 1, words, row * UUID_WORDS) ? end + 1 : -1
}

function readParent(bytes: Uint8Array, offset: number, columns: NodeColumns): number {
  if (bytes[offset + 1] === QUOTE) return offset + 2
  const end = readUuid(bytes, offset, columns.parentUuids, columns.count)
  if (end >= 0) columns.parentKinds[columns.count] = PARENT_KIND_UUID
  return end
}

function readSubMap(bytes: Uint8Array, offset: number, columns: NodeColumns): number {
  if (bytes[offset + 1] === QUOTE) return offset + 2
  columns.flags[columns.count] = FLAG_SUB_MAP
  return scanString(bytes, offset + 1)
}

function readTitle(bytes: Uint8Array, start: number, columns: NodeColumns): number {
  const { titles } = columns
  let titleEnd = columns.titleLength
  let position = start
  for (;;) {
    const byte = bytes[position] ?? 0
    if (PLAIN_STRING_BYTES[byte] === 1) {
      titles[titleEnd] = byte
      position += 1
    } else if (byte === BACKSLASH) {
      const escapedByte = SHORT_ESCAPE_CODES[bytes[position + 1] ?? 0] ?? 0
      if (escapedByte === 0) return -1
      titles[titleEnd] = escapedByte
      position += 2
    } else break
    titleEnd += 1
  }
  columns.titleLength = titleEnd
  return bytes[position] === QUOTE ? position + 1 : -1
}

function readPage(bytes: Uint8Array, offset: number, columns: NodeColumns): number {
  const end = findCountEnd(bytes, offset)
  if (end < 0) return scanNull(bytes, offset)
  let value = 0
  for (let position = offset; position < end; position += 1) value = value * 10 + (bytes[position] ?? 0) - ZERO
  columns.docPages[columns.count] = value
  return end
}

/** Offset after a number without sign, fraction and exponent, or -1 for other values. */
function findCountEnd(bytes: Uint8Array, start: number): number {
  let end = start
  for (let byte = bytes[end] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[end] ?? 0) end += 1
  const digits = end - start
  const isPlain = digits > 0 && digits <= MAX_DIGITS && (bytes[start] !== ZERO || digits === 1)
  const nextByte = bytes[end]
  return isPlain && nextByte !== POINT && nextByte !== LOWER_E && nextByte !== UPPER_E ? end : -1
}

/** With more of these, and more than one in eight, parsing the whole page is faster. */
const MAX_UNUSUAL_NODES = 64
const UNUSUAL_SHARE_DIVISOR = 8

const NODES = new TextEncoder().encode('nodes')
/** A byte order mark inside the text is part of the text. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Reads a page of the listing into columns without parsing the nodes. The result equals that of
 * `JSON.parse`.
 * @returns the page with an empty list in place of its nodes; null if the page is not JSON or is
 *   unusual as a whole, and `columns` is then invalid
 */
export function readPageBytes(bytes: Uint8Array, columns: NodeColumns): { value: unknown; text: string } | null {
  columns.clear()
  columns.reserveTitleBytes(bytes.length)
  const list = readNodeList(bytes, columns)
  if (!list) return null
  const text = `${decoder.decode(bytes.subarray(0, list.from))}[]${decoder.decode(bytes.subarray(list.end))}`
  try {
    const value: unknown = JSON.parse(text)
    return { value, text }
  } catch {
    return null
  }
}

/** Offsets of the nodes; null unless the page is an object with one list named `nodes`. */
function readNodeList(bytes: Uint8Array, columns: NodeColumns): { from: number; end: number } | null {
  let nodesRange: { from: number; end: number } | null = null
  let position = skipBlanks(bytes, 0)
  if (bytes[position] !== OPEN_OBJECT) return null
  do {
    position = skipBlanks(bytes, position + 1)
    // A name with an escape may also mean `nodes`.
    const nameEnd = bytes[position] === QUOTE ? scanPlainString(bytes, position + 1) : -1
    if (nameEnd < 0) return null
    const isNodes = isNodesAt(bytes, position + 1, nameEnd)
    const from = skipToValue(bytes, nameEnd + 1)
    if (from < 0 || (isNodes && (nodesRange !== null || bytes[from] !== OPEN_LIST))) return null
    const end = isNodes ? readNodes(bytes, from, columns) : scanValue(bytes, from)
    if (end < 0) return null
    if (isNodes) nodesRange = { from, end }
    position = skipBlanks(bytes, end)
  } while (bytes[position] === COMMA)
  return bytes[position] === CLOSE_OBJECT ? nodesRange : null
}

function isNodesAt(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start === NODES.length && NODES.every((byte, index) => bytes[start + index] === byte)
}

/** Returns the offset after the list at `offset`, or -1 if the list is unusual. */
function readNodes(bytes: Uint8Array, offset: number, columns: NodeColumns): number {
  let unusualCount = 0
  let position = skipBlanks(bytes, offset + 1)
  if (bytes[position] === CLOSE_LIST) return position + 1
  for (;;) {
    let end = bytes[position] === OPEN_OBJECT ? readNodeBytes(bytes, position, columns) : -1
    if (end < 0) {
      unusualCount += 1
      if (unusualCount > MAX_UNUSUAL_NODES && unusualCount * UNUSUAL_SHARE_DIVISOR > columns.count) return -1
      end = readUnusual(bytes, position, columns)
      if (end < 0) return -1
    }
    position = skipBlanks(bytes, end)
    if (bytes[position] !== COMMA) return bytes[position] === CLOSE_LIST ? position + 1 : -1
    position = skipBlanks(bytes, position + 1)
  }
}

function readUnusual(bytes: Uint8Array, offset: number, columns: NodeColumns): number {
  const end = scanValue(bytes, offset)
  if (end < 0) return -1
  const node: unknown = JSON.parse(decoder.decode(bytes.subarray(offset, end)))
  // If another member holds the ids, it is found on the whole page.
  if (columns.count === 0 && toNonEmptyText(getMember(node, 'noteid')) === null) return -1
  columns.addNode(node)
  return end
}
