/** The members of a key press that decide which shortcut is meant. */
interface KeyPress {
  readonly key: string
  readonly code: string
  readonly shiftKey?: boolean
  /** The virtual key, which the layout decides; 0 if unknown. */
  readonly keyCode?: number
}

const NON_ASCII = /[^\0-\x7f]/
const ASCII_SIGN = /^[!-/:-@[-`{-~]$/
/** The virtual key of each press that an input method handles (UI Events, §7.1). */
const INPUT_METHOD_KEY_CODE = 229

/**
 * Returns the key that a shortcut names. A layout that types another script has the letters of
 * shortcuts at the places of a US keyboard; a Latin layout, such as Dvorak, has them where it types
 * them.
 */
export function getShortcutKey({ key, code, shiftKey = false, keyCode = 0 }: KeyPress): string {
  const [, letter, digit] = /^(?:Key([A-Z])|Digit(\d))$/.exec(code) ?? []
  if (NON_ASCII.test(key)) return letter?.toLowerCase() ?? digit ?? (code === 'Slash' && shiftKey ? '?' : key)
  // Signs at places of letters: Hebrew, Greek, Dvorak. Only in the first is the key the letter.
  const isLetterPlace = letter !== undefined && keyCode === letter.charCodeAt(0)
  return isLetterPlace && ASCII_SIGN.test(key) ? letter.toLowerCase() : key
}

/** True if an input method or a dead key makes a character of the press. */
export function isComposing(press: KeyPress & { readonly isComposing: boolean }): boolean {
  const { key, keyCode } = press
  return press.isComposing || keyCode === INPUT_METHOD_KEY_CODE || key === 'Dead' || key === 'Process'
}

interface ModifiedPress {
  readonly ctrlKey: boolean
  readonly altKey: boolean
  getModifierState(key: string): boolean
}

/** True if AltGr selects the character of the press. Firefox on macOS reports Option as AltGr. */
export function isTypedWithAltGr(press: ModifiedPress): boolean {
  return press.getModifierState('AltGraph') && (press.ctrlKey || !press.altKey)
}
