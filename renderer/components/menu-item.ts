/** A menu item. */
export interface MenuItem {
  readonly id: string
  readonly label: string
  readonly run: () => void
  /** Has a separator above it. */
  readonly hasSeparator?: boolean
  /** Name of the group of items that it belongs to; items of one group follow each other. */
  readonly group?: string
  /** It deletes, or can't be undone. */
  readonly isDestructive?: boolean
  /** Why it cannot be chosen; it stays visible and can have the focus. */
  readonly unavailableReason?: string
  /** What it is found by, besides its label. */
  readonly detail?: string
}

/** Items that stand together in a menu. */
interface MenuSection {
  /** Empty if they have no group. */
  readonly name: string
  readonly hasSeparator: boolean
  readonly items: readonly MenuItem[]
}

/** Items cut into sections: where the group changes, and above each that has a separator. */
export function groupMenuItems(items: readonly MenuItem[]): readonly MenuSection[] {
  const sections: { name: string; hasSeparator: boolean; items: MenuItem[] }[] = []
  for (const item of items) {
    const { group: name = '', hasSeparator = false } = item
    const last = sections.at(-1)
    if (last && last.name === name && !hasSeparator) last.items.push(item)
    else sections.push({ name, hasSeparator, items: [item] })
  }
  return sections
}
