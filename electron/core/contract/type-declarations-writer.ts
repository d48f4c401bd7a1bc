import {
  isDictionary,
  getEntries,
  listMembers,
  listTypes,
  type JsonSchema,
  type TypeSchema,
} from '../../../shared/contract/json-schema.ts'
import { listPlaceholders } from '../../../shared/bridge/endpoints/path-template.ts'
import {
  toRouteKey,
  type RouteParameter,
  type RouteSchema,
  type SchemaBundle,
} from '../../../shared/contract/route-schema.ts'

const ROUTES = /export interface Routes \{\n[\s\S]*?\n\}\n/

/**
 * Puts the routes of a bundle into the declarations that the program ships, so that their helpers
 * know what the contract shows, or what the host was recorded to send.
 */
export function writeTypeDeclarations({ routes }: SchemaBundle, shippedDeclarations: string): string {
  const members = routes.map((route) => indent(toRouteMember(route), 1))
  return shippedDeclarations.replace(ROUTES, () => `export interface Routes {\n${members.join('\n')}\n}\n`)
}

const indent = (text: string, levels: number): string => text.replace(/^(?=.)/gm, '  '.repeat(levels))

function toRouteMember(route: RouteSchema): string {
  const { summary, facts, body, response, unnamedList, errorCodes, parameters, acceptsAnyQuery, template } = route
  const codes = errorCodes.map(quote).join(' | ')
  const declared = parameters.filter((parameter) => parameter.in === 'path')
  const placeholders = listPlaceholders(template).filter(
    (name) => !declared.some((parameter) => parameter.name === name),
  )
  const path = [...declared.map(toParameter), ...placeholders.map((name) => `readonly ${toName(name)}: string`)]
  const query = parameters.filter((parameter) => parameter.in === 'query').map(toParameter)
  const isJson = route.mediaTypes.includes('application/json')
  const members = [
    `readonly path: ${toBraces(path)}`,
    `readonly query: ${toBraces([...query, ...(acceptsAnyQuery ? [ANY_MEMBER] : [])])}`,
    `readonly body: ${body ? toType(body, false) : 'undefined'}`,
    `readonly response: ${response ? toType(response, true) : isJson ? 'unknown' : 'never'}`,
    `readonly entry: ${unnamedList ? toType(unnamedList.items ?? {}, true) : 'never'}`,
    `readonly errorCode: ${codes === '' ? 'never' : codes}`,
  ]
  const comment = [summary === '' ? 'Not in the contract; as recorded.' : summary, ...facts.slice(0, 1)].join(' ')
  return `${toComment(comment)}readonly ${quote(toRouteKey(route))}: ${toBraces(members)}`
}

const ANY_MEMBER = 'readonly [member: string]: unknown'

const toBraces = (members: readonly string[]): string =>
  members.length === 0 ? '{}' : `{\n${members.map((member) => indent(member, 1)).join('\n')}\n}`

function toParameter({ name, isRequired, description, schema }: RouteParameter): string {
  const preset = schema.default === undefined ? '' : ` Default ${JSON.stringify(schema.default)}.`
  return `${toComment(description + preset)}readonly ${toName(name)}${isRequired ? '' : '?'}: ${toType(schema, false)}`
}

const toComment = (text: string): string => `/** ${text.replace(/\s+/g, ' ').replaceAll('*/', '* /')} */\n`

const quote = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const toName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name))

/** @param isOpen whether objects have members that nobody has shown */
function toType(schema: JsonSchema, isOpen: boolean): string {
  const texts = [...new Set(listTypes(schema).map((type) => toTypeText(type, isOpen)))]
  return texts.length === 0 ? 'unknown' : texts.join(' | ')
}

function toTypeText(type: TypeSchema, isOpen: boolean): string {
  if (type.enum) return toValueUnion(type)
  switch (type.type) {
    case 'array': {
      return `ReadonlyArray<${toType(type.items ?? {}, isOpen)}>`
    }
    case 'object':
      return toObjectType(type, isOpen)
    default:
      return type.type === 'integer' ? 'number' : type.type
  }
}

/** That other values were never recorded does not exclude them, except for the tag of a shape. */
function toValueUnion({ enum: values = [], 'x-source': source }: TypeSchema): string {
  const texts = values.map((value) => (typeof value === 'string' ? quote(value) : String(value)))
  return [...texts, ...(source === 'recorded' ? ['(string & Record<never, never>)'] : [])].join(' | ')
}

function toObjectType(type: TypeSchema, isOpen: boolean): string {
  const entries = getEntries(type)
  if (entries && isDictionary(type)) return toBraces([`readonly [key: string]: ${toType(entries, isOpen)}`])
  const { 'x-tag': tag } = type
  const members = listMembers(type).map(({ name, isRequired, schema }) => {
    const comment = schema.description === undefined ? '' : toComment(schema.description)
    const text = tag?.member === name ? quote(tag.value) : toType(schema, isOpen)
    return `${comment}readonly ${toName(name)}${isRequired ? '' : '?'}: ${text}`
  })
  return toBraces([...members, ...(isOpen || members.length === 0 ? [ANY_MEMBER] : [])])
}
