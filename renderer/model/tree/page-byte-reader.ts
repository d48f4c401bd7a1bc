import type { NodeColumns } from './node-columns.ts'
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
} from '../../../shared/json/json-byte-scanner.ts'
import { getMember, toNonEmptyText } from '../../../shared/json/object.ts'
import { readNodeBytes } from './node-byte-reader.ts'

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

/**
 * Reads the nodes and returns the offsets of their list. Returns null unless the page is an object
 * with exactly one list named `nodes`.
 */
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
