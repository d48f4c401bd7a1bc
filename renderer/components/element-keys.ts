export interface ElementKeyGroup {
  readonly groupKey: string
  readonly keys: readonly {
    /** Bindings in the notation of tinykeys that belong to one title. */
    readonly bindings: readonly string[]
    readonly titleKey: string
  }[]
}

/** These keys work in the tree and in the map. */
const CARD_KEYS: ElementKeyGroup['keys'] = [
  { bindings: ['ArrowUp', 'ArrowDown'], titleKey: 'shortcuts.keys.move' },
  { bindings: ['ArrowRight'], titleKey: 'shortcuts.keys.expand' },
  { bindings: ['ArrowLeft'], titleKey: 'shortcuts.keys.collapse' },
  { bindings: ['*'], titleKey: 'shortcuts.keys.expandSiblings' },
  { bindings: ['PageUp', 'PageDown'], titleKey: 'shortcuts.keys.page' },
  { bindings: ['Home', 'End'], titleKey: 'shortcuts.keys.ends' },
  { bindings: ['Enter'], titleKey: 'shortcuts.keys.open' },
  { bindings: ['Space'], titleKey: 'shortcuts.keys.select' },
  { bindings: ['F2'], titleKey: 'shortcuts.keys.rename' },
  { bindings: ['ContextMenu', 'Shift+F10'], titleKey: 'shortcuts.keys.menu' },
]

/**
 * The keys that an element handles itself while it has the focus. They follow the patterns of
 * WAI-ARIA and cannot be changed. A test compares them with the handlers.
 */
export const elementKeyGroups: readonly ElementKeyGroup[] = [
  {
    groupKey: 'shortcuts.group.tree',
    keys: CARD_KEYS,
  },
  {
    groupKey: 'shortcuts.group.map',
    keys: [
      ...CARD_KEYS,
      { bindings: ['+', '-'], titleKey: 'shortcuts.keys.zoom' },
      { bindings: ['0'], titleKey: 'shortcuts.keys.actual' },
      { bindings: ['F'], titleKey: 'shortcuts.keys.fit' },
      { bindings: ['N'], titleKey: 'shortcuts.keys.nearest' },
      { bindings: ['T'], titleKey: 'shortcuts.keys.showTree' },
    ],
  },
  {
    groupKey: 'shortcuts.group.table',
    keys: [
      { bindings: ['ArrowUp', 'ArrowDown'], titleKey: 'shortcuts.keys.move' },
      { bindings: ['PageUp', 'PageDown'], titleKey: 'shortcuts.keys.page' },
      { bindings: ['Home', 'End'], titleKey: 'shortcuts.keys.ends' },
      { bindings: ['Enter'], titleKey: 'shortcuts.keys.open' },
      { bindings: ['Space'], titleKey: 'shortcuts.keys.select' },
      { bindings: ['Shift+ArrowUp', 'Shift+ArrowDown'], titleKey: 'shortcuts.keys.extend' },
      { bindings: ['$mod+Space'], titleKey: 'shortcuts.keys.toggle' },
      { bindings: ['Escape'], titleKey: 'shortcuts.keys.clear' },
      { bindings: ['ContextMenu', 'Shift+F10'], titleKey: 'shortcuts.keys.menu' },
      { bindings: ['Shift+ArrowLeft', 'Shift+ArrowRight'], titleKey: 'shortcuts.keys.column' },
    ],
  },
  {
    groupKey: 'shortcuts.group.search',
    keys: [
      { bindings: ['$mod+F'], titleKey: 'shortcuts.keys.find' },
      { bindings: ['Escape'], titleKey: 'shortcuts.keys.clearText' },
      { bindings: ['Enter', 'F3'], titleKey: 'shortcuts.keys.matches' },
    ],
  },
  {
    groupKey: 'shortcuts.group.menu',
    keys: [
      { bindings: ['ArrowUp', 'ArrowDown'], titleKey: 'shortcuts.keys.move' },
      { bindings: ['Home', 'End'], titleKey: 'shortcuts.keys.ends' },
      { bindings: ['Enter'], titleKey: 'shortcuts.keys.choose' },
      { bindings: ['Escape'], titleKey: 'shortcuts.keys.close' },
    ],
  },
  {
    groupKey: 'shortcuts.group.tabs',
    keys: [
      { bindings: ['ArrowLeft', 'ArrowRight'], titleKey: 'shortcuts.keys.move' },
      { bindings: ['Home', 'End'], titleKey: 'shortcuts.keys.ends' },
    ],
  },
  {
    groupKey: 'shortcuts.group.divider',
    keys: [
      { bindings: ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'], titleKey: 'shortcuts.keys.resize' },
      { bindings: ['Home', 'End'], titleKey: 'shortcuts.keys.limits' },
      { bindings: ['Enter'], titleKey: 'shortcuts.keys.reset' },
    ],
  },
  {
    groupKey: 'shortcuts.group.media',
    keys: [
      { bindings: ['+', '-'], titleKey: 'shortcuts.keys.zoom' },
      { bindings: ['0'], titleKey: 'shortcuts.keys.fit' },
      { bindings: ['1'], titleKey: 'shortcuts.keys.actual' },
      { bindings: ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'], titleKey: 'shortcuts.keys.pan' },
      { bindings: ['PageUp', 'PageDown'], titleKey: 'shortcuts.keys.page' },
      { bindings: ['Home', 'End'], titleKey: 'shortcuts.keys.ends' },
      { bindings: ['Enter'], titleKey: 'shortcuts.keys.jump' },
    ],
  },
  {
    groupKey: 'shortcuts.group.time',
    keys: [
      { bindings: ['ArrowLeft', 'ArrowRight'], titleKey: 'shortcuts.keys.edge' },
      { bindings: ['Shift+ArrowLeft', 'Shift+ArrowRight'], titleKey: 'shortcuts.keys.edgeFast' },
      { bindings: ['Home', 'End'], titleKey: 'shortcuts.keys.limits' },
      { bindings: ['Escape'], titleKey: 'shortcuts.keys.whole' },
    ],
  },
  {
    groupKey: 'shortcuts.group.timeline',
    keys: [
      { bindings: ['ArrowLeft', 'ArrowRight'], titleKey: 'shortcuts.keys.span' },
      { bindings: ['Shift+ArrowLeft', 'Shift+ArrowRight'], titleKey: 'shortcuts.keys.spanEnd' },
      { bindings: ['Escape'], titleKey: 'shortcuts.keys.whole' },
    ],
  },
  {
    groupKey: 'shortcuts.group.panel',
    keys: [
      { bindings: ['Alt+ArrowUp', 'Alt+ArrowDown'], titleKey: 'shortcuts.keys.rule' },
      { bindings: ['Escape'], titleKey: 'shortcuts.keys.closeDetail' },
    ],
  },
]
