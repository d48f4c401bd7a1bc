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
import { readNodeBytes } from './node-byte-reader.ts'

/** A page is given up when more than these nodes are unusual, and one in so many: parsing it at once is quicker then. */
const MAX_UNUSUAL_NODES = 64
const UNUSUAL_SHARE_DIVISOR = 8

const NODES = new TextEncoder().encode('nodes')
/** A byte order mark inside the text is part of it. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Reads a page of the listing by column without parsing it. Returns the page with an empty list in place of its nodes, parsed and as text;
 * null if the page is unusual as a whole, or not JSON: then `into` holds nothing of use. What it returns is what `JSON.parse` of the whole
 * page gives.
 */
export function readPageBytes(bytes: Uint8Array, into: NodeColumns): { value: unknown; text: string } | null {
  into.clear()
  into.reserveTitleBytes(bytes.length)
  const list = nodesIn(bytes, into)
  if (!list) return null
  const text = `${decoder.decode(bytes.subarray(0, list.from))}[]${decoder.decode(bytes.subarray(list.end))}`
  try {
    const value: unknown = JSON.parse(text)
    return { value, text }
  } catch {
    return null
  }
}

/** Where the nodes are. Null unless the page is an object with one list of that name. */
function nodesIn(bytes: Uint8Array, into: NodeColumns): { from: number; end: number } | null {
  let found: { from: number; end: number } | null = null
  let at = skipBlanks(bytes, 0)
  if (bytes[at] !== OPEN_OBJECT) return null
  do {
    at = skipBlanks(bytes, at + 1)
    // A name with an escape may spell `nodes` as well.
    const nameEnd = bytes[at] === QUOTE ? scanPlainString(bytes, at + 1) : -1
    if (nameEnd < 0) return null
    const isNodes = isNodesAt(bytes, at + 1, nameEnd)
    const from = skipToValue(bytes, nameEnd + 1)
    if (from < 0 || (isNodes && (found !== null || bytes[from] !== OPEN_LIST))) return null
    const end = isNodes ? readNodes(bytes, from, into) : scanValue(bytes, from)
    if (end < 0) return null
    if (isNodes) found = { from, end }
    at = skipBlanks(bytes, end)
  } while (bytes[at] === COMMA)
  return bytes[at] === CLOSE_OBJECT ? found : null
}

function isNodesAt(bytes: Uint8Array, at: number, end: number): boolean {
  return end - at === NODES.length && NODES.every((byte, n) => bytes[at + n] === byte)
}

/** The elements of the list that begins at `at`. Returns the index after it, or -1. */
function readNodes(bytes: Uint8Array, at: number, into: NodeColumns): number {
  let unusual = 0
  let here = skipBlanks(bytes, at + 1)
  if (bytes[here] === CLOSE_LIST) return here + 1
  for (;;) {
    let end = bytes[here] === OPEN_OBJECT ? readNodeBytes(bytes, here, into) : -1
    if (end < 0) {
      unusual += 1
      if (unusual > MAX_UNUSUAL_NODES && unusual * UNUSUAL_SHARE_DIVISOR > into.count) return -1
      end = readUnusual(bytes, here, into)
      if (end < 0) return -1
    }
    here = skipBlanks(bytes, end)
    if (bytes[here] !== COMMA) return bytes[here] === CLOSE_LIST ? here + 1 : -1
    here = skipBlanks(bytes, here + 1)
  }
}

function readUnusual(bytes: Uint8Array, at: number, into: NodeColumns): number {
  const end = scanValue(bytes, at)
  if (end >= 0) into.addNode(JSON.parse(decoder.decode(bytes.subarray(at, end))))
  return end
}
