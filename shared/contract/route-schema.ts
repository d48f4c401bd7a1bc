import { z } from 'zod'
import { jsonSchemaSchema, responseCountSchema } from './json-schema.ts'

const parameterSchema = z.strictObject({
  name: z.string(),
  in: z.enum(['path', 'query']),
  isRequired: z.boolean(),
  description: z.string(),
  schema: jsonSchemaSchema,
})
export type RouteParameter = z.infer<typeof parameterSchema>

export const routeSchemaSchema = z.strictObject({
  method: z.string(),
  template: z.string(),
  /** Id of the endpoint; null if the contract has no such route. */
  endpoint: z.string().nullable(),
  /** Group of endpoints; empty if the contract has no such route. */
  tag: z.string(),
  isRecorded: z.boolean(),
  summary: z.string(),
  /** Sentences about the route beside its summary; the first one names the source. */
  facts: z.array(z.string()),
  parameters: z.array(parameterSchema),
  /** The contract does not name all query parameters. */
  acceptsAnyQuery: z.boolean(),
  /** Null if the route takes no JSON. */
  body: jsonSchemaSchema.nullable(),
  /** The body is a file. */
  isUpload: z.boolean(),
  needsToken: z.boolean(),
  /** Media types of a successful response, which may be ranges such as `image/*`. */
  mediaTypes: z.array(z.string()),
  /** Statuses of a successful response; empty if they are not known. */
  statuses: z.array(z.number()),
  /** Statuses of refusals that the contract shows without a code. */
  refusalStatuses: z.array(z.number()),
  /** Null if the response is no JSON, or nothing is known about it. */
  response: jsonSchemaSchema.nullable(),
  /** A list of unknown name, so maybe the whole response; null if there is none. */
  unnamedList: jsonSchemaSchema.nullable(),
  /** Error responses as they were recorded; null if none was. */
  error: jsonSchemaSchema.nullable(),
  errorCodes: z.array(z.string()),
  /** Recorded successful responses; null if only the contract is meant. */
  responses: responseCountSchema.nullable(),
  /** Base URLs of the hosts that were recorded; empty if only the contract is meant. */
  hosts: z.array(z.string()),
  /** Versions that the recorded hosts reported. */
  versions: z.array(z.string()),
})
export type RouteSchema = z.infer<typeof routeSchemaSchema>

/** The routes of a host, or of the contract, with all their shapes. */
export interface SchemaBundle {
  readonly title: string
  /** Only what was recorded; a route or a shape that is absent may exist. */
  readonly isPartial: boolean
  readonly routes: readonly RouteSchema[]
}

export function toRouteKey({ method, template }: Pick<RouteSchema, 'method' | 'template'>): string {
  return `${method} ${template}`
}
