import { diff } from 'jsondiffpatch'

/** One member that is not the same in two values; absent = it is not there. */
export interface Difference {
  /** `target.noteid`; empty for the whole value. */
  readonly path: string
  readonly before?: string
  readonly after?: string
}

const MOST_TEXT = 200

/** What differs between two JSON values, member by member, values as JSON text. */
export function differences(before: unknown, after: unknown): readonly Difference[] {
  const found: Difference[] = []
  walk(diff(before, after), '', found)
  return found
}

/** A delta of jsondiffpatch: `[new]`, `[old, new]`, `[old, 0, 0]`, a text or array move (other lists), or an object of deltas. */
function walk(delta: unknown, path: string, found: Difference[]): void {
  if (Array.isArray(delta)) {
    if (delta.length === 1) found.push({ path, after: shown(delta[0]) })
    else if (delta.length === 2) found.push({ path, before: shown(delta[0]), after: shown(delta[1]) })
    else if (delta[2] === 0) found.push({ path, before: shown(delta[0]) })
    else found.push({ path, after: `#${String(delta[1])}` })
    return
  }
  if (typeof delta !== 'object' || delta === null) return
  for (const [key, member] of Object.entries(delta)) {
    if (key !== '_t') walk(member, path === '' ? key.replace(/^_/, '') : `${path}.${key.replace(/^_/, '')}`, found)
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text
}
