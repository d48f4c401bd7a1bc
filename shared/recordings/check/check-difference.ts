/**
 * How a response differs from the recorded one. `type`, `missing` and `extra` concern the shape,
 * that is members of objects; what differs in number, order or content is `value` or `order`.
 */
export const checkDifferenceKinds = [
  'status',
  'media-type',
  'bytes',
  'type',
  'missing',
  'extra',
  'value',
  'order',
] as const
export type CheckDifferenceKind = (typeof checkDifferenceKinds)[number]

export interface CheckDifference {
  readonly kind: CheckDifferenceKind
  /** JSON pointer in the body; empty for the response as a whole. */
  readonly pointer: string
  /** JSON text, truncated if long; null where there is no value. */
  readonly expected: string | null
  readonly actual: string | null
}

export interface CheckDifferences {
  readonly differences: readonly CheckDifference[]
  /** Number of all differences, including those that are not listed. */
  readonly total: number
}
