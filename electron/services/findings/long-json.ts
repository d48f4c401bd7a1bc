import { isObject } from '../../../shared/json/object.ts'

/** Longest value of a member that is looked at. */
const MAX_VALUE_BYTES = 4_000
const value = /^\s*:\s*(null|true|false|"(?:[^"\\]|\\.)*")\s*[,}]/
const BACKSLASH = 92

/**
 * A few members of a long JSON answer, without parsing it: a page of the card listing has up to some megabytes. Undefined if it cannot be
 * told for sure, because a name occurs more than once.
 */
export function findMembersInLongJson(
  bytes: Uint8Array,
  names: readonly string[],
): Record<string, unknown> | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const last = lastMembers(buffer)
  const found: Record<string, unknown> = {}
  for (const name of names) {
    if (Object.hasOwn(last, name)) {
      found[name] = last[name]
      continue
    }
    const places = placesOf(buffer, `"${name}"`)
    if (places.length > 1) return undefined
    const [at] = places
    if (at === undefined) continue
    const start = at + name.length + 2
    const text = value.exec(buffer.toString('utf8', start, start + MAX_VALUE_BYTES))?.[1]
    if (text === undefined) return undefined
    found[name] = parsed(text)
  }
  return found
}

/** The members after the list that an answer mostly consists of: of a repeated name the last one counts. */
function lastMembers(buffer: Buffer): Record<string, unknown> {
  const tail = buffer.toString('utf8', Math.max(0, buffer.byteLength - MAX_VALUE_BYTES))
  const at = tail.lastIndexOf(']')
  const flat = parsed(`{${tail.slice(at + 1).replace(/^\s*,/, '')}`)
  return at >= 0 && isObject(flat) ? flat : {}
}

/** Where it stands outside of texts, at most twice. */
function placesOf(buffer: Buffer, quoted: string): number[] {
  const places: number[] = []
  for (let at = buffer.indexOf(quoted); at >= 0 && places.length < 2; at = buffer.indexOf(quoted, at + 1)) {
    // In a text its quotes would be escaped.
    if (buffer[at - 1] !== BACKSLASH) places.push(at)
  }
  return places
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
