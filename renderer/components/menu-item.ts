export interface MenuItem {
  readonly id: string
  readonly label: string
  readonly run: () => void
  /** True for a separator above the item. */
  readonly hasSeparator?: boolean
  /** Names the group of the item; items of a group must be adjacent. */
  readonly group?: string
  /** True if the action deletes something or cannot be undone; the label is red then. */
  readonly isDestructive?: boolean
  /** Tells why the item cannot be chosen; it stays visible and can have the focus. */
  readonly unavailableReason?: string
  /** The menu's filter searches this text as well as the label. */
  readonly detail?: string
}

/** Adjacent items of a menu that belong to one group. */
interface MenuSection {
  /** Empty for items without a group. */
  readonly name: string
  readonly hasSeparator: boolean
  readonly items: readonly MenuItem[]
}

/** Splits items into sections: where the group changes, and above each item with a separator. */
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
