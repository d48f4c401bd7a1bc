import { z } from 'zod'
import { responseCountSchema, schemaModelSchema, schemaSources } from './schema-model.ts'

const parameterModelSchema = z.strictObject({
  name: z.string(),
  in: z.enum(['path', 'query']),
  isRequired: z.boolean(),
  description: z.string(),
  schema: schemaModelSchema,
})
export type ParameterModel = z.infer<typeof parameterModelSchema>

/** What a caller sends to one route and gets from it. */
export const routeSchemaSchema = z.strictObject({
  method: z.string(),
  template: z.string(),
  /** Id of the endpoint; null if the contract has no such route. */
  endpoint: z.string().nullable(),
  source: z.enum(schemaSources),
  summary: z.string(),
  parameters: z.array(parameterModelSchema),
  /** The contract does not name all query parameters. */
  acceptsAnyQuery: z.boolean(),
  /** Null if the route takes no JSON. */
  body: schemaModelSchema.nullable(),
  /** The body is a file. */
  isUpload: z.boolean(),
  needsToken: z.boolean(),
  /** Media type of a successful response. */
  mediaType: z.string(),
  /** Null if the response is no JSON, or nothing is known about it. */
  response: schemaModelSchema.nullable(),
  /** Error responses as they were recorded; null if none was. */
  error: schemaModelSchema.nullable(),
  errorCodes: z.array(z.string()),
  /** Recorded successful responses; null if only the contract is meant. */
  responses: responseCountSchema.nullable(),
  /** Base URLs of the hosts that were recorded; absent if only the contract is meant. */
  hosts: z.array(z.string()).optional(),
})
export type RouteSchema = z.infer<typeof routeSchemaSchema>

/** The routes of a host, or of the contract, with all their shapes. */
export interface SchemaBundle {
  readonly title: string
  /** Only what was recorded; a route or a shape that is absent may exist. */
  readonly isPartial: boolean
  readonly routes: readonly RouteSchema[]
}

export const toRouteKey = ({ method, template }: Pick<RouteSchema, 'method' | 'template'>): string =>
  `${method} ${template}`
