import type { NumberModel, SchemaModel, StringModel, TypeModel } from './schema-model.ts'

/** Values of an enumeration that a description lists. */
const MAX_LISTED_VALUES = 6
const MAX_LISTED_MEMBERS = 6

/** Describes a schema in a line: `string (uuid) | null`; `any` if nothing is known. */
export function describeSchema({ types }: SchemaModel): string {
  const tags = types.flatMap((type) => (type.kind === 'object' && type.tag ? [type.tag] : []))
  const variants =
    tags.length > 1 ? [`object by ${tags[0]?.member ?? ''} ${listValues(tags.map(({ value }) => value))}`] : []
  const others = types.filter((type) => variants.length === 0 || type.kind !== 'object' || type.tag === null)
  const texts = [...new Set([...variants, ...others.map(describeType)])]
  return texts.length === 0 ? 'any' : texts.join(' | ')
}

export function describeType(type: TypeModel): string {
  switch (type.kind) {
    case 'null':
      return 'null'
    case 'boolean':
      return type.value === null || type.source === 'recorded' ? 'boolean' : String(type.value)
    case 'number':
      return describeNumber(type)
    case 'string':
      return describeString(type)
    case 'list':
      return type.element.types.length === 0 ? 'list' : `list of ${describeSchema(type.element)}`
    case 'object': {
      if (type.entries && type.members.length === 0) return `dictionary of ${describeSchema(type.entries)}`
      if (type.tag) return `object with ${type.tag.member} ${JSON.stringify(type.tag.value)}`
      const names = type.members.slice(0, MAX_LISTED_MEMBERS).map(({ name }) => name)
      const rest = type.members.length > names.length ? ', …' : ''
      return names.length === 0 ? 'object' : `object { ${names.join(', ')}${rest} }`
    }
  }
}

function describeNumber({ isInteger, min, max }: NumberModel): string {
  const name = isInteger ? 'integer' : 'number'
  if (min === null && max === null) return name
  return min === max ? String(min) : `${name} ${min ?? ''}..${max ?? ''}`
}

function describeString({ values, formats, pattern }: StringModel): string {
  if (values) return listValues(values)
  if (formats.length > 0) return `string (${formats.join(', ')})`
  return pattern === null ? 'string' : `string /${pattern}/`
}

function listValues(values: readonly string[]): string {
  const texts = values.slice(0, MAX_LISTED_VALUES).map((value) => JSON.stringify(value))
  return [...texts, ...(values.length > texts.length ? ['…'] : [])].join(' | ')
}
