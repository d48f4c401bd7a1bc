/** A fact about something. `isId` adds a copy button; a fact without a value is not shown. */
export interface Fact {
  readonly key: string
  readonly label: string
  readonly value: string | number | null | undefined
  readonly isId?: boolean
}
