import { isObject } from '../../../shared/json/object.ts'

/** Values with more bytes are not read. */
const MAX_VALUE_BYTES = 4_000
const MEMBER_VALUE = /^\s*:\s*(null|true|false|"(?:[^"\\]|\\.)*")\s*[,}]/
const BACKSLASH = 92

/**
 * Reads a few members of a long JSON response without parsing the response, because a page of the
 * card listing may have several megabytes.
 * @returns undefined if the result would be uncertain, because a name occurs more than once or its
 *   value is not a short text, boolean or null.
 */
export function findMembersInLongJson(
  bytes: Uint8Array,
  names: readonly string[],
): Record<string, unknown> | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const lastMembers = readLastMembers(buffer)
  const members: Record<string, unknown> = {}
  for (const name of names) {
    if (Object.hasOwn(lastMembers, name)) {
      members[name] = lastMembers[name]
      continue
    }
    const offsets = findOffsets(buffer, `"${name}"`)
    if (offsets.length > 1) return undefined
    const [offset] = offsets
    if (offset === undefined) continue
    const start = offset + name.length + 2
    const text = MEMBER_VALUE.exec(buffer.toString('utf8', start, start + MAX_VALUE_BYTES))?.[1]
    if (text === undefined) return undefined
    members[name] = tryParse(text)
  }
  return members
}

/** Reads the members after the long list. Of a repeated name the last value counts, as in JSON. */
function readLastMembers(buffer: Buffer): Record<string, unknown> {
  const tail = buffer.toString('utf8', Math.max(0, buffer.byteLength - MAX_VALUE_BYTES))
  const listEnd = tail.lastIndexOf(']')
  const parsedTail = tryParse(`{${tail.slice(listEnd + 1).replace(/^\s*,/, '')}`)
  return listEnd >= 0 && isObject(parsedTail) ? parsedTail : {}
}

/** Finds at most two places where the name stands outside of strings. */
function findOffsets(buffer: Buffer, quoted: string): number[] {
  const offsets: number[] = []
  for (
    let offset = buffer.indexOf(quoted);
    offset >= 0 && offsets.length < 2;
    offset = buffer.indexOf(quoted, offset + 1)
  ) {
    // Inside a string, a backslash would precede the quote.
    if (buffer[offset - 1] !== BACKSLASH) offsets.push(offset)
  }
  return offsets
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
