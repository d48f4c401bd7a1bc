import {
  getEntries,
  isDictionary,
  listFormats,
  listMembers,
  listTypes,
  type JsonScalar,
  type JsonSchema,
  type TypeSchema,
} from './json-schema.ts'

/** Values of an enumeration that a description lists. */
const MAX_LISTED_VALUES = 6
const MAX_LISTED_MEMBERS = 6

/** Describes a schema in a line: `string (uuid) | null`; `any` if nothing is known. */
export function describeSchema(schema: JsonSchema): string {
  const types = listTypes(schema)
  const tags = types.flatMap(({ 'x-tag': tag }) => (tag ? [tag] : []))
  const variants =
    tags.length > 1 ? [`object by ${tags[0]?.member ?? ''} ${listValues(tags.map(({ value }) => value))}`] : []
  const others = types.filter((type) => variants.length === 0 || !type['x-tag'])
  const texts = [...new Set([...variants, ...others.map(describeType)])]
  return texts.length === 0 ? 'any' : texts.join(' | ')
}

export function describeType(type: TypeSchema): string {
  switch (type.type) {
    case 'null':
      return 'null'
    case 'boolean':
      return type.enum && type['x-source'] !== 'recorded' ? listValues(type.enum) : 'boolean'
    case 'integer':
    case 'number':
      return type.enum ? listValues(type.enum) : type.type + describeLimits(type.minimum, type.maximum)
    case 'string':
      return describeString(type)
    case 'array': {
      const element = type.items ?? {}
      const length = describeLimits(type.minItems, type.maxItems)
      return listTypes(element).length === 0 ? `list${length}` : `list${length} of ${describeSchema(element)}`
    }
    case 'object': {
      const entries = getEntries(type)
      if (entries && isDictionary(type)) return `dictionary of ${describeSchema(entries)}`
      if (type['x-tag']) return `object with ${type['x-tag'].member} ${JSON.stringify(type['x-tag'].value)}`
      const members = listMembers(type)
      const names = members.slice(0, MAX_LISTED_MEMBERS).map(({ name }) => name)
      const rest = members.length > names.length ? ', …' : ''
      return names.length === 0 ? 'object' : `object { ${names.join(', ')}${rest} }`
    }
  }
}

const describeLimits = (min: number | undefined, max: number | undefined): string =>
  min === undefined && max === undefined ? '' : ` ${min ?? ''}..${max ?? ''}`

function describeString(type: TypeSchema): string {
  if (type.enum) return listValues(type.enum)
  const length = describeLimits(type.minLength, type.maxLength)
  const formats = listFormats(type)
  if (formats.length > 0) return `string${length} (${formats.join(', ')})`
  return `string${length}${type.pattern === undefined ? '' : ` /${type.pattern}/`}`
}

function listValues(values: readonly JsonScalar[]): string {
  const texts = values.slice(0, MAX_LISTED_VALUES).map((value) => JSON.stringify(value))
  return [...texts, ...(values.length > texts.length ? ['…'] : [])].join(' | ')
}
