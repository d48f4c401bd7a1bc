/** A row of a `KeyValueList`. `isId` adds a copy button. A row without a value is not rendered. */
export interface Fact {
  readonly key: string
  readonly label: string
  readonly value: string | number | null | undefined
  readonly isId?: boolean
}
