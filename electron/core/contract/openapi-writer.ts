import { knownErrors } from '../../../shared/bridge/errors.ts'
import { listPlaceholders } from '../../../shared/bridge/endpoints/path-template.ts'
import { lookUp } from '../../../shared/json/object.ts'
import { JSON_SCHEMA_DIALECT } from '../../../shared/contract/json-schema.ts'
import { toExportedSchema, SAMPLE_NOTE, type WriterOptions } from './json-schema-writer.ts'
import { toRouteKey, type RouteSchema, type SchemaBundle } from '../../../shared/contract/route-schema.ts'

interface DocumentFacts extends WriterOptions {
  readonly version: string
  /** Address of the host, with or without the bridge's path; null if none is meant. */
  readonly baseUrl: string | null
}

export function writeOpenApi({ title, routes }: SchemaBundle, facts: DocumentFacts): string {
  const [listed, unlisted] = [routes.filter(hasKnownMethod), routes.filter((route) => !hasKnownMethod(route))]
  const toId = createIdNumbering()
  // Two paths that differ only in the names of their placeholders would be the same path.
  const routesByPath = Map.groupBy(listed, ({ template }) => template.replaceAll(/\{[^{}]*\}/g, '{}'))
  const paths = [...routesByPath.values()].map((list) => {
    const path = toOpenApiPath((list.find(({ endpoint }) => endpoint !== null) ?? list[0])?.template ?? '')
    const byMethod = [...Map.groupBy(list, ({ method }) => method.toLowerCase())]
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
      version: facts.version,
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
        ? { url: BRIDGE_PATH, description: 'At the address of the host' }
        : {
            url: `{baseUrl}${BRIDGE_PATH}`,
            variables: { baseUrl: { default: removeBridgePath(facts.baseUrl), description: 'Address of the host' } },
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

const BRIDGE_PATH = '/bridge/v1'

function removeBridgePath(baseUrl: string): string {
  const address = baseUrl.replace(/\/$/, '')
  return address.endsWith(BRIDGE_PATH) ? address.slice(0, -BRIDGE_PATH.length) : address
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

const errorSchema: OpenApiObject = {
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

type OpenApiObject = Readonly<Record<string, unknown>>

/** Each placeholder needs a name, which a recorded path does not show. */
function toOpenApiPath(template: string): string {
  let count = 0
  const path = template.replaceAll('{}', () => `{id${(count += 1)}}`)
  return path.startsWith('/') ? path : `/${path}`
}

const getTag = ({ tag }: RouteSchema): string => tag || 'undocumented'

/** A summary ends before the second clause of the sentence, which the description has whole. */
const toTitle = (summary: string): string => summary.split(/[;:.](?:\s|$)/, 1)[0] ?? summary

function toOperation(
  route: RouteSchema,
  { path, toId }: { path: string; toId: (id: string) => string },
  options: WriterOptions,
): OpenApiObject {
  const { endpoint, method, template, summary, facts, needsToken, responses, statuses, isRecorded } = route
  const success = toSuccess(route, options)
  const codes = statuses.length === 0 ? ['2XX'] : statuses.map(String)
  return {
    operationId: toId(endpoint ?? `${method.toLowerCase()} ${template}`.replace(/[^A-Za-z0-9]+/g, '-')),
    tags: [getTag(route)],
    summary: summary === '' ? `${method} ${template}` : toTitle(summary),
    ...(summary === '' ? {} : { description: [summary, ...facts.map((fact) => `- ${fact}`)].join('\n') }),
    ...(needsToken ? {} : { security: [] }),
    parameters: toParameters(route, path, options),
    ...toRequestBody(route, options),
    // The record does not keep which of the successful statuses a response had.
    responses: { ...Object.fromEntries(codes.map((code) => [code, success])), ...toErrors(route, options) },
    ...(responses ? { 'x-recorded': { responses: responses.count, isEstimate: !responses.isExact } } : {}),
    ...(isRecorded ? { 'x-source': 'recorded' } : {}),
  }
}

function toParameters(route: RouteSchema, path: string, options: WriterOptions): OpenApiObject[] {
  const { parameters, acceptsAnyQuery } = route
  const undeclared = listPlaceholders(path).filter((name) => !parameters.some((parameter) => parameter.name === name))
  return [
    ...undeclared.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...parameters.map(({ name, in: location, isRequired, description, schema }) => ({
      name,
      in: location,
      required: location === 'path' || isRequired,
      description,
      schema: toExportedSchema(schema, options),
    })),
    ...(acceptsAnyQuery
      ? [
          {
            name: 'query',
            in: 'query',
            description: 'The contract does not name the parameters.',
            style: 'form',
            explode: true,
            schema: { type: 'object', additionalProperties: { type: 'string' } },
          },
        ]
      : []),
  ]
}

function toRequestBody({ body, isUpload }: RouteSchema, options: WriterOptions): OpenApiObject {
  if (isUpload) return { requestBody: { required: true, content: { 'application/octet-stream': {} } } }
  if (body === null) return {}
  return {
    requestBody: { required: true, content: { 'application/json': { schema: toExportedSchema(body, options) } } },
  }
}

function toSuccess({ mediaTypes, response, unnamedList }: RouteSchema, options: WriterOptions): OpenApiObject {
  const schema = response && unnamedList ? { anyOf: [response, unnamedList] } : response
  const content = schema ? { schema: toExportedSchema(schema, options) } : {}
  return {
    description: 'Done, unless the body has an error',
    content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, content])),
  }
}

/** Codes by the status that the contract shows for them; a host may use others. */
function toErrors({ errorCodes, refusalStatuses, error }: RouteSchema, options: WriterOptions): OpenApiObject {
  const codesByStatus = Map.groupBy(errorCodes, (code) => lookUp(knownErrors, code)?.status ?? null)
  const documented = [...codesByStatus].flatMap(([status, codes]) =>
    status === null ? [] : [[String(status), toErrorResponse(codes)] as const],
  )
  const otherCodes = codesByStatus.get(null) ?? []
  const recorded = error ? { anyOf: [toExportedSchema(error, options), { $ref: '#/components/schemas/Error' }] } : null
  return {
    ...Object.fromEntries(refusalStatuses.map((status) => [String(status), toErrorResponse([])])),
    ...Object.fromEntries(documented),
    default: {
      description: ['Any other failure', ...otherCodes].join(', '),
      content: { 'application/json': { schema: recorded ?? { $ref: '#/components/schemas/Error' } } },
    },
  }
}

function toErrorResponse(codes: readonly string[]): OpenApiObject {
  const meanings = codes.map((code) => `${code}: ${lookUp(knownErrors, code)?.meaning ?? ''}`)
  const examples = Object.fromEntries(codes.map((code) => [code, { value: { error: { code, message: '' } } }]))
  return {
    description: meanings.length === 0 ? 'Not done; the code tells the reason.' : meanings.join(' '),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples } },
  }
}
