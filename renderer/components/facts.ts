/** One fact about something. `isId` shows it in monospace with a copy button; without a value it is omitted. */
export interface Fact {
  readonly key: string
  readonly label: string
  readonly value: string | number | null | undefined
  readonly isId?: boolean
}
