import { z } from 'zod'

/**
 * How a response differs from the recorded one. `type`, `missing` and `extra` concern the shape,
 * that is members of objects; what differs in number, order or content is `value` or `order`.
 */
const kindSchema = z.enum(['status', 'media-type', 'bytes', 'type', 'missing', 'extra', 'value', 'order'])
export const checkDifferenceKinds = kindSchema.options
export type CheckDifferenceKind = z.infer<typeof kindSchema>

const checkDifferenceSchema = z.strictObject({
  kind: kindSchema,
  /** JSON pointer in the body; empty for the response as a whole. */
  pointer: z.string(),
  /** JSON text, truncated if long; null where there is no value. */
  expected: z.string().nullable(),
  actual: z.string().nullable(),
})
export type CheckDifference = z.infer<typeof checkDifferenceSchema>

export const checkDifferencesSchema = z.strictObject({
  differences: z.array(checkDifferenceSchema),
  /** Number of all differences, including those that are not listed. */
  total: z.number().int().nonnegative(),
})
export type CheckDifferences = z.infer<typeof checkDifferencesSchema>
