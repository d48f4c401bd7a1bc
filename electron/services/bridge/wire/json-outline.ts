import { COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE, scanString } from '../../../../shared/json/json-byte-scanner.ts'
import { isContainerStart, MemberCursor } from '../../../../shared/json/token-cursor.ts'
import { hasBom } from '../../../../shared/json/utf8.ts'

/** Facts about a JSON text that its bytes show without being parsed. */
interface JsonOutline {
  readonly firstKind: 'object' | 'array' | 'other' | 'empty'
  /** The last character closes the object or array that the first character opened. */
  readonly isClosed: boolean
  readonly hasError: boolean
  /** Byte offset of the value of the member "error"; null if there is none or its value is null. */
  readonly errorOffset: number | null
}

const ERROR_NAME = Buffer.from('"error"')
/** Six times as fast to find as the whole name: its first byte, a quote, is everywhere. */
const ERROR_NAME_ENDING = Buffer.from('rror"')
/** A name with escapes can spell "error" too; such a name contains this text. */
const ASCII_ESCAPE = Buffer.from('\\u00')

/** Scans: parsing 5,000 nodes only to see that they are no error would cost more than all else. */
export function outlineJson(bytes: Uint8Array): JsonOutline {
  const buffer = toBuffer(bytes)
  const start = findFirstNonSpace(buffer)
  if (start === buffer.length) return { firstKind: 'empty', isClosed: false, ...NO_ERROR }
  const opener = buffer[start]
  const lastByte = buffer[findLastNonSpace(buffer)]
  if (opener === 91) return { firstKind: 'array', isClosed: lastByte === 93, ...NO_ERROR }
  if (opener !== 123) return { firstKind: 'other', isClosed: true, ...NO_ERROR }
  const mayHaveError =
    (buffer.includes(ERROR_NAME_ENDING) && buffer.includes(ERROR_NAME)) || buffer.includes(ASCII_ESCAPE)
  return {
    firstKind: 'object',
    isClosed: lastByte === 125,
    ...(mayHaveError ? findError(buffer.toString('latin1'), start) : NO_ERROR),
  }
}

/** True if the outermost object or array is still open at the end. */
export function isJsonTruncated(bytes: Uint8Array): boolean {
  const buffer = toBuffer(bytes)
  const text = buffer.toString('latin1')
  const start = findFirstNonSpace(buffer)
  const member = new MemberCursor(text, start)
  while (member.next());
  return isContainerStart(text, start) && !member.isClosed
}

/** Judged by the separators, before any value is built. */
export function hasMoreValues(bytes: Uint8Array, maxValues: number): boolean {
  // Each value takes at least two bytes, including its separator.
  if (bytes.byteLength <= maxValues * 2) return false
  let values = 1
  for (let offset = 0; offset < bytes.length && values <= maxValues; offset += 1) {
    const byte = bytes[offset]
    if (byte === COMMA || byte === OPEN_OBJECT || byte === OPEN_LIST) values += 1
    else if (byte === QUOTE) {
      offset = scanString(bytes, offset + 1) - 1
      // An unterminated string cannot be parsed, and nothing after it is built.
      if (offset < 0) break
    }
  }
  return values > maxValues
}

const NO_ERROR = { hasError: false, errorOffset: null } as const

function findError(text: string, start: number): Pick<JsonOutline, 'hasError' | 'errorOffset'> {
  let hasError = false
  for (const member = new MemberCursor(text, start); member.next();) {
    if (member.name !== 'error') continue
    if (!text.startsWith('null', member.start)) return { hasError: true, errorOffset: member.start }
    hasError = true
  }
  return { hasError, errorOffset: null }
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, byteLength)

const isSpace = (byte: number | undefined): boolean => byte === 32 || byte === 9 || byte === 10 || byte === 13

function findFirstNonSpace(buffer: Buffer): number {
  let offset = hasBom(buffer) ? 3 : 0
  while (offset < buffer.length && isSpace(buffer[offset])) offset += 1
  return offset
}

function findLastNonSpace(buffer: Buffer): number {
  let offset = buffer.length - 1
  while (offset > 0 && isSpace(buffer[offset])) offset -= 1
  return offset
}
