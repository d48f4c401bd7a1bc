import { toPointerStep } from '../json/pointer.ts'
import type { CompatibilityRuleId } from './compatibility-rules.ts'
import type { SchemaDifference } from './schema-difference.ts'
import {
  isUnlooked,
  listKnownWords,
  type NumberModel,
  type ObjectModel,
  type SchemaModel,
  type Span,
  type StringModel,
  type TypeModel,
} from './schema-model.ts'
import { describeSchema, describeType } from './schema-description.ts'

export interface ComparedSides {
  /** Only what was recorded; what is absent may exist. */
  readonly isBeforePartial: boolean
  readonly isAfterPartial: boolean
}

interface ComparisonContext extends ComparedSides {
  /** Whether the caller reads or sends the value. */
  readonly direction: 'response' | 'request'
}

type Facts = Pick<SchemaDifference, 'pointer' | 'variant' | 'before' | 'after'>
type Report = (rule: CompatibilityRuleId, facts: Facts) => void

/** The part of a rule's name after `response-` or `request-`. */
type RuleSuffix = Extract<CompatibilityRuleId, `response-${string}`> extends `response-${infer Suffix}` ? Suffix : never

/** Reports each difference between two schemas of the same place. */
export function compareModels(
  before: SchemaModel,
  after: SchemaModel,
  context: ComparisonContext,
  report: Report,
): void {
  new ModelComparison(context, report).compare(before, after, { pointer: '', variant: null })
}

type Place = Pick<Facts, 'pointer' | 'variant'>

class ModelComparison {
  readonly #context: ComparisonContext
  readonly #emit: Report

  constructor(context: ComparisonContext, emit: Report) {
    this.#context = context
    this.#emit = emit
  }

