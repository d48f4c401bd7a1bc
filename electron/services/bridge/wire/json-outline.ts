import { COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE, scanString } from '../../../../shared/json/json-byte-scanner.ts'
import { isContainerStart, MemberCursor } from '../../../../shared/json/token-cursor.ts'
import { hasBom } from '../../../../shared/json/utf8.ts'

/** What the bytes of a JSON text reveal without being parsed. */
interface JsonOutline {
  readonly firstKind: 'object' | 'array' | 'other' | 'empty'
  /** The last character closes what the first one opened; false for a text that breaks off. */
  readonly isClosed: boolean
  /** The top-level object has a member "error". */
  readonly hasError: boolean
  /** Where that member's value begins, unless it is null, which means that there is no error. */
  readonly errorOffset: number | null
}

const name = Buffer.from('"error"')
/** Searching begins at each place that holds the first byte, and quotes are everywhere: this part of it is found six times as fast. */
const ending = Buffer.from('rror"')
/** A name with escapes can spell "error" too; it then contains a \u00.. escape. */
const escape = Buffer.from('\\u00')

/**
 * Scans the bytes, because parsing a page of 5,000 nodes only to learn that it is not an error would cost the service more than
 * everything else it does for that page.
 */
export function outlineJson(bytes: Uint8Array): JsonOutline {
  const buffer = asBuffer(bytes)
  const first = firstSolid(buffer)
  if (first === buffer.length) return { firstKind: 'empty', isClosed: false, ...none }
  const opener = buffer[first]
  const last = buffer[lastSolid(buffer)]
  if (opener === 91) return { firstKind: 'array', isClosed: last === 93, ...none }
  if (opener !== 123) return { firstKind: 'other', isClosed: true, ...none }
  const mayHave = (buffer.includes(ending) && buffer.includes(name)) || buffer.includes(escape)
  return {
    firstKind: 'object',
    isClosed: last === 125,
    ...(mayHave ? errorIn(buffer.toString('latin1'), first) : none),
  }
}

/** Whether an object or array is still open at the end. */
export function isJsonTruncated(bytes: Uint8Array): boolean {
  const buffer = asBuffer(bytes)
  const text = buffer.toString('latin1')
  const open = firstSolid(buffer)
  const member = new MemberCursor(text, open)
  while (member.next());
  return isContainerStart(text, open) && !member.isClosed
}

/** Whether JSON holds more than `most` values, judged by its separators before any value is built. */
export function hasMoreValues(bytes: Uint8Array, most: number): boolean {
  // Each value takes at least two bytes, including its separator.
  if (bytes.byteLength <= most * 2) return false
  let values = 1
  for (let at = 0; at < bytes.length && values <= most; at += 1) {
    const byte = bytes[at]
    if (byte === COMMA || byte === OPEN_OBJECT || byte === OPEN_LIST) values += 1
    else if (byte === QUOTE) {
      at = scanString(bytes, at + 1) - 1
      // What is no string cannot be parsed, and nothing after it is built.
      if (at < 0) break
    }
  }
  return values > most
}

const none = { hasError: false, errorOffset: null } as const

function errorIn(text: string, open: number): Pick<JsonOutline, 'hasError' | 'errorOffset'> {
  let hasError = false
  for (const member = new MemberCursor(text, open); member.next();) {
    if (member.name !== 'error') continue
    if (!text.startsWith('null', member.start)) return { hasError: true, errorOffset: member.start }
    hasError = true
  }
  return { hasError, errorOffset: null }
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)

const isSpace = (byte: number | undefined): boolean => byte === 32 || byte === 9 || byte === 10 || byte === 13

function firstSolid(buffer: Buffer): number {
  let at = hasBom(buffer) ? 3 : 0
  while (at < buffer.length && isSpace(buffer[at])) at += 1
  return at
}

function lastSolid(buffer: Buffer): number {
  let at = buffer.length - 1
  while (at > 0 && isSpace(buffer[at])) at -= 1
  return at
}
