import { createRefusedError } from '../../errors.ts'

/**
 * True for a path that could lead outside its folder. Such a path is absolute, or has a drive, a
 * backslash, a control character, or a segment that is `.`, `..` or empty. A host may decode more
 * than once, so a path that decodes to such a path counts as well.
 */
export function canEscapeFolder(path: string): boolean {
  let text = path
  for (let round = 0; round < 4; round += 1) {
    if (isOutside(text)) return true
    const next = decodePercent(text)
    if (next === text) return false
    text = next
  }
  return true
}

function isOutside(path: string): boolean {
  if (/[\\\u0000-\u001f\u007f]|^[A-Za-z]:/.test(path)) return true
  return path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')
}

/**
 * True if every host reads a value as a single path segment. The value has no dots, slashes,
 * backslashes, parameters or control characters, even if it is decoded again or normalised.
 */
export function isPlainSegment(value: string): boolean {
  const isStrange = (text: string): boolean =>
    canEscapeFolder(text) || text.includes('/') || /[;\u0080-\u009f]/.test(text)
  // Servers decode twice or normalise, so `%252e` and a full-width dot must not become a dot.
  for (let text = value, round = 0; round < 4; round += 1) {
    if (isStrange(text) || isStrange(text.normalize('NFKC'))) return false
    const next = decodePercent(text)
    if (next === text) return true
    text = next
  }
  return false
}

const placeholder = /\{[^{}/]+\}/g

/**
 * Matches whole paths without a query. A template may be foreign text, such as a host's list of
 * routes, so it becomes no regular expression: segments are compared in linear time.
 */
export class PathTemplate {
  /** Literal texts of each segment; a placeholder lies between two of them. */
  readonly #segments: readonly (readonly string[])[]
  readonly #isOpenEnded: boolean

  /** With `isOpenEnded`, any text may follow the end of the template. */
  constructor(template: string, { isOpenEnded = false } = {}) {
    this.#segments = template.split('/').map((segment) => segment.split(placeholder))
    this.#isOpenEnded = isOpenEnded
  }

  /** Raw values of the placeholders; null without a match. A `path` split before is split once. */
  match(path: string | readonly string[]): readonly string[] | null {
    const segments = typeof path === 'string' ? path.split('/') : path
    const last = this.#segments.length - 1
    if (this.#isOpenEnded ? segments.length <= last : segments.length !== last + 1) return null
    const values: string[] = []
    for (const [index, literals] of this.#segments.entries()) {
      const isPrefix = this.#isOpenEnded && index === last
      if (!matchSegment(literals, segments[index] ?? '', isPrefix, values)) return null
    }
    return values
  }
}

/**
 * Each placeholder stands for at least one character. Each literal text is taken at the first place
 * where it can stand, the last one at the end, so nothing is tried twice.
 * @param values receives the values of the placeholders
 */
function matchSegment(literals: readonly string[], segment: string, isPrefix: boolean, values: string[]): boolean {
  const [first = '', ...others] = literals
  if (others.length === 0) return isPrefix ? segment.startsWith(first) : segment === first
  if (!segment.startsWith(first)) return false
  let offset = first.length
  for (const [index, literal] of others.entries()) {
    const isLast = index === others.length - 1
    const start = isLast && !isPrefix ? segment.length - literal.length : segment.indexOf(literal, offset + 1)
    if (start <= offset || !segment.startsWith(literal, start)) return false
    const end = isLast && isPrefix && literal === '' ? segment.length : start
    values.push(segment.slice(offset, end))
    offset = start + literal.length
  }
  return true
}

/** Like `PathTemplate.match`, for a template that is used once. */
export function matchPathTemplate(template: string, path: string): readonly string[] | null {
  return new PathTemplate(template).match(path)
}

export function listPlaceholders(template: string): readonly string[] {
  return [...template.matchAll(placeholder)].map(([name]) => name.slice(1, -1))
}

/** Counts those outside placeholders. Of matching templates, the one with the most is meant. */
export function countLiteralChars(template: string): number {
  return template.replace(placeholder, '').length
}

/** Returns malformed text unchanged. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Finds the placeholders that are still in a path; such a path cannot be sent. */
export function findUnfilledPlaceholders(path: string): readonly string[] {
  return [...(path.split('?', 1)[0] ?? '').matchAll(/(?<!\{)\{([A-Za-z_]\w*)\}(?!\})/g)].map(([, name = '']) => name)
}

/** @throws PARAM_MISSING with the name of the first placeholder that is still in the path */
export function assertPlaceholdersFilled(path: string): void {
  const [name] = findUnfilledPlaceholders(path)
  if (name === undefined) return
  throw createRefusedError(
    'PARAM_MISSING',
    `{${name}} in the path stands for a value. Put one there. Nothing was sent.`,
    { name },
  )
}
