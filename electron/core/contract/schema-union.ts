import {
  getEntries,
  isUnlooked,
  kindOf,
  listFormats,
  listKnownValues,
  listMembers,
  listTypes,
  omitKeywords,
  toMembers,
  toSchema,
  type JsonSchema,
  type Member,
  type TypeSchema,
} from '../../../shared/contract/json-schema.ts'

/** `join` treats both sides alike; with `complete`, the second one completes the first. */
type Mode = 'join' | 'complete'

/** Returns a schema that accepts every value that one of both accepts. */
export function joinSchemas(first: JsonSchema, second: JsonSchema): JsonSchema {
  return toSchema(joinTypes([...listTypes(first), ...listTypes(second)]))
}

/** Returns one type for all types of the same kind; objects lose their tags. */
export function joinTypes(types: readonly TypeSchema[]): readonly TypeSchema[] {
  const byKind = new Map<string, TypeSchema>()
  for (const type of types) {
    const present = byKind.get(kindOf(type))
    byKind.set(kindOf(type), present ? mergeTypes(present, type, 'join') : type)
  }
  return [...byKind.values()]
}

/** The union fits every recorded response and keeps all that the contract shows. */
export function combineSchemas(contract: JsonSchema, recorded: JsonSchema): JsonSchema {
  const [contractTypes, recordedTypes] = [listTypes(contract), listTypes(recorded)]
  if (contractTypes.length === 0) return { ...contract, ...recorded }
  if (recordedTypes.length === 0) return contract
  const kinds = new Set([...contractTypes, ...recordedTypes].map(kindOf))
  const combined = [...kinds].flatMap((kind) => {
    const ofKind = (type: TypeSchema): boolean => kindOf(type) === kind
    const [contractOfKind, recordedOfKind] = [contractTypes.filter(ofKind), recordedTypes.filter(ofKind)]
    const [only, ...others] = contractOfKind
    if (!only) return recordedOfKind
    // Recorded objects may have several shapes, which are told apart by their tags.
    return others.length > 0 || recordedOfKind.length === 0
      ? [...contractOfKind, ...(kind === 'object' ? recordedOfKind : [])]
      : recordedOfKind.map((type) => mergeTypes(only, type, 'complete'))
  })
  return toSchema(combined)
}

/** Both types are of the same kind. */
function mergeTypes(first: TypeSchema, second: TypeSchema, mode: Mode): TypeSchema {
  const merge = mergesByKind[kindOf(first)]
  const facts = mode === 'complete' ? toRecordedFacts(second) : {}
  return merge ? { ...merge(first, second, mode), ...facts } : { ...first, ...facts }
}

const toRecordedFacts = ({ 'x-recorded': recorded }: TypeSchema): Partial<TypeSchema> =>
  recorded ? { 'x-recorded': recorded } : {}

type Merge = (first: TypeSchema, second: TypeSchema, mode: Mode) => TypeSchema
const mergesByKind: Readonly<Record<string, Merge>> = {
  boolean: ({ enum: values, ...first }, second) =>
    values && values[0] === second.enum?.[0] ? { ...first, enum: values } : first,
  number: mergeNumbers,
  string: mergeStrings,
  array: mergeLists,
  object: mergeObjects,
}

type Limit = 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems'

/** A limit of the contract stays if what was recorded lies within it. */
function mergeLimits(first: TypeSchema, second: TypeSchema, mode: Mode, [min, max]: readonly [Limit, Limit]) {
  const range = mode === 'complete' ? second['x-recorded']?.range : undefined
  const [firstMin, firstMax] = [first[min], first[max]]
  const [secondMin, secondMax] =
    mode === 'complete' ? [range?.min ?? firstMin, range?.max ?? firstMax] : [second[min], second[max]]
  const hasMin = firstMin !== undefined && secondMin !== undefined && (mode === 'join' || secondMin >= firstMin)
  const hasMax = firstMax !== undefined && secondMax !== undefined && (mode === 'join' || secondMax <= firstMax)
  return {
    ...(hasMin ? { [min]: Math.min(firstMin, secondMin) } : {}),
    ...(hasMax ? { [max]: Math.max(firstMax, secondMax) } : {}),
  }
}

function mergeValues(first: TypeSchema, second: TypeSchema, mode: Mode): Pick<TypeSchema, 'enum'> {
  const values = mode === 'complete' ? listKnownValues(second) : second.enum
  return first.enum && values ? { enum: [...new Set([...first.enum, ...values])] } : {}
}

