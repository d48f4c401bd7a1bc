const isMac = typeof navigator !== 'undefined' && /mac|iphone|ipad/i.test(navigator.platform)

const macModifiers: Record<string, string> = { $mod: '⌘', Control: '⌃', Alt: '⌥', Shift: '⇧', Meta: '⌘' }
const otherModifiers: Record<string, string> = {
  $mod: 'Ctrl',
  Control: 'Ctrl',
  Alt: 'Alt',
  Shift: 'Shift',
  Meta: 'Win',
}
const keyNames: Record<string, string> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  Enter: '↵',
  Slash: '/',
  Comma: ',',
}

/** Labels of each press of a binding (`$mod+Shift+K`, `g l`) on this operating system. */
export function getKeyLabels(binding: string): string[][] {
  const modifiers = isMac ? macModifiers : otherModifiers
  return binding
    .trim()
    .split(/\s+/)
    .map((press) => {
      // Optional modifiers (`[Shift]+?`) type a character, but are not shown.
      const parts = press.split(/(?<=\w|\])\+/).filter((part) => !part.startsWith('['))
      return parts.map((part) => modifiers[part] ?? keyNames[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    })
}

export function formatKeyBinding(binding: string): string {
  return getKeyLabels(binding)
    .map((press) => press.join(isMac ? '' : '+'))
    .join(' ')
}
