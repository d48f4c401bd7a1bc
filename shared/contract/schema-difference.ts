import { z } from 'zod'
import { compatibilityRuleIds, differenceConsequences } from './compatibility-rules.ts'

export const schemaDifferenceSchema = z.strictObject({
  method: z.string(),
  template: z.string(),
  part: z.enum(['route', 'parameters', 'body', 'response', 'error']),
  /** A step `*` stands for each element of a list, `{key}` for each key of a dictionary. */
  pointer: z.string(),
  /** The shape that differs, such as `kind=text`; null if there is only one. */
  variant: z.string().nullable(),
  rule: z.enum(compatibilityRuleIds),
  /** Short descriptions of both sides; empty where there is nothing. */
  before: z.string(),
  after: z.string(),
  isBreaking: z.boolean(),
  /** The consequence is for a caller that was written for the earlier side. */
  consequence: z.enum(differenceConsequences),
})
export type SchemaDifference = z.infer<typeof schemaDifferenceSchema>
