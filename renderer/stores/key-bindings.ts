import { parseKeybinding } from 'tinykeys'
import { getShortcutKey } from '../../shared/format/shortcut-key.ts'

/** tinykeys splits a binding at a plus, unless the plus is the key itself. */
const SEPARATOR = /(?<=\w|\])\+/

/** Returns true if tinykeys can parse this binding. */
export function isKeyBinding(keys: string): boolean {
  if (keys.trim() === '') return false
  try {
    return parseKeybinding(keys).every(([, , key]) => key !== '')
  } catch {
    return false
  }
}

/** A function key, or with a modifier other than Shift, so that it types no character. */
export function isUsableWhileTyping(keys: string): boolean {
  return /(^|[\s+[])(\$mod|Control|Alt|Meta)\+/.test(keys) || /^F\d{1,2}$/.test(keys)
}

/** Returns the same text for equal bindings, such as `$mod+k` and `$mod+K`. */
function normalizeBinding(keys: string): string {
  return keys
    .trim()
    .split(/\s+/)
    .map((press) => {
      const parts = press.split(SEPARATOR).filter((part) => !part.startsWith('['))
      const key = parts.pop() ?? ''
      return [...parts.map((part) => part.toLowerCase()).sort(), key.toLowerCase()].join('+')
    })
    .join(' ')
}

/**
 * Finds actions that conflict: both have the same keys, or the keys of one are the beginning of the
 * other's sequence. The result maps action ids to the ids of conflicting actions.
 */
export function findBindingConflicts(bindings: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const entries = [...bindings].map(([id, keys]) => ({ id, keys: normalizeBinding(keys) }))
  const isConflict = (a: string, b: string): boolean => a === b || a.startsWith(`${b} `) || b.startsWith(`${a} `)
  return new Map(
    entries
      .map(
        ({ id, keys }) =>
          [
            id,
            entries.filter((other) => other.id !== id && isConflict(other.keys, keys)).map((conflict) => conflict.id),
          ] as const,
      )
      .filter(([, others]) => others.length > 0),
  )
}

/** Returns tinykeys notation; null while only modifiers are pressed. */
export function toKeyBinding(event: KeyboardEvent, isMac: boolean): string | null {
  if (['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'Dead', 'Process'].includes(event.key)) return null
  const pressed = getShortcutKey(event)
  const modifiers: string[] = []
  if (isMac ? event.metaKey : event.ctrlKey) modifiers.push('$mod')
  if (isMac && event.ctrlKey) modifiers.push('Control')
  if (!isMac && event.metaKey) modifiers.push('Meta')
  if (event.altKey) modifiers.push('Alt')
  // A sign like `?` includes the effect of Shift, and its key differs between keyboards, so Shift
  // is optional for signs but not for letters.
  const isSign = pressed.length === 1 && pressed !== ' ' && !/[a-z]/i.test(pressed)
  if (event.shiftKey) modifiers.push(isSign ? '[Shift]' : 'Shift')
  const key = pressed === ' ' ? 'Space' : pressed.length === 1 ? pressed.toUpperCase() : pressed
  return [...modifiers, key].join('+')
}
