import { FLAG_SUB_MAP } from './tree-chunk.ts'
import { UUID_PARENT, type NodeColumns } from './node-columns.ts'
import {
  BACKSLASH,
  skipBlanks,
  CLOSE_OBJECT,
  COMMA,
  scanNull,
  PLAIN_BYTES,
  scanPlainString,
  QUOTE,
  SHORT_ESCAPES,
  scanString,
  scanValue,
  skipToValue,
} from '../../../shared/json/json-byte-scanner.ts'
import { packUuid, UUID_CHARS, UUID_WORDS } from './uuid.ts'

const NOTEID = 1
const PARENT = 2
const TITLE = 4
const SUB_MAP = 8
const DOC_PAGE = 16
const DOC_BOOK = 128
/** Members of which only the type is checked here. */
const DEPTH_FIELD = 32
const CHILD_COUNT = 64
const ZERO = 48
const NINE = 57
const POINT = 46
const UPPER_E = 69
const LOWER_E = 101
/** A number of at most this many digits is read here. */
const MAX_DIGITS = 9

const encoder = new TextEncoder()
const names = {
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
 * Reads the node that begins at `at` into the next row, without making a value of it. Returns the index after it; -1 for a node that is in
 * any way unusual, which is then to be read with `JSON.parse`: this knows UUIDs, titles without `\u`, short numbers, and other members
 * that it passes.
 */
export function readNodeBytes(bytes: Uint8Array, at: number, into: NodeColumns): number {
  into.beginNode()
  let seen = 0
  let here = skipBlanks(bytes, at + 1)
  for (;;) {
    const nameEnd = bytes[here] === QUOTE ? scanPlainString(bytes, here + 1) : -1
    if (nameEnd < 0) return -1
    const member = memberNamed(bytes, here + 1, nameEnd)
    if ((seen & member) !== 0) return -1
    seen |= member
    here = skipToValue(bytes, nameEnd + 1)
    if (here < 0) return -1
    here = member === 0 ? scanValue(bytes, here) : readMember(bytes, here, member, into)
    if (here < 0) return -1
    here = skipBlanks(bytes, here)
    if (bytes[here] !== COMMA) break
    here = skipBlanks(bytes, here + 1)
  }
  if (bytes[here] !== CLOSE_OBJECT || (seen & NOTEID) === 0) return -1
  into.commitNode()
  return here + 1
}

/** Which of the members that are kept has this name; 0 = another one. */
function memberNamed(bytes: Uint8Array, at: number, end: number): number {
  switch (end - at) {
    case 5:
      return isName(bytes, at, names.title) ? TITLE : isName(bytes, at, names.depth) ? DEPTH_FIELD : 0
    case 6:
      return isName(bytes, at, names.noteid) ? NOTEID : isName(bytes, at, names.parent) ? PARENT : 0
    case 7:
      return isName(bytes, at, names.docPage) ? DOC_PAGE : 0
    case 8:
      return isName(bytes, at, names.subMapId) ? SUB_MAP : 0
    case 10:
      return isName(bytes, at, names.childCount) ? CHILD_COUNT : isName(bytes, at, names.docBookmd5) ? DOC_BOOK : 0
    default:
      return 0
  }
}

function isName(bytes: Uint8Array, at: number, name: Uint8Array): boolean {
  for (let n = 0; n < name.length; n += 1) if (bytes[at + n] !== name[n]) return false
  return true
}

function readMember(bytes: Uint8Array, at: number, member: number, into: NodeColumns): number {
  switch (member) {
    case NOTEID:
      return readUuid(bytes, at, into.uuids, into.count)
    case DEPTH_FIELD:
    case CHILD_COUNT:
      return countEnd(bytes, at)
    case DOC_PAGE:
      return readPage(bytes, at, into)
    default:
      return bytes[at] === QUOTE ? readText(bytes, at, member, into) : scanNull(bytes, at)
  }
}

function readText(bytes: Uint8Array, at: number, member: number, into: NodeColumns): number {
  if (member === PARENT) return readParent(bytes, at, into)
  if (member === TITLE) return readTitle(bytes, at + 1, into)
  return member === SUB_MAP ? readSubMap(bytes, at, into) : readBook(bytes, at, into)
}

function readBook(bytes: Uint8Array, at: number, into: NodeColumns): number {
  const end = scanPlainString(bytes, at + 1)
  if (end < 0) return -1
  into.setDocumentBytes(bytes, at + 1, end)
  return end + 1
}

function readUuid(bytes: Uint8Array, at: number, words: Uint32Array, row: number): number {
  const end = at + 1 + UUID_CHARS
  if (bytes[at] !== QUOTE || bytes[end] !== QUOTE) return -1
  return packUuid(bytes, at + 1, words, row * UUID_WORDS) ? end + 1 : -1
}

function readParent(bytes: Uint8Array, at: number, into: NodeColumns): number {
  if (bytes[at + 1] === QUOTE) return at + 2
  const end = readUuid(bytes, at, into.parentUuids, into.count)
  if (end >= 0) into.parentKinds[into.count] = UUID_PARENT
  return end
}

function readSubMap(bytes: Uint8Array, at: number, into: NodeColumns): number {
  if (bytes[at + 1] === QUOTE) return at + 2
  into.flags[into.count] = FLAG_SUB_MAP
  return scanString(bytes, at + 1)
}

function readTitle(bytes: Uint8Array, at: number, into: NodeColumns): number {
  const { titles } = into
  let to = into.titleLength
  let here = at
  for (;;) {
    const byte = bytes[here] ?? 0
    if (PLAIN_BYTES[byte] === 1) {
      titles[to] = byte
      here += 1
    } else if (byte === BACKSLASH) {
      const means = SHORT_ESCAPES[bytes[here + 1] ?? 0] ?? 0
      if (means === 0) return -1
      titles[to] = means
      here += 2
    } else break
    to += 1
  }
  into.titleLength = to
  return bytes[here] === QUOTE ? here + 1 : -1
}

function readPage(bytes: Uint8Array, at: number, into: NodeColumns): number {
  const end = countEnd(bytes, at)
  if (end < 0) return scanNull(bytes, at)
  let value = 0
  for (let here = at; here < end; here += 1) value = value * 10 + (bytes[here] ?? 0) - ZERO
  into.docPages[into.count] = value
  return end
}

/** A number of digits alone: with a sign, a fraction or an exponent it is unusual. */
function countEnd(bytes: Uint8Array, at: number): number {
  let end = at
  for (let byte = bytes[end] ?? 0; byte >= ZERO && byte <= NINE; byte = bytes[end] ?? 0) end += 1
  const digits = end - at
  const isPlain = digits > 0 && digits <= MAX_DIGITS && (bytes[at] !== ZERO || digits === 1)
  const next = bytes[end]
  return isPlain && next !== POINT && next !== LOWER_E && next !== UPPER_E ? end : -1
}
