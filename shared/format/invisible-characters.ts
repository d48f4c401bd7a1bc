/** A terminal interprets these characters. Tab and line feed are not among them. */
const CONTROL_RANGE = String.raw`\u0000-\u0008\u000b-\u001f\u007f-\u009f`

/** Format characters, fillers such as U+3164, Braille blank, line separators, lone surrogates. */
const INVISIBLE_RANGE = String.raw`\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u2800\u{1d159}`

const invisible = new RegExp(`[${INVISIBLE_RANGE}]`, 'gu')
const invisibleOrControl = new RegExp(`[${CONTROL_RANGE}${INVISIBLE_RANGE}]`, 'gu')
/** In a name, other kinds of spaces and line feeds are misleading as well. */
const invisibleInName = new RegExp(`[${CONTROL_RANGE}\\t\\n${INVISIBLE_RANGE}]|(?! )\\p{Zs}`, 'gu')

/** Can be combined into other `RegExp`s. */
export const invisibleCharacters: RegExp = invisible

/** Formats a character as its code, `⟨U+202E⟩`. */
export function toCodePointName(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
}

/** Shows codes. Joiners and selectors that belong to an emoji or a script stay. */
export function revealInvisible(text: string): string {
  return replaceInvisible(text, invisible, toCodePointName)
}

/** Replaces control and invisible characters by JSON escapes, so JSON text keeps its value. */
export function escapeInvisible(text: string): string {
  return replaceInvisible(text, invisibleOrControl, toJsonEscape)
}

const toJsonEscape = (character: string): string =>
  Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('')

const replaceInvisible = (text: string, pattern: RegExp, escape: (character: string) => string): string =>
  text.replace(pattern, (character, offset: number) =>
    isPartOfGlyph(character, text, offset) ? character : escape(character),
  )

const isJoiner = /[\u200c\u200d]/
const isSelector = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u
const endsWithEmoji = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]*$/u
const endsWithSelectable = /[\p{Extended_Pictographic}\p{Script=Han}\d#*]$/u
/** Scripts in which a joiner between two letters changes their shape. */
const joiningLetter =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}]$/u

/** True for a joiner or selector in a composed emoji, or between letters that it joins. */
function isPartOfGlyph(character: string, text: string, offset: number): boolean {
  if (isSelector.test(character)) return endsWithSelectable.test(text.slice(Math.max(0, offset - 2), offset))
  if (!isJoiner.test(character)) return false
  const before = text.slice(Math.max(0, offset - 6), offset)
  const after = String.fromCodePoint(text.codePointAt(offset + 1) ?? 0)
  if (endsWithEmoji.test(before)) return /\p{Extended_Pictographic}/u.test(after)
  return joiningLetter.test(before) && joiningLetter.test(after)
}

/** One line of `maxChars` with codes for invisible characters; empty for spaces only. */
export function toVisibleName(text: string, maxChars = 60): string {
  const line = text.replace(/[ \t\r\n]+/g, ' ').trim()
  const pieces: string[] = []
  let length = 0
  // Works by character, so that neither a surrogate pair nor a code is cut in two.
  for (const character of line) {
    const piece = character.replace(invisibleInName, toCodePointName)
    if (length + piece.length > maxChars) {
      while (length >= maxChars) length -= pieces.pop()?.length ?? length
      return `${pieces.join('')}…`
    }
    pieces.push(piece)
    length += piece.length
  }
  return pieces.join('')
}
