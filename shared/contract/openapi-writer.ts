import { knownErrors } from '../bridge/errors.ts'
import { listPlaceholders } from '../bridge/endpoints/path-template.ts'
import { groupBy } from '../group-by.ts'
import { lookUp } from '../json/object.ts'
import {
  JSON_SCHEMA_DIALECT,
  SAMPLE_NOTE,
  toJsonSchema,
  type JsonSchema,
  type WriterOptions,
} from './json-schema-writer.ts'
import { toRouteKey, type RouteSchema, type SchemaBundle } from './route-schema.ts'

interface DocumentFacts extends WriterOptions {
  /** Version of the host's interface, if one is meant; null otherwise. */
  readonly version: string | null
  /** Address of the host without a path; null if none is meant. */
  readonly baseUrl: string | null
}

/** Writes all routes as an OpenAPI 3.1 document. */
export function writeOpenApi({ title, routes }: SchemaBundle, facts: DocumentFacts): string {
  const [listed, unlisted] = [routes.filter(hasKnownMethod), routes.filter((route) => !hasKnownMethod(route))]
  const toId = createIdNumbering()
  // Two paths that differ only in the names of their placeholders would be the same path.
  const routesByPath = groupBy(listed, ({ template }) => template.replaceAll(/\{[^{}]*\}/g, '{}'))
  const paths = [...routesByPath.values()].map((list) => {
    const path = toOpenApiPath((list.find(({ endpoint }) => endpoint !== null) ?? list[0])?.template ?? '')
    const byMethod = [...groupBy(list, ({ method }) => method.toLowerCase())]
    return [
      path,
      Object.fromEntries(
        byMethod.flatMap(([method, [route]]) => (route ? [[method, toOperation(route, { path, toId }, facts)]] : [])),
      ),
    ]
  })
  const document = {
    openapi: '3.1.0',
    jsonSchemaDialect: JSON_SCHEMA_DIALECT,
    info: {
      title,
      version: facts.version ?? 'unknown',
      description: [
        'The local bridge of a note-taking host. What neither its contract shows nor a recorded response is left open. Members beginning with x- tell what was recorded.',
        SAMPLE_NOTE,
        ...(unlisted.length === 0
          ? []
          : [`OpenAPI has no such methods, so these are not listed: ${unlisted.map(toRouteKey).join(', ')}.`]),
      ].join(' '),
      license: { name: 'Unspecified', identifier: 'LicenseRef-Unspecified' },
    },
    servers: [
      facts.baseUrl === null
        ? { url: '/bridge/v1', description: 'At the address of the host' }
        : {
            url: '{baseUrl}/bridge/v1',
            variables: { baseUrl: { default: facts.baseUrl, description: 'Address of the host' } },
          },
    ],
    security: [{ token: [] }],
    tags: [...new Set(listed.map(getTag))].map((name) => ({ name })),
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'The token of the host' } },
      schemas: { Error: errorSchema },
    },
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

const knownMethods: ReadonlySet<string> = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'])
const hasKnownMethod = ({ method }: RouteSchema): boolean => knownMethods.has(method.toLowerCase())

/** Two templates may differ only in characters that an id cannot have. */
function createIdNumbering(): (id: string) => string {
  const usedIds = new Set<string>()
  return (id) => {
    let unique = id
    for (let count = 2; usedIds.has(unique); count += 1) unique = `${id}-${count}`
    usedIds.add(unique)
    return unique
  }
}

const errorSchema: JsonSchema = {
  type: 'object',
  description: 'A failure; whatever the status is, a body with this member is one.',
  properties: {
    error: {
      type: 'object',
      properties: { code: { type: 'string' }, message: { type: 'string' }, details: {} },
    },
  },
  required: ['error'],
}

/** Each placeholder needs a name, which a recorded path does not show. */
function toOpenApiPath(template: string): string {
  let count = 0
  const path = template.replaceAll('{}', () => `{id${(count += 1)}}`)
  return path.startsWith('/') ? path : `/${path}`
}

const getTag = ({ endpoint }: RouteSchema): string => endpoint?.split('.', 1)[0] ?? 'undocumented'

function toOperation(
  route: RouteSchema,
  { path, toId }: { path: string; toId: (id: string) => string },
  options: WriterOptions,
): JsonSchema {
  const { endpoint, method, template, summary, needsToken, responses } = route
  return {
    operationId: toId(endpoint ?? `${method.toLowerCase()} ${template}`.replace(/[^A-Za-z0-9]+/g, '-')),
    tags: [getTag(route)],
    summary: summary === '' ? `${method} ${template}` : summary,
    ...(needsToken ? {} : { security: [] }),
    parameters: toParameters(route, path, options),
    ...toRequestBody(route, options),
    // Which of the successful statuses it was is not kept.
    responses: { [endpoint === null ? '2XX' : '200']: toSuccess(route, options), ...toErrors(route, options) },
    ...(responses ? { 'x-recorded': { responses: responses.count, isEstimate: !responses.isExact } } : {}),
    ...(route.source === 'recorded' ? { 'x-source': 'recorded' } : {}),
  }
}

function toParameters(route: RouteSchema, path: string, options: WriterOptions): JsonSchema[] {
  const { parameters, acceptsAnyQuery } = route
  const undeclared = listPlaceholders(path).filter((name) => !parameters.some((parameter) => parameter.name === name))
  return [
    ...undeclared.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...parameters.map(({ name, in: location, isRequired, description, schema }) => ({
      ...{ name, in: location, required: location === 'path' || isRequired, description },
      schema: toJsonSchema(schema, options),
    })),
    ...(acceptsAnyQuery
      ? [
          {
            ...{ name: 'query', in: 'query', description: 'The contract does not name the parameters.' },
            ...{ style: 'form', explode: true, schema: { type: 'object', additionalProperties: { type: 'string' } } },
          },
        ]
      : []),
  ]
}

function toRequestBody({ body, isUpload }: RouteSchema, options: WriterOptions): JsonSchema {
  if (isUpload) return { requestBody: { required: true, content: { 'application/octet-stream': {} } } }
  if (body === null) return {}
  return { requestBody: { required: true, content: { 'application/json': { schema: toJsonSchema(body, options) } } } }
}

function toSuccess({ mediaType, response }: RouteSchema, options: WriterOptions): JsonSchema {
  const schema = response ? { schema: toJsonSchema(response, options) } : {}
  return { description: 'Done, unless the body has an error', content: { [mediaType]: schema } }
}

/** Codes by the status that the contract shows for them; a host may use others. */
function toErrors({ errorCodes, error }: RouteSchema, options: WriterOptions): JsonSchema {
  const codesByStatus = groupBy(errorCodes, (code) => lookUp(knownErrors, code)?.status ?? null)
  const documented = [...codesByStatus].flatMap(([status, codes]) =>
    status === null ? [] : [[String(status), toErrorResponse(codes)] as const],
  )
  const otherCodes = codesByStatus.get(null) ?? []
  const recorded = error ? { anyOf: [toJsonSchema(error, options), { $ref: '#/components/schemas/Error' }] } : null
  return {
    ...Object.fromEntries(documented),
    default: {
      description: ['Any other failure', ...otherCodes].join(', '),
      content: { 'application/json': { schema: recorded ?? { $ref: '#/components/schemas/Error' } } },
    },
  }
}

function toErrorResponse(codes: readonly string[]): JsonSchema {
  const meanings = codes.map((code) => `${code}: ${lookUp(knownErrors, code)?.meaning ?? ''}`)
  return {
    description: meanings.join(' '),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { properties: { error: { properties: { code: { examples: codes } } } } },
          ],
        },
      },
    },
  }
}
