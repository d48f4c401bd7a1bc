/** One fact of a thing. `id` shows it in mono with a copy button; without a value it is left out. */
export interface Fact {
  readonly key: string
  readonly label: string
  readonly value: string | number | null | undefined
  readonly id?: boolean
}
