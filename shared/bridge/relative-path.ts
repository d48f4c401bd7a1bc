import { decoded } from './path-template.ts'

/**
 * Whether a path could lead outside its folder: absolute, with a drive, a backslash, a control character, or a segment that is `.`, `..`
 * or empty. A host may decode more than once, so a path that decodes to such a path counts as well.
 */
export function leadsOut(path: string): boolean {
  let text = path
  for (let round = 0; round < 4; round += 1) {
    if (isOutside(text)) return true
    const next = decoded(text)
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
 * Whether a value is one segment of a path however a host reads it: no dots, slashes, backslashes, parameters or controls, also not once it
 * is decoded again or written in another normal form.
 */
export function isPlainSegment(value: string): boolean {
  const isStrange = (text: string): boolean => leadsOut(text) || text.includes('/') || /[;\u0080-\u009f]/.test(text)
  // Some servers decode twice, and some normalise: `%252e` and a full-width dot must not become one.
  for (let text = value, round = 0; round < 4; round += 1) {
    if (isStrange(text) || isStrange(text.normalize('NFKC'))) return false
    const next = decoded(text)
    if (next === text) return true
    text = next
  }
  return false
}
