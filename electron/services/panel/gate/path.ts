import { isPlainSegment } from '../../../../shared/bridge/endpoints/path-template.ts'

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
  try {
    const segment = decodeURIComponent(written)
    return isPlainSegment(segment) ? segment : null
  } catch {
    return null
  }
}
