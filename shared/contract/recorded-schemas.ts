import { createContractBundle } from './contract-schemas.ts'
import type { LearnedShape, ListShape, NumberShape, ObjectShape, RecordShape, StringShape } from './learned-shape.ts'
import { countResponses, type ResponseSketch } from './response-sketch.ts'
import type { MemberModel, ObjectModel, SchemaModel, StringModel, TypeModel } from './schema-model.ts'
import { MAX_VALUE_HASHES, mergeShape } from './shape-merge.ts'
import { ALL_FORMATS, listFormats } from './string-traits.ts'

/** A single word is no enumeration, however often a response had it. */
const MIN_WORDS = 2
/** Different responses with a word that the contract does not know, before it may be exported. */
const MIN_WORD_RESPONSES = MAX_VALUE_HASHES

let contractWords: ReadonlySet<string> | null = null
/** Whether some enumeration of the contract has the word, so that it is of no person. */
function isContractWord(word: string): boolean {
  contractWords ??= new Set(
    createContractBundle().routes.flatMap(({ response, body }) => [response, body].flatMap(listWords)),
  )
  return contractWords.has(word)
}

const listWords = (schema: SchemaModel | null): readonly string[] =>
  (schema?.types ?? []).flatMap((type) => {
    if (type.kind === 'string') return type.values ?? []
    if (type.kind === 'list') return listWords(type.element)
    if (type.kind !== 'object') return []
    return [...type.members.map((member) => member.schema), type.entries].flatMap(listWords)
  })

const isKnownWord = (word: string, hashes: readonly number[]): boolean =>
  hashes.length >= MIN_WORD_RESPONSES || isContractWord(word)

const toFacts = (responses: ResponseSketch) => ({ source: 'recorded' as const, responses: countResponses(responses) })

/** Describes a learned shape. The model holds words of the interface but no texts of a library. */
export function toRecordedModel({ null: nulls, boolean, number, string, list, object }: LearnedShape): SchemaModel {
  const types: TypeModel[] = []
  if (object) types.push(...toObjectModels(object))
  if (list) types.push(toListModel(list))
  if (string) types.push(toStringModel(string))
  if (number) types.push(toNumberModel(number))
  if (boolean) {
    const { hasTrue, hasFalse, responses } = boolean
    types.push({ kind: 'boolean', ...toFacts(responses), value: hasTrue && hasFalse ? null : hasTrue })
  }
  if (nulls) types.push({ kind: 'null', ...toFacts(nulls) })
  return { types }
}

const toNumberModel = ({ responses, isInteger, range }: NumberShape): TypeModel => ({
  ...{ kind: 'number', ...toFacts(responses), isInteger, min: null, max: null },
  observed: range,
})

function toStringModel({ responses, minChars, maxChars, formats, values }: StringShape): StringModel {
  const entries = [...(values ?? [])]
  const isEnumeration = entries.length >= MIN_WORDS && entries.every(([text, hashes]) => isKnownWord(text, hashes))
  const words = entries.map(([text]) => text).sort()
  return {
    ...{ kind: 'string', ...toFacts(responses), pattern: null, observed: { min: minChars, max: maxChars } },
    formats: formats === ALL_FORMATS ? [] : listFormats(formats),
    values: isEnumeration ? words : null,
    examples: isEnumeration ? [] : words,
  }
}

const toListModel = ({ responses, minLength, maxLength, isSampled, isDropped, element }: ListShape): TypeModel => ({
  ...{ kind: 'list', ...toFacts(responses), observed: { min: minLength, max: maxLength } },
  isSampled: isSampled || isDropped,
  element: element ? toRecordedModel(element) : { types: [] },
})

/**
 * Shapes by tag are told apart only if all objects have the same tag member, they differ, and no
 * tag may be a word of a person.
 */
function toObjectModels({ responses, variants }: ObjectShape): ObjectModel[] {
  if (variants === null) return [toObjectModel({ ...toRecordWithoutMembers(responses) }, null)]
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
      return record ? [toObjectModel(record, { member, value: tag.slice(member.length + 1) })] : []
    })
  }
  const merged: LearnedShape = {}
  mergeShape(merged, { object: { responses, variants, isMixed: true } })
  const record = merged.object?.variants?.get('')
  return record ? [toObjectModel(record, null)] : []
}

const toRecordWithoutMembers = (responses: ResponseSketch): RecordShape => ({
  ...{ responses, members: new Map(), entries: null, isSampled: true },
})

const describeMembers = ({ members }: RecordShape): string => JSON.stringify(members && [...members.keys()].sort())

function toObjectModel(record: RecordShape, tag: ObjectModel['tag']): ObjectModel {
  const members = [...(record.members ?? [])].map(([name, { shape, isOptional }]): MemberModel => {
    const model = toRecordedModel(shape)
    // The tag decides, so no other value is possible here.
    const types = model.types.map((type) =>
      tag?.member === name && type.kind === 'string' ? { ...type, values: [tag.value] } : type,
    )
    return { name, isRequired: !isOptional, source: 'recorded', schema: { types } }
  })
  return {
    ...{ kind: 'object', ...toFacts(record.responses), tag, isSampled: record.isSampled },
    members: members.sort(({ name: first }, { name: second }) => (first < second ? -1 : 1)),
    entries: record.entries && toRecordedModel(record.entries),
  }
}