function mergeNumbers(first: TypeSchema, second: TypeSchema, mode: Mode): TypeSchema {
  return {
    ...omitKeywords(first, 'minimum', 'maximum', 'enum'),
    type: first.type === 'integer' && second.type === 'integer' ? 'integer' : 'number',
    ...mergeValues(first, second, mode),
    ...mergeLimits(first, second, mode, ['minimum', 'maximum']),
  }
}

const formatKeywords = ['format', 'pattern', 'contentEncoding', 'x-formats'] as const

function mergeStrings(first: TypeSchema, second: TypeSchema, mode: Mode): TypeSchema {
  const merged = mergeValues(first, second, mode)
  const takesSecond = mode === 'complete' && listFormats(first).length === 0
  return {
    ...omitKeywords(first, 'minLength', 'maxLength', 'enum', ...formatKeywords),
    ...merged,
    ...(takesSecond ? pickFormats(second) : mergeFormats(first, second)),
    ...mergeLimits(first, second, mode, ['minLength', 'maxLength']),
    ...(mode === 'join' && !merged.enum ? joinWords(first, second) : {}),
  }
}

const pickFormats = (type: TypeSchema): Partial<TypeSchema> =>
  Object.fromEntries(formatKeywords.flatMap((name) => (type[name] === undefined ? [] : [[name, type[name]]])))

function mergeFormats(first: TypeSchema, second: TypeSchema): Partial<TypeSchema> {
  const { format, pattern, contentEncoding, 'x-formats': formats } = first
  const others = listFormats(second)
  return {
    ...(format !== undefined && others.includes(format) ? { format } : {}),
    ...(formats ? { 'x-formats': formats.filter((name) => others.includes(name)) } : {}),
    ...(contentEncoding !== undefined && contentEncoding === second.contentEncoding ? { contentEncoding } : {}),
    ...(pattern !== undefined && pattern === second.pattern ? { pattern } : {}),
  }
}

function joinWords(first: TypeSchema, second: TypeSchema): Partial<TypeSchema> {
  const { 'x-recorded': recorded } = first
  if (!recorded) return {}
  const facts = omitKeywords(recorded, 'words')
  const [values, otherValues] = [listKnownValues(first), listKnownValues(second)]
  const words = [...new Set([...(values ?? []), ...(otherValues ?? [])])].filter((word) => typeof word === 'string')
  return { 'x-recorded': values && otherValues ? { ...facts, words } : facts }
}

function mergeLists(first: TypeSchema, second: TypeSchema, mode: Mode): TypeSchema {
  // A list that was always empty says nothing about its elements.
  const [element, otherElement] = [first.items ?? {}, second.items ?? {}]
  const isOpen = listTypes(element).length === 0 || listTypes(otherElement).length === 0
  const merged = isOpen
    ? listTypes(element).length === 0
      ? otherElement
      : element
    : mode === 'join'
      ? joinSchemas(element, otherElement)
      : combineSchemas(element, otherElement)
  return {
    ...omitKeywords(first, 'items', 'minItems', 'maxItems'),
    ...(Object.keys(merged).length > 0 ? { items: merged } : {}),
    ...mergeLimits(first, second, mode, ['minItems', 'maxItems']),
  }
}

function mergeObjects(first: TypeSchema, second: TypeSchema, mode: Mode): TypeSchema {
  if (mode === 'complete' && isUnlooked(second)) return first
  const merge = mode === 'join' ? joinSchemas : combineSchemas
  const others = new Map(listMembers(second).map((member) => [member.name, member]))
  const common = listMembers(first).map((member): Member => {
    const other = others.get(member.name)
    others.delete(member.name)
    if (!other) return { ...member, isRequired: false }
    const isRequired = member.isRequired && other.isRequired
    return { ...member, isRequired, schema: merge(member.schema, other.schema) }
  })
  const added = [...others.values()].map((member) => (mode === 'join' ? { ...member, isRequired: false } : member))
  const [entries, otherEntries] = [getEntries(first), getEntries(second)]
  const mergedEntries =
    entries && otherEntries ? merge(entries, otherEntries) : mode === 'join' ? (entries ?? otherEntries) : otherEntries
  const isClosed = first.additionalProperties === false && second.additionalProperties === false
  const { 'x-tag': tag } = second
  return {
    ...omitKeywords(first, 'properties', 'required', 'additionalProperties', 'x-tag'),
    ...toMembers([...common, ...added]),
    ...(mergedEntries ? { additionalProperties: mergedEntries } : isClosed ? { additionalProperties: false } : {}),
    ...(mode === 'complete' && tag ? { 'x-tag': tag } : {}),
  }
}
