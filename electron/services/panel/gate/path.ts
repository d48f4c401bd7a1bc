import { leadsOut } from '../../../../shared/bridge/relative-path.ts'

/** A path of a call in the one form in which it is judged and sent. */
export interface GatePath {
  /** Decoded segments; none is empty, `.` or `..`, or holds a slash in any spelling. */
  readonly segments: readonly string[]
  /** The segments encoded again: `/notes/N-1/render`. */
  readonly path: string
  /** With its question mark, as it was written; empty without one. */
  readonly query: string
}

const LONGEST = 8_000

/**
 * A path with query, relative to the base URL, taken apart; null for whatever a host could read in another way than it is judged here:
 * dots, double slashes, backslashes, `%2f`, `;` parameters, control characters, what decodes again to one of these or looks like one in
 * another normal form, fragments and absolute addresses. What is left is written in one way only, so that a host sees what was judged.
 */
export function gatePath(raw: string): GatePath | null {
  if (raw.length > LONGEST || !/^\/[\x21-\x7e]*$/.test(raw) || /[#\\<>"^`{|}]/.test(raw)) return null
  const at = raw.indexOf('?')
  const [bare, query] = at < 0 ? [raw, ''] : [raw.slice(0, at), raw.slice(at)]
  const segments: string[] = []
  for (const written of bare.slice(1).split('/')) {
    const segment = decodedSegment(written)
    if (segment === null) return null
    segments.push(segment)
  }
  return { segments, path: `/${segments.map(encodeURIComponent).join('/')}`, query }
}

function decodedSegment(written: string): string | null {
  let segment: string
  try {
    segment = decodeURIComponent(written)
  } catch {
    return null
  }
  // Some servers decode twice, and some normalise: `%252e` and a full-width dot must not become one.
  const isStrange = (text: string): boolean => leadsOut(text) || text.includes('/') || /[;\u0080-\u009f]/.test(text)
  for (let text = segment, round = 0; round < 4; round += 1) {
    if (isStrange(text) || isStrange(text.normalize('NFKC'))) return null
    const next = again(text)
    if (next === text) return segment
    text = next
  }
  return null
}

function again(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
