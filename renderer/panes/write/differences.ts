import { diff } from 'jsondiffpatch'

/** One member that differs between two values; absent = it is not there. */
interface Difference {
  /** `target.noteid`, `list[3]`; empty for the whole value. */
  readonly path: string
  readonly before?: string
  readonly after?: string
}

const MOST_TEXT = 200
/** Longest list in which moves are looked for, since that takes quadratic time. Longer lists are compared index by index. */
const MOST_MOVED = 60

/** The differences between two JSON values, member by member, with values as JSON text. */
export function differences(before: unknown, after: unknown): readonly Difference[] {
  const found: Difference[] = []
  walk(diff(named(before), named(after)), '', found)
  return found
}

/**
 * Renames members so that the library can't misread them, whatever a host calls them (`_t`, `__proto__`): `.name` in an object, `[3]` in a
 * long list.
 */
function named(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [`.${name}`, named(inner)]))
  }
  const list = (value as unknown[]).map(named)
  return list.length <= MOST_MOVED ? list : Object.fromEntries(list.map((inner, at) => [`[${at}]`, inner]))
}

/** Undoes `named`. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  if (entries[0]?.[0].startsWith('[') === true) return entries.map(([, inner]) => plain(inner))
  return Object.fromEntries(entries.map(([name, inner]) => [name.slice(1), plain(inner)]))
}

/** A jsondiffpatch delta: `[new]`, `[old, new]`, `[old, 0, 0]`, a move in a list (other arrays), or an object of deltas. */
function walk(delta: unknown, path: string, found: Difference[]): void {
  const add = (one: Omit<Difference, 'path'>): unknown => found.push({ path: path.replace(/^\./, ''), ...one })
  if (Array.isArray(delta)) {
    if (delta.length === 1) add({ after: shown(delta[0]) })
    else if (delta.length === 2) add({ before: shown(delta[0]), after: shown(delta[1]) })
    else if (delta[2] === 0) add({ before: shown(delta[0]) })
    else add({ after: `#${String(delta[1])}` })
    return
  }
  if (typeof delta !== 'object' || delta === null) return
  const ofList = Reflect.get(delta, '_t') === 'a'
  for (const [key, inner] of Object.entries(delta)) {
    if (!ofList) walk(inner, path + key, found)
    else if (key !== '_t') walk(inner, `${path}[${key.replace(/^_/, '')}]`, found)
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(plain(value)) ?? 'null'
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text
}
