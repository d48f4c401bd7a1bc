/** One line of a menu. */
export interface MenuItem {
  readonly id: string
  readonly label: string
  readonly run: () => void
  /** A line stands above it. */
  readonly separated?: boolean
}
