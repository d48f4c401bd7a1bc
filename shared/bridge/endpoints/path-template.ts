import { createRefusedError } from '../../errors.ts'

/**
 * Whether a path could lead outside its folder: it is absolute, or has a drive, a backslash, a
 * control character, or a segment that is `.`, `..` or empty. A host may decode more than once, so
 * a path that decodes to such a path counts as well.
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
 * Whether every host reads a value as one segment of a path: it has no dots, slashes, backslashes,
 * parameters or controls, even if it is decoded again or written in another normal form.
 */
export function isPlainSegment(value: string): boolean {
  const isStrange = (text: string): boolean =>
    canEscapeFolder(text) || text.includes('/') || /[;\u0080-\u009f]/.test(text)
  // Some servers decode twice, and some normalise: `%252e` and a full-width dot must not become
  // one.
  for (let text = value, round = 0; round < 4; round += 1) {
    if (isStrange(text) || isStrange(text.normalize('NFKC'))) return false
    const next = decodePercent(text)
    if (next === text) return true
    text = next
  }
  return false
}

const placeholder = /\{[^{}]+\}/g

/**
 * Creates a pattern for whole paths without a query; its groups are the raw values of the
 * placeholders.
 */
export const createTemplatePattern = (template: string): RegExp =>
  new RegExp(
    `^${template
      .split(placeholder)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('([^/]+)')}$`,
  )

/** Returns the names of a template's placeholders in order. */
export const listPlaceholders = (template: string): readonly string[] =>
  [...template.matchAll(placeholder)].map(([name]) => name.slice(1, -1))

/**
 * Counts the literal characters. If several templates match a path, the one with the most is meant.
 */
export const countLiteralChars = (template: string): number => template.replace(placeholder, '').length

/** Decodes percent-encoding; returns the text unchanged if it is malformed. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the names of placeholders that remain in a path, which therefore cannot be sent. */
export const findUnfilledPlaceholders = (path: string): readonly string[] =>
  [...(path.split('?', 1)[0] ?? '').matchAll(/(?<!\{)\{([A-Za-z_]\w*)\}(?!\})/g)].map(([, name = '']) => name)

/** @throws PARAM_MISSING with the name of the first placeholder that still stands in the path */
export function assertPlaceholdersFilled(path: string): void {
  const [name] = findUnfilledPlaceholders(path)
  if (name === undefined) return
  throw createRefusedError(
    'PARAM_MISSING',
    `{${name}} in the path stands for a value. Put one there. Nothing was sent.`,
    { name },
  )
}
