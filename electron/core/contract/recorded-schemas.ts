import { createContractBundle } from '../../../shared/contract/contract-schemas.ts'
import type { LearnedShape, ListShape, NumberShape, ObjectShape, RecordShape, StringShape } from './learned-shape.ts'
import { countResponses, type ResponseSketch } from './response-sketch.ts'
import {
  mapSchemas,
  omitKeywords,
  toMembers,
  toSchema,
  type JsonSchema,
  type Member,
  type TypeSchema,
} from '../../../shared/contract/json-schema.ts'
import { MAX_VALUE_HASHES, mergeShape } from './shape-merge.ts'
import { ALL_FORMATS, listFormats, type StringFormat } from '../../../shared/contract/string-traits.ts'

/** A single word is no enumeration, however often a response had it. */
const MIN_WORDS = 2
/** Different responses with a word that the contract does not know, before it may be exported. */
const MIN_WORD_RESPONSES = MAX_VALUE_HASHES

let contractWords: ReadonlySet<string> | null = null
/** The contract itself has the word as a value, so that it is of no person. */
function isContractWord(word: string): boolean {
  contractWords ??= new Set(listContractWords())
  return contractWords.has(word)
}

function listContractWords(): readonly string[] {
  const words: string[] = []
  const addWords = (schema: JsonSchema): JsonSchema => {
    for (const value of [...(schema.enum ?? []), ...(schema.examples ?? [])])
      if (typeof value === 'string') words.push(value)
    return schema
  }
  for (const { response, unnamedList, body } of createContractBundle().routes) {
    for (const schema of [response, unnamedList, body]) if (schema) mapSchemas(schema, addWords)
  }
  return words
}

const isKnownWord = (word: string, hashes: readonly number[]): boolean =>
  hashes.length >= MIN_WORD_RESPONSES || isContractWord(word)

/** Patterns of formats that JSON Schema does not know. */
const formatPatterns: Readonly<Partial<Record<StringFormat, string>>> = {
  md5: '^[0-9A-Fa-f]{32}$',
  integer: '^-?[0-9]+$',
  color: '^#[0-9A-Fa-f]{3,8}$',
}
const standardFormats: ReadonlySet<StringFormat> = new Set(['date-time', 'date', 'uuid', 'uri'])

function toFacts(
  responses: ResponseSketch,
  {
    isSampled,
    ...facts
  }: Omit<NonNullable<TypeSchema['x-recorded']>, 'responses' | 'isSampled'> & { isSampled?: boolean } = {},
): Pick<TypeSchema, 'x-source' | 'x-recorded'> {
  const { count, isExact } = countResponses(responses)
  const estimate = isExact ? {} : { isEstimate: true as const }
  const sample = isSampled ? { isSampled } : {}
  return { 'x-source': 'recorded', 'x-recorded': { responses: count, ...estimate, ...facts, ...sample } }
}

/** Describes a learned shape. The schema has words of the interface but no texts of a library. */
export function toRecordedSchema({ null: nulls, boolean, number, string, list, object }: LearnedShape): JsonSchema {
  const types: TypeSchema[] = []
  if (object) types.push(...toObjectTypes(object))
  if (list) types.push(toListType(list))
  if (string) types.push(toStringType(string))
  if (number) types.push(toNumberType(number))
  // That only one of the two values was recorded does not exclude the other.
  if (boolean) types.push({ type: 'boolean', ...toFacts(boolean.responses) })
  if (nulls) types.push({ type: 'null', ...toFacts(nulls) })
  return toSchema(types)
}

const toNumberType = ({ responses, isInteger, range }: NumberShape): TypeSchema => ({
  type: isInteger ? 'integer' : 'number',
  ...toFacts(responses, range ? { range: { ...range } } : {}),
})

function toStringType({ responses, minChars, maxChars, formats: bits, values }: StringShape): TypeSchema {
  const entries = [...(values ?? [])]
  const isEnumeration = entries.length >= MIN_WORDS && entries.every(([text, hashes]) => isKnownWord(text, hashes))
  const words = entries.map(([text]) => text).sort()
  const formats = bits === ALL_FORMATS ? [] : listFormats(bits)
  const format = formats.find((name) => standardFormats.has(name))
  const pattern = isEnumeration
    ? undefined
    : formats.map((name) => formatPatterns[name]).find((text) => text !== undefined)
  return {
    type: 'string',
    ...(isEnumeration ? { enum: words } : {}),
    ...(format === undefined ? {} : { format }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(formats.includes('base64') ? { contentEncoding: 'base64' } : {}),
    ...(formats.length > 0 ? { 'x-formats': formats } : {}),
    ...toFacts(responses, {
      range: { min: minChars, max: maxChars },
      ...(isEnumeration || words.length === 0 ? {} : { words }),
    }),
  }
}

const toListType = ({ responses, minLength, maxLength, isSampled, isDropped, element }: ListShape): TypeSchema => ({
  type: 'array',
  ...(element ? { items: toRecordedSchema(element) } : {}),
  ...toFacts(responses, { range: { min: minLength, max: maxLength }, isSampled: isSampled || isDropped }),
})

/** Tells shapes apart by a tag that all have, if it differs and is no word of a person. */
function toObjectTypes({ responses, variants }: ObjectShape): TypeSchema[] {
  if (variants === null) return [{ type: 'object', ...toFacts(responses, { isSampled: true }) }]
  const tags = [...variants.keys()].sort()
  const tagMembers = new Set(tags.map((tag) => tag.split('=', 1)[0] ?? ''))
  const shapes = new Set([...variants.values()].map(describeMembers))
  const [member = ''] = tagMembers
  const areWords = [...variants].every(([tag, record]) =>
    isKnownWord(tag.slice(member.length + 1), record.responses.hashes),
  )
  if (tagMembers.size === 1 && member !== '' && shapes.size > 1 && areWords) {
    return tags.flatMap((tag) => {
      const record = variants.get(tag)
      return record ? [toObjectType(record, { member, value: tag.slice(member.length + 1) })] : []
    })
  }
  const merged: LearnedShape = {}
  mergeShape(merged, { object: { responses, variants, isMixed: true } })
  const record = merged.object?.variants?.get('')
  return record ? [toObjectType(record, null)] : []
}

const describeMembers = ({ members }: RecordShape): string => JSON.stringify(members && [...members.keys()].sort())

function toObjectType(record: RecordShape, tag: NonNullable<TypeSchema['x-tag']> | null): TypeSchema {
  const members = [...(record.members ?? [])].map(([name, { shape, isOptional }]): Member => {
    const { string } = shape
    const schema = toRecordedSchema(shape)
    // The tag decides, so no other value is possible here.
    const tagged = tag?.member === name && string ? toTagSchema(toStringType(string), tag.value) : schema
    return { name, isRequired: !isOptional, schema: { ...tagged, 'x-source': 'recorded' } }
  })
  return {
    type: 'object',
    ...toMembers(members.sort(({ name: first }, { name: second }) => (first < second ? -1 : 1))),
    ...(record.entries ? { additionalProperties: toRecordedSchema(record.entries) } : {}),
    ...(tag ? { 'x-tag': tag } : {}),
    ...toFacts(record.responses, { isSampled: record.isSampled }),
  }
}

const toTagSchema = (type: TypeSchema, value: string): JsonSchema => ({
  ...omitKeywords(type, 'pattern', 'x-recorded'),
  enum: [value],
  'x-recorded': omitKeywords(type['x-recorded'] ?? { responses: 0 }, 'words'),
})
