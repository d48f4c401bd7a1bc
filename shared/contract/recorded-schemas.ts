import type { LearnedShape, ListShape, NumberShape, ObjectShape, RecordShape, StringShape } from './learned-shape.ts'
import { countResponses, type ResponseSketch } from './response-sketch.ts'
import type { MemberModel, ObjectModel, SchemaModel, StringModel, TypeModel } from './schema-model.ts'
import { mergeShape } from './shape-merge.ts'
import { ALL_FORMATS, listFormats } from './string-traits.ts'

/** Part of the values that must have been repeated for them to be an enumeration. */
const MIN_REPEATED_SHARE = 0.75

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
  const repeatedCount = entries.filter(([, { isRepeated }]) => isRepeated).length
  const isEnumeration = entries.length > 0 && repeatedCount >= entries.length * MIN_REPEATED_SHARE
  const words = entries.map(([text]) => text).sort()
  return {
    ...{ kind: 'string', ...toFacts(responses), pattern: null, observed: { min: minChars, max: maxChars } },
    formats: formats === ALL_FORMATS ? [] : listFormats(formats),
    values: isEnumeration ? words : null,
    examples: isEnumeration ? [] : words,
  }
}

const toListModel = ({ responses, minLength, maxLength, isSampled, element }: ListShape): TypeModel => ({
  ...{ kind: 'list', ...toFacts(responses), isSampled, observed: { min: minLength, max: maxLength } },
  element: element ? toRecordedModel(element) : { types: [] },
})

/** Shapes by tag are told apart only if all objects have the same tag member and they differ. */
function toObjectModels({ responses, variants }: ObjectShape): ObjectModel[] {
  if (variants === null) return [toObjectModel({ ...toRecordWithoutMembers(responses) }, null)]
  const tags = [...variants.keys()].sort()
  const tagMembers = new Set(tags.map((tag) => tag.split('=', 1)[0] ?? ''))
  const shapes = new Set([...variants.values()].map(describeMembers))
  const [member = ''] = tagMembers
  if (tagMembers.size === 1 && member !== '' && shapes.size > 1) {
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
