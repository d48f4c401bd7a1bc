const isMac = typeof navigator !== 'undefined' && /mac|iphone|ipad/i.test(navigator.platform)

const mac: Record<string, string> = { $mod: '⌘', Control: '⌃', Alt: '⌥', Shift: '⇧', Meta: '⌘' }
const other: Record<string, string> = { $mod: 'Ctrl', Control: 'Ctrl', Alt: 'Alt', Shift: 'Shift', Meta: 'Win' }
const named: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Enter: '↵',
  Slash: '/',
  Comma: ',',
}

/** A key binding (`$mod+Shift+K`, `g l`) as the key labels of this machine's keyboard, press by press. */
export function getKeyLabels(binding: string): string[][] {
  const modifiers = isMac ? mac : other
  return binding
    .trim()
    .split(/\s+/)
    .map((press) => {
      // Optional modifiers (`[Shift]+?`) are how a character is typed, not part of its name.
      const parts = press.split(/(?<=\w|\])\+/).filter((part) => !part.startsWith('['))
      return parts.map((part) => modifiers[part] ?? named[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    })
}

/** The same as a single text, for a tooltip. */
export function formatKeyBinding(binding: string): string {
  return getKeyLabels(binding)
    .map((press) => press.join(isMac ? '' : '+'))
    .join(' ')
}
