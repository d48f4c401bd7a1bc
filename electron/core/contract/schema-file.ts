import { z } from 'zod'
import { isObject } from '../../../shared/json/object.ts'
import { getValueAtPointer, toPointerStep } from '../../../shared/json/pointer.ts'
import { jsonTypes, recordedKeywords, type JsonSchema } from '../../../shared/contract/json-schema.ts'
import { routeSchemaSchema, type RouteSchema, type SchemaBundle } from '../../../shared/contract/route-schema.ts'

/** Raised when a file is no schema, or has a keyword that is not understood. */
export class SchemaFileError extends Error {
  override readonly name = 'SchemaFileError'
}

/** A file may be anything; a schema that is larger once its references are followed is refused. */
const MAX_SCHEMAS = 200_000
const MAX_DEPTH = 100

const bundleSchema = z.looseObject({
  title: z.string().catch(''),
  'x-isPartial': z.boolean(),
  'x-routes': z.array(z.looseObject({ parameters: z.array(z.looseObject({})) })),
})

/** Reads a JSON Schema file of 2020-12, an export or any schema. @throws SchemaFileError */
export function readSchemaFile(text: string): SchemaBundle {
  const file = parseFile(text)
  const reader = new SchemaFileReader(file)
  if (!Object.hasOwn(file, 'x-routes')) {
    const title = typeof file['title'] === 'string' ? file['title'] : ''
    return { title, isPartial: false, routes: [createSchemaRoute(reader.read(file, '#'))] }
  }
  const { title, 'x-isPartial': isPartial, 'x-routes': routes } = refuseInvalid(bundleSchema.safeParse(file))
  const readPart = (schema: unknown, pointer: string): unknown =>
    isObject(schema) ? reader.read(schema, pointer) : schema
  return {
    title,
    isPartial,
    routes: routes.map((route, index): RouteSchema => {
      const pointer = `#/x-routes/${index}`
      const parts = ['body', 'response', 'unnamedList', 'error'].map((part) => [
        part,
        readPart(route[part], `${pointer}/${part}`),
      ])
      const parameters = route.parameters.map((parameter, position) => ({
        ...parameter,
        schema: readPart(parameter['schema'], `${pointer}/parameters/${position}/schema`),
      }))
      return refuseInvalid(routeSchemaSchema.safeParse({ ...route, ...Object.fromEntries(parts), parameters }))
    }),
  }
}

function refuse(reason: string): never {
  throw new SchemaFileError(reason)
}

function refuseInvalid<Value>(result: z.ZodSafeParseResult<Value>): Value {
  if (result.success) return result.data
  const [issue] = result.error.issues
  return refuse(`The file is no export of this version: ${issue?.path.join('/') ?? ''} ${issue?.message ?? ''}`)
}

function parseFile(text: string): Record<string, unknown> {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    return refuse('The file is not JSON.')
  }
  if (!isObject(file)) return refuse('The file holds no schema.')
  return file
}

/** No HTTP method; the route stands for a schema that belongs to none. */
const SCHEMA_METHOD = 'JSON'

/** A single schema has no routes that another side could have. */
export function isSingleSchema({ routes }: SchemaBundle): boolean {
  return routes[0]?.method === SCHEMA_METHOD
}

const createSchemaRoute = (response: JsonSchema): RouteSchema => ({
  method: SCHEMA_METHOD,
  template: 'Schema',
  endpoint: null,
  tag: '',
  isRecorded: false,
  summary: '',
  facts: [],
  parameters: [],
  acceptsAnyQuery: false,
  body: null,
  isUpload: false,
  needsToken: false,
  mediaTypes: [],
  statuses: [],
  refusalStatuses: [],
  response,
  unnamedList: null,
  error: null,
  errorCodes: [],
  responses: null,
  hosts: [],
  versions: [],
})

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])
const count = z.number().nonnegative()

/** Keywords with plain values, which are kept. */
const plainKeywords = z.looseObject({
  type: z.union([z.enum(jsonTypes), z.array(z.enum(jsonTypes)).min(1)]).optional(),
  enum: z.array(scalar).optional(),
  const: scalar.optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: count.optional(),
  maxLength: count.optional(),
  minItems: count.optional(),
  maxItems: count.optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  contentEncoding: z.string().optional(),
  required: z.array(z.string()).optional(),
  description: z.string().optional(),
  examples: z.array(z.unknown()).optional(),
  ...recordedKeywords,
})
const KEPT: ReadonlySet<string> = new Set([...Object.keys(plainKeywords.shape), 'default'])
/** Keywords that limit nothing, and that are read elsewhere or not needed. */
const IGNORED = /^(?:\$schema|\$id|\$anchor|\$comment|\$defs|definitions|title|deprecated|readOnly|writeOnly|x-.*)$/
const RECORDED: readonly string[] = Object.keys(recordedKeywords)
const INNER: ReadonlySet<string> = new Set(['$ref', 'anyOf', 'oneOf', 'properties', 'items', 'additionalProperties'])
/** Annotations may stand beside a reference or alternatives. */
const ANNOTATION = /^(?:description|default|examples)$/
/** Without a `type`, such a keyword would limit values of one type and let all others pass. */
const NEEDS_TYPE = /^(?:m(?:in|ax)|format|pattern|contentEncoding|required|properties|items|additionalProperties)/

