import { createRefusedError } from '../../errors.ts'

/**
 * Whether a path could lead outside its folder. Such a path is absolute, or has a drive, a
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
 * Whether every host reads a value as a single path segment. The value has no dots, slashes,
 * backslashes, parameters or control characters, even if it is decoded again or normalised.
 */
export function isPlainSegment(value: string): boolean {
  const isStrange = (text: string): boolean =>
    canEscapeFolder(text) || text.includes('/') || /[;\u0080-\u009f]/.test(text)
  // Some servers decode twice, and some normalise, so `%252e` and a full-width dot must not become
  // a dot.
  for (let text = value, round = 0; round < 4; round += 1) {
    if (isStrange(text) || isStrange(text.normalize('NFKC'))) return false
    const next = decodePercent(text)
    if (next === text) return true
    text = next
  }
  return false
}

const placeholder = /\{[^{}]+\}/g

/** Matches whole paths without a query; the groups are the raw values of the placeholders. */
export const createTemplatePattern = (template: string): RegExp =>
  new RegExp(
    `^${template
      .split(placeholder)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('([^/]+)')}$`,
  )

export const listPlaceholders = (template: string): readonly string[] =>
  [...template.matchAll(placeholder)].map(([name]) => name.slice(1, -1))

/**
 * Counts the characters outside placeholders. Of several templates that match a path, the one with
 * the most is meant.
 */
export const countLiteralChars = (template: string): number => template.replace(placeholder, '').length

/** Returns malformed text unchanged. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Finds the placeholders that are still in a path; such a path cannot be sent. */
export const findUnfilledPlaceholders = (path: string): readonly string[] =>
  [...(path.split('?', 1)[0] ?? '').matchAll(/(?<!\{)\{([A-Za-z_]\w*)\}(?!\})/g)].map(([, name = '']) => name)

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
