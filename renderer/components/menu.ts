/** A menu item. */
export interface MenuItem {
  readonly id: string
  readonly label: string
  readonly run: () => void
  /** Has a separator above it. */
  readonly separated?: boolean
  /** Name of the group of items that it belongs to; items of one group follow each other. */
  readonly group?: string
  /** It deletes, or can't be undone. */
  readonly danger?: boolean
  /** Why it cannot be chosen; it stays visible and can have the focus. */
  readonly unavailable?: string
  /** What it is found by, besides its label. */
  readonly detail?: string
}

/** Items that stand together in a menu. */
interface MenuSection {
  /** Empty if they have no group. */
  readonly name: string
  readonly separated: boolean
  readonly items: readonly MenuItem[]
}

/** Items cut into sections: where the group changes, and above each that is separated. */
export function sectionsOf(items: readonly MenuItem[]): readonly MenuSection[] {
  const sections: { name: string; separated: boolean; items: MenuItem[] }[] = []
  for (const item of items) {
    const { group: name = '', separated = false } = item
    const last = sections.at(-1)
    if (last && last.name === name && !separated) last.items.push(item)
    else sections.push({ name, separated, items: [item] })
  }
  return sections
}
