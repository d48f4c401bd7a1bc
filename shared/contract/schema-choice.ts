import { z } from 'zod'

const day = z.string().regex(/^\d{4}-\d\d-\d\d$/)

/** Which recorded responses count. A member of null counts all. */
export const learnedFilterSchema = z.strictObject({
  /** Base URL. */
  host: z.string().max(2_000).nullable(),
  /** Version that the host had reported by then. */
  version: z.string().max(200).nullable(),
  /** First and last day, by the local calendar: `2026-11-26`. */
  from: day.nullable(),
  to: day.nullable(),
})
export type LearnedFilter = z.infer<typeof learnedFilterSchema>

/** The contract alone, the recorded responses alone, or the contract completed by these. */
export const schemaSideSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('contract') }),
  z.strictObject({ kind: z.literal('recorded'), filter: learnedFilterSchema }),
  z.strictObject({ kind: z.literal('combined'), filter: learnedFilterSchema }),
])
export type SchemaSide = z.infer<typeof schemaSideSchema>

export const schemaExportFormats = ['openapi', 'json-schema', 'dts', 'markdown'] as const
export type SchemaExportFormat = (typeof schemaExportFormats)[number]
