/** What the bytes of a JSON text reveal without being parsed. */
interface JsonOutline {
  readonly starts: 'object' | 'array' | 'other' | 'empty'
  /** The last character closes what the first one opened; false for a text that breaks off. */
  readonly closed: boolean
  /** The top-level object has a member "error". */
  readonly hasError: boolean
  /** Where that member's value begins, unless it is null, which means that there is no error. */
  readonly errorAt: number | null
}

const QUOTE = 34
const BACKSLASH = 92
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
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const first = firstSolid(buffer)
  if (first === buffer.length) return { starts: 'empty', closed: false, ...none }
  const opener = buffer[first]
  const last = buffer[lastSolid(buffer)]
  if (opener === 91) return { starts: 'array', closed: last === 93, ...none }
  if (opener !== 123) return { starts: 'other', closed: true, ...none }
  const mayHave = (buffer.includes(ending) && buffer.includes(name)) || buffer.includes(escape)
  return { starts: 'object', closed: last === 125, ...(mayHave ? errorIn(buffer, first) : none) }
}

/** Whether objects or arrays are still open at the end. */
export function breaksOff(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let depth = 0
  for (let at = firstSolid(buffer); at < buffer.length; at += 1) {
    const byte = buffer[at]
    if (byte === QUOTE) at = closingQuote(buffer, at)
    else if (byte === 123 || byte === 91) depth += 1
    else if (byte === 125 || byte === 93) depth -= 1
  }
  return depth > 0
}

const none = { hasError: false, errorAt: null } as const

function errorIn(buffer: Buffer, from: number): Pick<JsonOutline, 'hasError' | 'errorAt'> {
  let depth = 0
  let nameNext = false
  let hasError = false
  for (let at = from; at < buffer.length; at += 1) {
    const byte = buffer[at]
    if (byte === QUOTE) {
      const end = closingQuote(buffer, at)
      if (depth === 1 && nameNext && spellsError(buffer, at, end)) {
        const value = valueAfter(buffer, end)
        if (buffer.toString('latin1', value, value + 4) !== 'null') return { hasError: true, errorAt: value }
        hasError = true
      }
      nameNext = false
      at = end
    } else if (byte === 123 || byte === 91) {
      depth += 1
      nameNext = at === from
    } else if (byte === 125 || byte === 93) depth -= 1
    else if (byte === 44) nameNext = depth === 1
  }
  return { hasError, errorAt: null }
}

function valueAfter(buffer: Buffer, quote: number): number {
  let at = quote + 1
  while (at < buffer.length && (isSpace(buffer[at]) || buffer[at] === 58)) at += 1
  return at
}

/** Whether JSON holds more than `most` values, judged by its separators before any value is built. */
export function holdsMore(bytes: Uint8Array, most: number): boolean {
  // Each value takes at least two bytes, including its separator.
  if (bytes.byteLength <= most * 2) return false
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let values = 1
  for (let at = firstSolid(buffer); at < buffer.length && values <= most; at += 1) {
    const byte = buffer[at]
    if (byte === QUOTE) at = closingQuote(buffer, at)
    else if (byte === 44 || byte === 123 || byte === 91) values += 1
  }
  return values > most
}

/** "error" as 5 characters of up to 6 bytes each, plain or escaped. */
function spellsError(buffer: Buffer, open: number, close: number): boolean {
  const length = close - open + 1
  if (length === name.length) return buffer.compare(name, 0, name.length, open, close + 1) === 0
  if (length > 32 || !buffer.subarray(open, close).includes(BACKSLASH)) return false
  try {
    return JSON.parse(buffer.toString('latin1', open, close + 1)) === 'error'
  } catch {
    return false
  }
}

function closingQuote(buffer: Buffer, at: number): number {
  let end = at
  for (;;) {
    end = buffer.indexOf(QUOTE, end + 1)
    if (end < 0) return buffer.length
    let slashes = 0
    while (buffer[end - 1 - slashes] === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return end
  }
}

const isSpace = (byte: number | undefined): boolean => byte === 32 || byte === 9 || byte === 10 || byte === 13

function firstSolid(buffer: Buffer): number {
  let at = buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf ? 3 : 0
  while (at < buffer.length && isSpace(buffer[at])) at += 1
  return at
}

function lastSolid(buffer: Buffer): number {
  let at = buffer.length - 1
  while (at > 0 && isSpace(buffer[at])) at -= 1
  return at
}
