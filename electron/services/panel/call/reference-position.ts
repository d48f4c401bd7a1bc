import type { SourcePosition } from '../../../../shared/traffic/call-initiator.ts'

/** Files with more characters are not searched. */
const MAX_SEARCHED_CHARS = 2 * 1024 * 1024
const MAX_OCCURRENCES = 2_000
const MAX_ADDRESS_CHARS = 2_000
const MAX_CONTEXT_CHARS = 400

/** Stands before an address that an element, a style or a module loads. */
const MARKUP_CONTEXT = /\s(?:src|href|poster|data)\s*=\s*["']?$|\ssrcset\s*=\s*["'][^"']*$/i
const STYLE_CONTEXT = /\burl\(\s*["']?$|@import\s+["']$/i
const IMPORT_CONTEXT = /(?:\bfrom|\bimport)\s*["']$|\bimport\s*\(\s*["'`]$/
/** An import whose address is computed, so that it may be any. */
const COMPUTED_IMPORT = /\bimport\s*\(\s*(?!["'])/

/**
 * Finds the place in a file of the panel that makes the browser load an address.
 * @param file path with query of the file on the panel's origin
 * @param address path with query of what is loaded, as the browser requests it
 * @returns null unless the file names the address exactly once, in an attribute, a style or an
 *   import
 */
export function findReferencePosition(text: string, file: string, address: string): SourcePosition | null {
  if (text.length > MAX_SEARCHED_CHARS) return null
  const isMarkup = text.trimStart().startsWith('<')
  const name = address.split('?', 1)[0]?.split('/').at(-1) ?? ''
  if (name === '') return null
  let foundIndex: number | null = null
  let count = 0
  for (let index = text.indexOf(name); index >= 0; index = text.indexOf(name, index + name.length)) {
    count += 1
    if (count > MAX_OCCURRENCES) return null
    const range = findAddressRange(text, index)
    if (resolveAddress(text.slice(...range), file) !== address) continue
    if (foundIndex !== null) return null
    foundIndex = range[0]
  }
  if (foundIndex === null || isInComment(text, foundIndex)) return null
  const context = text.slice(Math.max(0, foundIndex - MAX_CONTEXT_CHARS), foundIndex)
  const isImport = IMPORT_CONTEXT.test(context)
  if (isImport && COMPUTED_IMPORT.test(text)) return null
  if (!isImport && !STYLE_CONTEXT.test(context) && !(isMarkup && MARKUP_CONTEXT.test(context))) return null
  const before = text.slice(0, foundIndex)
  return { file, line: before.split('\n').length, column: foundIndex - before.lastIndexOf('\n') }
}

/** Returns the start and the end of the address around an index, without quotes. */
function findAddressRange(text: string, index: number): readonly [start: number, end: number] {
  let start = index
  while (start > 0 && index - start < MAX_ADDRESS_CHARS && !/[\s"'`(<>=,]/.test(text[start - 1] ?? '')) start -= 1
  let end = index
  while (end < text.length && end - index < MAX_ADDRESS_CHARS && !/[\s"'`)<>]/.test(text[end] ?? '')) end += 1
  while (end > start && text[end - 1] === ',') end -= 1
  return [start, end]
}

function resolveAddress(text: string, file: string): string | null {
  const base = `http://panel.invalid${file}`
  const address = text.replaceAll('&amp;', '&')
  if (!URL.canParse(address, base)) return null
  const { origin, pathname, search } = new URL(address, base)
  return origin === 'http://panel.invalid' ? pathname + search : null
}

function isInComment(text: string, index: number): boolean {
  const isOpen = (opening: string, closing: string): boolean =>
    text.lastIndexOf(opening, index) > text.lastIndexOf(closing, index)
  const line = text.slice(text.lastIndexOf('\n', index - 1) + 1, index)
  return isOpen('<!--', '-->') || isOpen('/*', '*/') || /(?:^|[^:"'`(])\/\//.test(line)
}
