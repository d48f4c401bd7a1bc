export interface MenuItem {
  readonly id: string
  readonly label: string
  readonly run: () => void
  /** True for a separator above the item. */
  readonly hasSeparator?: boolean
  /** Name of the group. Items of a group must be adjacent. */
  readonly group?: string
  /** True if the action deletes data or cannot be undone. The label is then red. */
  readonly isDestructive?: boolean
  /** Makes the item a choice among the others; true for the current one. */
  readonly isCurrent?: boolean
  /** Reason why the item cannot be chosen. The item stays visible and can have the focus. */
  readonly unavailableReason?: string
  /** The filter of a menu searches this text in addition to the label. */
  readonly detail?: string
}

/**
 * An item of the menu of a list's row. `run` may fail, and the list shows the error. `readText`
 * returns a text that is copied instead, and the list tells that it was copied.
 */
export type RowMenuItem = Omit<MenuItem, 'run'> &
  ({ readonly run: () => unknown } | { readonly readText: () => string | Promise<string> })

/** Not every system turns these keys into the event `contextmenu`. */
export function isMenuKey({ key, shiftKey }: KeyboardEvent): boolean {
  return key === 'ContextMenu' || (shiftKey && key === 'F10')
}

/** Adjacent items of a menu that belong to one group. */
interface MenuSection {
  /** Empty for items without a group. */
  readonly name: string
  readonly hasSeparator: boolean
  readonly items: readonly MenuItem[]
}

/** A section begins where the group changes, and at each item with a separator. */
export function groupMenuItems(items: readonly MenuItem[]): readonly MenuSection[] {
  const sections: { name: string; hasSeparator: boolean; items: MenuItem[] }[] = []
  for (const item of items) {
    const { group = '', hasSeparator = false } = item
    const last = sections.at(-1)
    if (last && last.name === group && !hasSeparator) last.items.push(item)
    else sections.push({ name: group, hasSeparator, items: [item] })
  }
  return sections
}
