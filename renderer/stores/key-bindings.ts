import { parseKeybinding } from 'tinykeys'

/** Where tinykeys splits a press: not before a key that is itself a plus. */
const SEPARATOR = /(?<=\w|\])\+/

/** Whether tinykeys understands this binding. */
export function isKeyBinding(keys: string): boolean {
  if (keys.trim() === '') return false
  try {
    return parseKeybinding(keys).every(([, , key]) => key !== '')
  } catch {
    return false
  }
}

/** A binding with a modifier other than Shift is not typing, so it works in a text field too. */
export function isUsableWhileTyping(keys: string): boolean {
  return /(^|[\s+[])(\$mod|Control|Alt|Meta)\+/.test(keys) || /^F\d{1,2}$/.test(keys)
}

/** One spelling for comparison: `$mod+k` and `$mod+K` are the same. */
function normal(keys: string): string {
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

/** Actions that can't both be reached: the same keys, or keys that start another's sequence. By action id. */
export function findBindingConflicts(bindings: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const entries = [...bindings].map(([id, keys]) => ({ id, keys: normal(keys) }))
  const clash = (a: string, b: string): boolean => a === b || a.startsWith(`${b} `) || b.startsWith(`${a} `)
  return new Map(
    entries
      .map(({ id, keys }) => [id, entries.filter((o) => o.id !== id && clash(o.keys, keys)).map((o) => o.id)] as const)
      .filter(([, others]) => others.length > 0),
  )
}

/** The binding of a pressed key in tinykeys notation, or null while only modifiers are down. */
export function toKeyBinding(event: KeyboardEvent, mac: boolean): string | null {
  if (['Control', 'Shift', 'Alt', 'Meta', 'AltGraph', 'Dead', 'Process'].includes(event.key)) return null
  const modifiers: string[] = []
  if (mac ? event.metaKey : event.ctrlKey) modifiers.push('$mod')
  if (mac && event.ctrlKey) modifiers.push('Control')
  if (!mac && event.metaKey) modifiers.push('Meta')
  if (event.altKey) modifiers.push('Alt')
  // A character like `?` is already the result of Shift, and other keyboards have it elsewhere; a letter is not.
  const isSign = event.key.length === 1 && event.key !== ' ' && !/[a-z]/i.test(event.key)
  if (event.shiftKey) modifiers.push(isSign ? '[Shift]' : 'Shift')
  const key = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toUpperCase() : event.key
  return [...modifiers, key].join('+')
}
