export interface MenuItem {
  readonly id: string
  readonly label: string
  readonly run: () => void
  /** Has a separator above it. */
  readonly hasSeparator?: boolean
  /** Name of its group; items of a group are adjacent. */
  readonly group?: string
  /** It deletes something or cannot be undone. */
  readonly isDestructive?: boolean
  /** Why it cannot be chosen; it stays visible and can have the focus. */
  readonly unavailableReason?: string
  /** Text that the search finds it by, besides its label. */
  readonly detail?: string
}

/** Adjacent items of a menu. */
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