/** Follows references, so that what it returns has none. */
class SchemaFileReader {
  readonly #root: Record<string, unknown>
  readonly #openReferences = new Set<string>()
  #schemaCount = 0

  constructor(root: Record<string, unknown>) {
    this.#root = root
  }

  /** @param pointer where the schema is in the file, for messages */
  read(json: unknown, pointer: string, depth = 0): JsonSchema {
    this.#schemaCount += 1
    if (this.#schemaCount > MAX_SCHEMAS || depth > MAX_DEPTH) refuse('The schema is too large.')
    if (json === true) return {}
    if (!isObject(json)) return refuse(`There is no schema at ${pointer}.`)
    const keywords = Object.keys(json).filter((keyword) => json[keyword] !== undefined && !IGNORED.test(keyword))
    const unknownKeyword = keywords.find((keyword) => !KEPT.has(keyword) && !INNER.has(keyword))
    if (unknownKeyword !== undefined) return refuseKeyword(unknownKeyword, pointer)
    const { data, error } = plainKeywords.safeParse(json)
    if (error) return refuseKeyword(String(error.issues[0]?.path[0]), pointer)
    const plain = Object.fromEntries(
      [...keywords.filter((keyword) => KEPT.has(keyword)), ...RECORDED]
        .filter((keyword) => Object.hasOwn(json, keyword))
        .map((keyword) => [keyword, data[keyword]]),
    ) as JsonSchema
    const compound = ['$ref', 'anyOf', 'oneOf'].find((keyword) => keywords.includes(keyword))
    if (compound !== undefined) {
      const other = keywords.find((keyword) => keyword !== compound && !ANNOTATION.test(keyword))
      if (other !== undefined) return refuseKeyword(`${other} beside ${compound}`, pointer)
      return { ...this.#readCompound(compound, json[compound], pointer, depth), ...plain }
    }
    const isTyped = plain.type !== undefined || plain.enum !== undefined || plain.const !== undefined
    const untyped = isTyped ? undefined : keywords.find((keyword) => NEEDS_TYPE.test(keyword))
    if (untyped !== undefined) return refuseKeyword(`${untyped} without type`, pointer)
    return { ...plain, ...this.#readInner(json, pointer, depth) }
  }

  #readCompound(keyword: string, value: unknown, pointer: string, depth: number): JsonSchema {
    if (keyword === '$ref') return this.#readReference(value, pointer, depth)
    if (!Array.isArray(value) || value.length === 0) return refuseKeyword(keyword, pointer)
    const anyOf = value.map((option, index) => this.read(option, `${pointer}/${keyword}/${index}`, depth + 1))
    return { anyOf }
  }

  #readReference(reference: unknown, pointer: string, depth: number): JsonSchema {
    if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return refuseKeyword('$ref', pointer)
    // A schema that contains itself has no end.
    if (this.#openReferences.has(reference)) return refuseKeyword('$ref to itself', pointer)
    this.#openReferences.add(reference)
    const schema = this.read(getValueAtPointer(this.#root, decodeReference(reference)), reference, depth + 1)
    this.#openReferences.delete(reference)
    return schema
  }

  #readInner(json: Readonly<Record<string, unknown>>, pointer: string, depth: number): JsonSchema {
    const { properties, items, additionalProperties: entries } = json
    if (properties !== undefined && !isObject(properties)) return refuseKeyword('properties', pointer)
    const members = Object.entries(properties ?? {}).map(([name, schema]) => [
      name,
      this.read(schema, `${pointer}/properties${toPointerStep(name)}`, depth + 1),
    ])
    const isOpen = entries === undefined || entries === true
    return {
      ...(properties === undefined ? {} : { properties: Object.fromEntries(members) as JsonSchema['properties'] & {} }),
      ...(items === undefined ? {} : { items: this.read(items, `${pointer}/items`, depth + 1) }),
      ...(isOpen
        ? {}
        : { additionalProperties: entries === false ? false : this.#readEntries(entries, pointer, depth) }),
    }
  }

  #readEntries(entries: unknown, pointer: string, depth: number): JsonSchema {
    return this.read(entries, `${pointer}/additionalProperties`, depth + 1)
  }
}

function decodeReference(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(1))
  } catch {
    return reference.slice(1)
  }
}

const refuseKeyword = (keyword: string, pointer: string): never =>
  refuse(`The keyword ${keyword} at ${pointer} is not understood.`)