  #report(suffix: RuleSuffix | 'required-member-added', place: Place, before = '', after = ''): void {
    this.#emit(`${this.#context.direction}-${suffix}` as CompatibilityRuleId, { ...place, before, after })
  }

  compare(before: SchemaModel, after: SchemaModel, place: Place): void {
    if (before.types.length === 0 || after.types.length === 0) {
      if (before.types.length !== after.types.length) this.#reportVisibility(before, after, place)
      return
    }
    const kindsBefore = new Set(before.types.map(({ kind }) => kind))
    const kindsAfter = new Set(after.types.map(({ kind }) => kind))
    this.#compareKinds(before, after, { kindsBefore, kindsAfter, place })
    for (const kind of kindsBefore) {
      if (!kindsAfter.has(kind) || kind === 'null') continue
      const isKind = (type: TypeModel): boolean => type.kind === kind
      this.#compareTypes(before.types.filter(isKind), after.types.filter(isKind), place)
    }
  }

  #reportVisibility(before: SchemaModel, after: SchemaModel, place: Place): void {
    const isHidden = after.types.length === 0
    const isPartial = isHidden ? this.#context.isAfterPartial : this.#context.isBeforePartial
    const isUnrecorded = isPartial || (isHidden && before.types.every(({ source }) => source === 'recorded'))
    const rule = isUnrecorded ? 'shape-unrecorded' : isHidden ? 'shape-hidden' : 'shape-shown'
    this.#report(rule, place, describeSchema(before), describeSchema(after))
  }

  #compareKinds(
    before: SchemaModel,
    after: SchemaModel,
    { kindsBefore, kindsAfter, place }: { kindsBefore: Set<string>; kindsAfter: Set<string>; place: Place },
  ): void {
    const texts = [describeSchema(before), describeSchema(after)] as const
    if (kindsBefore.has('null') !== kindsAfter.has('null')) {
      this.#report(kindsAfter.has('null') ? 'null-added' : 'null-removed', place, ...texts)
    }
    const added = [...kindsAfter].filter((kind) => kind !== 'null' && !kindsBefore.has(kind))
    const removed = [...kindsBefore].filter((kind) => kind !== 'null' && !kindsAfter.has(kind))
    if (added.length > 0 && removed.length > 0) return this.#report('type-changed', place, ...texts)
    if (added.length > 0) this.#report('type-added', place, ...texts)
    if (removed.length > 0) this.#report('type-removed', place, ...texts)
  }

  /** Both lists have types of one kind only. */
  #compareTypes(before: readonly TypeModel[], after: readonly TypeModel[], place: Place): void {
    const [first] = before
    const [second] = after
    if (!first || !second) return
    if (first.kind === 'object') return this.#compareObjects(before, after, place)
    if (first.kind === 'list' && second.kind === 'list') {
      return this.compare(first.element, second.element, { ...place, pointer: `${place.pointer}/*` })
    }
    if (first.kind === 'number' && second.kind === 'number') this.#compareNumbers(first, second, place)
    if (first.kind === 'string' && second.kind === 'string') this.#compareStrings(first, second, place)
    if (first.kind === 'boolean' && second.kind === 'boolean' && first.value !== second.value) {
      // A value that only recordings show promises nothing.
      if (first.source === 'recorded' || second.source === 'recorded') return
      const rule = second.value === null ? 'values-opened' : first.value === null ? 'values-closed' : 'value-added'
      this.#report(rule, place, describeType(first), describeType(second))
    }
  }

  #compareNumbers(before: NumberModel, after: NumberModel, place: Place): void {
    if (isShownLess(before, after)) return
    const texts = [describeType(before), describeType(after)] as const
    if (before.isInteger !== after.isInteger) {
      this.#report(after.isInteger ? 'fraction-removed' : 'fraction-added', place, ...texts)
    }
    // What was recorded has no limits, but may lie outside of documented ones.
    const isRecorded = before.source === 'contract' && after.source === 'recorded' && after.observed !== null
    const limits = [
      { before: before.min ?? -Infinity, after: after.min ?? -Infinity, isLower: true },
      { before: before.max ?? Infinity, after: after.max ?? Infinity, isLower: false },
    ].map((limit) => {
      const observed = limit.isLower ? after.observed?.min : after.observed?.max
      const isInside = observed !== undefined && (limit.isLower ? observed >= limit.before : observed <= limit.before)
      return isRecorded ? { ...limit, after: isInside ? limit.before : (observed ?? limit.after) } : limit
    })
    const changes = limits.flatMap((limit) =>
      limit.before === limit.after ? [] : [limit.after < limit.before === limit.isLower ? 'wider' : 'narrower'],
    )
    if (changes.includes('wider')) this.#report('limit-widened', place, ...texts)
    if (changes.includes('narrower')) this.#report('limit-narrowed', place, ...texts)
  }

  #compareStrings(before: StringModel, after: StringModel, place: Place): void {
    const texts = [describeType(before), describeType(after)] as const
    const { values: valuesBefore } = before
    const valuesAfter = valuesBefore ? listKnownWords(after) : after.values
    if (valuesBefore && valuesAfter) {
      const added = valuesAfter.filter((value) => !valuesBefore.includes(value))
      // Words that are too rare for an enumeration tell nothing of the others.
      const removed = after.values ? valuesBefore.filter((value) => !valuesAfter.includes(value)) : []
      if (added.length > 0) this.#report('value-added', place, '', added.join(', '))
      if (removed.length > 0) this.#report('value-removed', place, removed.join(', '))
    } else if (valuesBefore && !isShownLess(before, after)) this.#report('values-opened', place, ...texts)
    else if (valuesAfter) this.#report('values-closed', place, ...texts)
    if (isShownLess(before, after)) return
    const lost = before.formats.filter((format) => !after.formats.includes(format))
    const gained = after.formats.filter((format) => !before.formats.includes(format))
    if (lost.length > 0 && gained.length > 0) this.#report('format-changed', place, ...texts)
    else if (lost.length > 0) this.#report('format-lost', place, ...texts)
    else if (gained.length > 0) this.#report('format-added', place, ...texts)
  }

  /** Shapes with the same tag are compared; a shape without a tag stands for all others. */
  #compareObjects(before: readonly TypeModel[], after: readonly TypeModel[], place: Place): void {
    const objectsBefore = toObjectsByTag(before)
    const objectsAfter = toObjectsByTag(after)
    if (objectsBefore.has('') || objectsAfter.has('')) {
      const [first, second] = [joinObjects(before), joinObjects(after)]
      if (first && second) this.#compareMembers(first, second, place)
      return
    }
    for (const [tag, object] of objectsBefore) {
      const other = objectsAfter.get(tag)
      if (other) this.#compareMembers(object, other, { ...place, variant: tag })
      else this.#report('variant-removed', place, tag)
    }
    for (const tag of objectsAfter.keys()) if (!objectsBefore.has(tag)) this.#report('variant-added', place, '', tag)
  }

  #compareMembers(before: ObjectModel, after: ObjectModel, place: Place): void {
    if (isUnlooked(before) || isUnlooked(after)) {
      if (isUnlooked(before) && isUnlooked(after)) return
      return this.#report('shape-unrecorded', place, describeType(before), describeType(after))
    }
    const isDictionaryBefore = before.entries !== null && before.members.length === 0
    const isDictionaryAfter = after.entries !== null && after.members.length === 0
    if (before.entries && after.entries) {
      this.compare(before.entries, after.entries, { ...place, pointer: `${place.pointer}/{key}` })
    }
    if (isDictionaryBefore !== isDictionaryAfter && before.members.length + after.members.length > 0) {
      return this.#report('dictionary-changed', place, describeType(before), describeType(after))
    }
    const membersAfter = new Map(after.members.map((member) => [member.name, member]))
    const namesBefore = new Set(before.members.map(({ name }) => name))
    for (const member of before.members) {
      const memberPlace = { ...place, pointer: place.pointer + toPointerStep(member.name) }
      const other = membersAfter.get(member.name)
      const text = describeSchema(member.schema)
      if (!other) {
        const isUnknown = after.isSampled && after.source === 'recorded'
        if (isUnknown || (member.source === 'recorded' && isShownLess(before, after))) {
          this.#report('shape-unrecorded', memberPlace, text)
          continue
        }
        const isOptionalRead = this.#context.direction === 'response' && !member.isRequired
        this.#report(isOptionalRead ? 'optional-member-removed' : 'member-removed', memberPlace, text)
        continue
      }
      if (member.isRequired !== other.isRequired && (other.isRequired || !isShownLess(before, after))) {
        const rule = other.isRequired ? 'member-required' : 'member-optional'
        this.#report(rule, memberPlace, text, describeSchema(other.schema))
      }
      this.compare(member.schema, other.schema, memberPlace)
    }
    for (const { name, isRequired, schema } of after.members) {
      if (namesBefore.has(name)) continue
      const isDemanded = this.#context.direction === 'request' && isRequired
      const memberPlace = { ...place, pointer: place.pointer + toPointerStep(name) }
      this.#report(isDemanded ? 'required-member-added' : 'member-added', memberPlace, '', describeSchema(schema))
    }
  }
}

