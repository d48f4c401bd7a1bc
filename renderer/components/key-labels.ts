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

/**
 * Returns the key labels of a binding (`$mod+Shift+K`, `g l`) on this machine's keyboard, press by
 * press.
 */
export function getKeyLabels(binding: string): string[][] {
  const modifiers = isMac ? macModifiers : otherModifiers
  return binding
    .trim()
    .split(/\s+/)
    .map((press) => {
      // Optional modifiers (`[Shift]+?`) are needed to type a character but are not part of its
      // label.
      const parts = press.split(/(?<=\w|\])\+/).filter((part) => !part.startsWith('['))
      return parts.map((part) => modifiers[part] ?? keyNames[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    })
}

/** The key labels of a binding as one text. */
export function formatKeyBinding(binding: string): string {
  return getKeyLabels(binding)
    .map((press) => press.join(isMac ? '' : '+'))
    .join(' ')
}
