import { listSteps } from './list-path.ts'

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [34, 92, 44, 91, 93, 123, 125]
const PAUSE = 65_536

/**
 * Where each element of a list begins and ends in the bytes of an answer, as pairs, without decoding or parsing: JSON's
 * structural characters are ASCII, and no byte of a longer character looks like one. `member` is the
 * list's path (`listPath`), null if the answer itself is the list. A
 * generator that yields after every 64 KiB or so, so that a large answer can be processed in slices. The bytes must be valid JSON in
 * UTF-8.
 */
export function* elementRanges(bytes: Uint8Array, member: string | null): Generator<void, Uint32Array> {
  const steps = listSteps(member)
  const level = steps.length + 1
  const found = new Pairs()
  let depth = 0
  /** Steps of the path that lead here, and which of the containers around have names. */
  let reached = 0
  const named: boolean[] = []
  let expectName = false
  let start = -1
  let pause = PAUSE
  for (let at = 0; at < bytes.length; at += 1) {
    if (at >= pause) {
      pause = at + PAUSE
      yield
    }
    const byte = bytes[at] ?? 0
    const atElement = depth === level && reached === steps.length
    if (byte === QUOTE) {
      const end = stringEnd(bytes, at)
      if (depth < level && expectName) {
        if (reached >= depth - 1) reached = nameIn(bytes, at, end) === steps[depth - 1] ? depth : depth - 1
        expectName = false
      } else if (atElement && start < 0) start = at
      at = end
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      if (atElement && start < 0) start = at
      depth += 1
      if (depth < level) named[depth] = expectName = byte === OPEN_OBJECT
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST || byte === COMMA) {
      if (atElement && start >= 0) {
        found.add(start, at)
        start = -1
      }
      if (byte === COMMA) {
        if (depth < level) expectName = named[depth] === true
      } else {
        depth -= 1
        reached = Math.min(reached, depth)
      }
    } else if (atElement && start < 0 && byte > 32) start = at
  }
  return found.all()
}

/** Index of the closing quote of the string that opens at `at`; the last index if it never closes. */
function stringEnd(bytes: Uint8Array, at: number): number {
  for (let end = bytes.indexOf(QUOTE, at + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let slashes = 0
    while (bytes[end - 1 - slashes] === BACKSLASH) slashes += 1
    if (slashes % 2 === 0) return end
  }
  return bytes.length - 1
}

/** A name with its escapes resolved, so that `"it\\u0065ms"` is `items`, as it is for a parser. */
function nameIn(bytes: Uint8Array, from: number, to: number): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes.subarray(from, to + 1))) as unknown
  } catch {
    return null
  }
}

/** A growing list of pairs of numbers. */
class Pairs {
  #pairs = new Uint32Array(2_048)
  #length = 0

  add(start: number, end: number): void {
    if (this.#length === this.#pairs.length) {
      const larger = new Uint32Array(this.#pairs.length * 2)
      larger.set(this.#pairs)
      this.#pairs = larger
    }
    this.#pairs[this.#length++] = start
    this.#pairs[this.#length++] = end
  }

  all(): Uint32Array {
    return this.#pairs.slice(0, this.#length)
  }
}
