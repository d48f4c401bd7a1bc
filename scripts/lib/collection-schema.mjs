// Writes the JSON schema of a collection's file (resources/collection.schema.json), for editors.
import path from 'node:path'
import { z } from 'zod'
import { assertionSchema, MAX_ASSERTIONS } from '../../shared/collections/assertion.ts'
import { savedRequestSchema } from '../../shared/collections/saved-request.ts'
import { collectionSchema } from '../../shared/ipc/console.ts'
import { root } from './paths.mjs'

export const collectionSchemaPath = path.join(root, 'resources', 'collection.schema.json')

const describe = (schema, description) => schema.meta({ description })
const requests = savedRequestSchema.shape

/** Describes assertions, too, which the program reads one by one. */
const fileSchema = collectionSchema
  .omit({ id: true })
  .extend({
    variables: describe(collectionSchema.shape.variables, 'Values of {{variable}} in paths, bodies and assertions.'),
    requests: z
      .array(
        savedRequestSchema.extend({
          path: describe(requests.path, 'With its query, relative to the base URL: /study-sets/{{topic}}/tree?limit=1'),
          body: describe(requests.body, 'JSON text; null if there is none.'),
          takes: describe(requests.takes, 'Values of the response that are variables of the next requests.'),
          assertions: z.array(assertionSchema).max(MAX_ASSERTIONS).optional(),
        }),
      )
      .max(2000),
  })
  .meta({
    title: 'A collection of requests',
    description: 'Saved requests that Bridge Inspector sends in their order.',
  })

/** @returns the text of the file */
export function createCollectionSchema() {
  const schema = z.toJSONSchema(fileSchema, { io: 'input', unrepresentable: 'any', target: 'draft-7' })
  return `${JSON.stringify(schema, null, 2)}\n`
}
