/** A menu item. */
export interface MenuItem {
  readonly id: string
  readonly label: string
  readonly run: () => void
  /** Has a separator above it. */
  readonly separated?: boolean
}
