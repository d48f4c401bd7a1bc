import { listPlaceholders } from '../bridge/endpoints/path-template.ts'
import { toRouteKey, type ParameterModel, type RouteSchema, type SchemaBundle } from './route-schema.ts'
import type { MemberModel, ObjectModel, SchemaModel, TypeModel } from './schema-model.ts'

const ROUTES = /export interface Routes \{\n[\s\S]*?\n\}\n/

/**
 * Puts the routes of a bundle into the declarations that the program ships, so that their helpers
 * know what the host was recorded to send.
 */
export function writeTypeDeclarations({ routes }: SchemaBundle, shippedDeclarations: string): string {
  const members = routes.map((route) => indent(toRouteMember(route), 1))
  return shippedDeclarations.replace(ROUTES, () => `export interface Routes {\n${members.join('\n')}\n}\n`)
}

const indent = (text: string, levels: number): string => text.replace(/^(?=.)/gm, '  '.repeat(levels))

function toRouteMember(route: RouteSchema): string {
  const { summary, body, response, errorCodes, parameters, acceptsAnyQuery, template } = route
  const codes = errorCodes.map(quote).join(' | ')
  const declared = parameters.filter((parameter) => parameter.in === 'path')
  const placeholders = listPlaceholders(template).filter(
    (name) => !declared.some((parameter) => parameter.name === name),
  )
  const path = [...declared.map(toParameter), ...placeholders.map((name) => `readonly ${toName(name)}: string`)]
  const query = parameters.filter((parameter) => parameter.in === 'query').map(toParameter)
  const members = [
    `readonly path: ${toBraces(path)}`,
    `readonly query: ${toBraces([...query, ...(acceptsAnyQuery ? [ANY_MEMBER] : [])])}`,
    `readonly body: ${body ? toType(body, false) : 'undefined'}`,
    `readonly response: ${response ? toType(response, true) : route.mediaType === 'application/json' ? 'unknown' : 'never'}`,
    'readonly entry: never',
    `readonly errorCode: ${codes === '' ? 'never' : codes}`,
  ]
  return `${toComment(summary === '' ? 'Not in the contract; as recorded.' : summary)}readonly ${quote(toRouteKey(route))}: ${toBraces(members)}`
}

const ANY_MEMBER = 'readonly [member: string]: unknown'

const toBraces = (members: readonly string[]): string =>
  members.length === 0 ? '{}' : `{\n${members.map((member) => indent(member, 1)).join('\n')}\n}`

const toParameter = ({ name, isRequired, description, schema }: ParameterModel): string =>
  `${toComment(description)}readonly ${toName(name)}${isRequired ? '' : '?'}: ${toType(schema, false)}`

const toComment = (text: string): string => `/** ${text.replace(/\s+/g, ' ').replaceAll('*/', '* /')} */\n`

const quote = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const toName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name))

/** @param isOpen whether objects have members that nobody has shown */
function toType({ types }: SchemaModel, isOpen: boolean): string {
  const texts = [...new Set(types.map((type) => toTypeText(type, isOpen)))]
  return texts.length === 0 ? 'unknown' : texts.join(' | ')
}

function toTypeText(type: TypeModel, isOpen: boolean): string {
  switch (type.kind) {
    case 'null':
      return 'null'
    case 'boolean':
      return type.value === null || type.source === 'recorded' ? 'boolean' : String(type.value)
    case 'number':
      return type.min !== null && type.min === type.max ? String(type.min) : 'number'
    case 'string':
      return type.values ? toValueUnion(type.values, type.source === 'recorded') : 'string'
    case 'list':
      return `ReadonlyArray<${toType(type.element, isOpen)}>`
    case 'object':
      return toObjectType(type, isOpen)
  }
}

/** That other values were never recorded does not exclude them, except for the tag of a shape. */
const toValueUnion = (values: readonly string[], isRecorded: boolean): string =>
  [...values.map(quote), ...(isRecorded ? ['(string & Record<never, never>)'] : [])].join(' | ')

function toObjectType({ members, entries, tag }: ObjectModel, isOpen: boolean): string {
  if (entries && members.length === 0) return toBraces([`readonly [key: string]: ${toType(entries, isOpen)}`])
  const toMember = ({ name, isRequired, schema }: MemberModel): string =>
    `readonly ${toName(name)}${isRequired ? '' : '?'}: ${tag?.member === name ? quote(tag.value) : toType(schema, isOpen)}`
  return toBraces([...members.map(toMember), ...(isOpen ? [ANY_MEMBER] : [])])
}
