import { toPointerStep } from '../../../shared/json/pointer.ts'
import { JSON_SCHEMA_DIALECT, mapSchemas, omitKeywords, type JsonSchema } from '../../../shared/contract/json-schema.ts'
import { toRouteKey, type SchemaBundle } from '../../../shared/contract/route-schema.ts'

export interface WriterOptions {
  /** Writes recorded words of the interface that are too rare for an enumeration. */
  readonly hasExamples: boolean
}

/** Stands in every exported description. */
export const SAMPLE_NOTE =
  'What has an x-source of recorded was seen in a sample of responses: its required members, enumerations and formats are no promise of the host. A number in x-recorded is no limit of the host.'

/** Makes examples of recorded words, or leaves them out, with what only the program needs. */
export function toExportedSchema(schema: JsonSchema, { hasExamples }: WriterOptions): JsonSchema {
  return mapSchemas(schema, (inner) => {
    const { 'x-recorded': recorded, ...others } = omitKeywords(inner, 'x-names')
    if (!recorded?.words) return omitKeywords(inner, 'x-names')
    const { words, ...facts } = recorded
    return { ...others, ...(hasExamples ? { examples: words } : {}), 'x-recorded': facts }
  })
}

/** Writes all routes as one document that `readSchemaFile` reads. */
export function writeJsonSchemaBundle({ title, isPartial, routes }: SchemaBundle, options: WriterOptions): string {
  const definitions = new Map<string, JsonSchema>()
  const entries = routes.map((route) => {
    const define = (part: string, schema: JsonSchema | null): { $ref: string } | null => {
      if (schema === null) return null
      const name = `${toRouteKey(route)} ${part}`
      definitions.set(name, toExportedSchema(schema, options))
      return { $ref: `#/$defs${encodeURI(toPointerStep(name))}` }
    }
    return {
      ...route,
      body: define('body', route.body),
      response: define('response', route.response),
      unnamedList: define('list', route.unnamedList),
      error: define('error', route.error),
    }
  })
  const bundle = {
    $schema: JSON_SCHEMA_DIALECT,
    $id: 'urn:bridge-inspector:schemas',
    title,
    description: `Each definition is the body, the response, the list in the response or the error of a route. ${SAMPLE_NOTE}`,
    'x-isPartial': isPartial,
    'x-routes': entries,
    $defs: Object.fromEntries(definitions),
  }
  return `${JSON.stringify(bundle, null, 2)}\n`
}