/** The later side is the contract, which shows less than what was recorded of the earlier one. */
const isShownLess = (before: TypeModel, after: TypeModel): boolean =>
  before.responses !== null && after.responses === null && after.source === 'contract'

const isObjectModel = (type: TypeModel): type is ObjectModel => type.kind === 'object'

const toObjectsByTag = (types: readonly TypeModel[]): Map<string, ObjectModel> =>
  new Map(
    types.filter(isObjectModel).map((object) => [object.tag ? `${object.tag.member}=${object.tag.value}` : '', object]),
  )

/** One object that has the members of all shapes. */
function joinObjects(types: readonly TypeModel[]): ObjectModel | undefined {
  const objects = types.filter(isObjectModel)
  const [first, ...others] = objects
  return first && others.reduce((joined, object) => joinPair(joined, object), { ...first, tag: null })
}

function joinPair(first: ObjectModel, second: ObjectModel): ObjectModel {
  const secondByName = new Map(second.members.map((member) => [member.name, member]))
  const firstNames = new Set(first.members.map(({ name }) => name))
  const common = first.members.map((member) => {
    const other = secondByName.get(member.name)
    if (!other) return { ...member, isRequired: false }
    return {
      ...member,
      isRequired: member.isRequired && other.isRequired,
      schema: joinSchemas(member.schema, other.schema),
    }
  })
  const others = second.members.filter(({ name }) => !firstNames.has(name))
  return {
    ...first,
    members: [...common, ...others.map((member) => ({ ...member, isRequired: false }))],
    entries:
      first.entries && second.entries ? joinSchemas(first.entries, second.entries) : (first.entries ?? second.entries),
    isSampled: first.isSampled || second.isSampled,
  }
}

/** A schema that has every value of both. */
function joinSchemas(first: SchemaModel, second: SchemaModel): SchemaModel {
  const objects = joinObjects([...first.types, ...second.types])
  const types: TypeModel[] = objects ? [objects] : []
  for (const type of [...first.types, ...second.types]) {
    if (type.kind === 'object') continue
    const index = types.findIndex(({ kind }) => kind === type.kind)
    const present = types[index]
    if (present) types[index] = joinTypes(present, type)
    else types.push(type)
  }
  return { types }
}

function joinTypes(first: TypeModel, second: TypeModel): TypeModel {
  if (first.kind === 'list' && second.kind === 'list') {
    // A list that was always empty says nothing about its elements.
    if (first.element.types.length === 0 || second.element.types.length === 0) {
      return first.element.types.length === 0 ? second : first
    }
    return { ...first, element: joinSchemas(first.element, second.element) }
  }
  if (first.kind === 'number' && second.kind === 'number') {
    return {
      ...first,
      isInteger: first.isInteger && second.isInteger,
      min: first.min === null || second.min === null ? null : Math.min(first.min, second.min),
      max: first.max === null || second.max === null ? null : Math.max(first.max, second.max),
      observed: joinSpans(first.observed, second.observed),
    }
  }
  if (first.kind === 'string' && second.kind === 'string') {
    const [wordsOfFirst, wordsOfSecond] = [listKnownWords(first), listKnownWords(second)]
    const words = wordsOfFirst && wordsOfSecond ? [...new Set([...wordsOfFirst, ...wordsOfSecond])] : null
    const isEnumeration = first.values !== null && second.values !== null
    return {
      ...first,
      formats: first.formats.filter((format) => second.formats.includes(format)),
      values: isEnumeration ? words : null,
      examples: isEnumeration ? [] : (words ?? []),
    }
  }
  if (first.kind === 'boolean' && second.kind === 'boolean' && first.value !== second.value) {
    return { ...first, value: null }
  }
  return first
}

const joinSpans = (first: Span | null, second: Span | null): Span | null =>
  first && second ? { min: Math.min(first.min, second.min), max: Math.max(first.max, second.max) } : (first ?? second)
