import { z } from 'zod'
import { schemaDifferenceSchema } from '../contract/schema-difference.ts'
import { responseCountSchema, jsonSchemaSchema } from '../contract/json-schema.ts'
import {
  learnedFilterSchema,
  schemaExportFormats,
  schemaSideSchema,
  type LearnedFilter,
  type SchemaSide,
} from '../contract/schema-choice.ts'
import { defineQueryMethod } from './method-definition.ts'

export { schemaExportFormats, schemaSideSchema }
export type { LearnedFilter, SchemaSide }

export const MAX_LISTED_DIFFERENCES = 2_000

const learnedRouteSchema = z.strictObject({
  method: z.string(),
  template: z.string(),
  /** Id of the endpoint; null if the contract has no such route. */
  endpoint: z.string().nullable(),
  /** Recorded responses from which the shapes come. */
  successes: responseCountSchema,
  errors: responseCountSchema,
})
export type LearnedRoute = z.infer<typeof learnedRouteSchema>

export const contractSchemaMethods = {
  /** Lists the routes of which responses were recorded, and what the filter may choose from. */
  'contract.learned': defineQueryMethod(
    z.strictObject({ filter: learnedFilterSchema }),
    z.strictObject({
      routes: z.array(learnedRouteSchema),
      hosts: z.array(z.string()),
      /** Versions that a host reported; responses before its first report have none. */
      versions: z.array(z.string()),
      /** First and last day with a recorded response; null if there is none. */
      days: z.strictObject({ first: z.string(), last: z.string() }).nullable(),
    }),
  ),
  /** Returns the shapes of one route. They are null if no such response was recorded. */
  'contract.learnedShape': defineQueryMethod(
    z.strictObject({ filter: learnedFilterSchema, method: z.string().max(20), template: z.string().max(2_000) }),
    z.strictObject({ success: jsonSchemaSchema.nullable(), error: jsonSchemaSchema.nullable() }),
  ),
  /** Without `examples`, the file has no recorded values except words of an enumeration. */
  'contract.export': defineQueryMethod(
    z.strictObject({ format: z.enum(schemaExportFormats), side: schemaSideSchema, examples: z.boolean() }),
    z.strictObject({ text: z.string(), fileName: z.string(), mediaType: z.string() }),
  ),
  /** Lists the differences of two sides, the breaking ones first. */
  'contract.compare': defineQueryMethod(
    z.strictObject({ before: schemaSideSchema, after: schemaSideSchema }),
    z.strictObject({
      differences: z.array(schemaDifferenceSchema).max(MAX_LISTED_DIFFERENCES),
      /** Differences beyond those listed. */
      moreDifferences: z.number().int().nonnegative(),
    }),
  ),
}
