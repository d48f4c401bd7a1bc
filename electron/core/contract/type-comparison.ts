import { isBinding } from '../../../shared/bridge/basis.ts'
import { toPointerStep } from '../../../shared/json/pointer.ts'
import type { CompatibilityRuleId } from '../../../shared/contract/compatibility-rules.ts'
import {
  getEntries,
  getResponseCount,
  isDictionary,
  isRecorded,
  isSampled,
  isUnlooked,
  kindOf,
  listFormats,
  listKnownValues,
  listMembers,
  listTypes,
  type JsonSchema,
  type TypeSchema,
} from '../../../shared/contract/json-schema.ts'
import { describeSchema, describeType } from '../../../shared/contract/schema-description.ts'
import type { SchemaDifference } from '../../../shared/contract/schema-difference.ts'
import { joinTypes } from './schema-union.ts'

export interface SideCompleteness {
  /** Only what was recorded; what is absent may exist. */
  readonly isBeforePartial: boolean
  readonly isAfterPartial: boolean
}

interface ComparisonContext extends SideCompleteness {
  /** The caller reads or sends the value. */
  readonly direction: 'response' | 'request'
}

interface Facts extends Pick<SchemaDifference, 'pointer' | 'variant' | 'before' | 'after'> {
  /** The contract states neither the place nor what holds it. */
  readonly isOpen: boolean
}
type Report = (rule: CompatibilityRuleId, facts: Facts) => void

/** The part of a rule's name after `response-` or `request-`. */
type RuleSuffix = Extract<CompatibilityRuleId, `response-${string}`> extends `response-${infer Suffix}` ? Suffix : never

/** Reports each difference between two schemas of the same place. */
export function compareSchemas(
  before: JsonSchema,
  after: JsonSchema,
  context: ComparisonContext,
  report: Report,
): void {
  new TypeComparison(context, report).compare(before, after, {
    pointer: '',
    variant: null,
    isOpen: false,
  })
}

type Place = Pick<Facts, 'pointer' | 'variant' | 'isOpen'>

class TypeComparison {
  readonly #context: ComparisonContext
  readonly #emit: Report

  constructor(context: ComparisonContext, emit: Report) {
    this.#context = context
    this.#emit = emit
  }

  #report(suffix: RuleSuffix | 'required-member-added', place: Place, before = '', after = ''): void {
    this.#emit(`${this.#context.direction}-${suffix}` as CompatibilityRuleId, { ...place, before, after })
  }

  compare(before: JsonSchema, after: JsonSchema, holder: Place): void {
    const place = { ...holder, isOpen: holder.isOpen || isOpen(before) || isOpen(after) }
    const [typesBefore, typesAfter] = [listTypes(before), listTypes(after)]
    if (typesBefore.length === 0 || typesAfter.length === 0) {
      if (typesBefore.length !== typesAfter.length) this.#reportVisibility(before, after, place)
      return
    }
    this.#compareKinds(before, after, place)
    for (const kind of new Set(typesBefore.map(kindOf))) {
      const isKind = (type: TypeSchema): boolean => kindOf(type) === kind
      const [first, second] = [typesBefore.filter(isKind), typesAfter.filter(isKind)]
      if (second.length === 0 || kind === 'null') continue
      if (kind === 'object') this.#compareObjects(first, second, place)
      else this.#compareTypes(joinTypes(first)[0], joinTypes(second)[0], place)
    }
  }

  #reportVisibility(before: JsonSchema, after: JsonSchema, place: Place): void {
    const isHidden = listTypes(after).length === 0
    const isPartial = isHidden ? this.#context.isAfterPartial : this.#context.isBeforePartial
    const isUnrecorded = isPartial || (isHidden && isRecorded(before))
    const rule = isUnrecorded ? 'shape-unrecorded' : isHidden ? 'shape-hidden' : 'shape-shown'
    this.#report(rule, place, describeSchema(before), describeSchema(after))
  }

  #compareKinds(before: JsonSchema, after: JsonSchema, place: Place): void {
    const [kindsBefore, kindsAfter] = [new Set(listTypes(before).map(kindOf)), new Set(listTypes(after).map(kindOf))]
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

  #compareTypes(before: TypeSchema | undefined, after: TypeSchema | undefined, place: Place): void {
    if (!before || !after) return
    if (kindOf(before) === 'boolean') {
      // A value that only recordings show promises nothing.
      if (before['x-source'] !== 'recorded' && after['x-source'] !== 'recorded') {
        this.#compareValues(before, after, place)
      }
      return
    }
    if (kindOf(before) !== 'array') {
      this.#compareValues(before, after, place)
      this.#compareFormats(before, after, place)
    }
    this.#compareLimits(before, after, place)
    if (kindOf(before) !== 'array') return
    this.compare(before.items ?? {}, after.items ?? {}, { ...place, pointer: `${place.pointer}/*` })
  }

  #compareLimits(before: TypeSchema, after: TypeSchema, place: Place): void {
    if (isShownLess(before, after)) return
    const texts = [describeType(before), describeType(after)] as const
    if (before.type !== after.type) {
      this.#report(after.type === 'integer' ? 'fraction-removed' : 'fraction-added', place, ...texts)
    }
    // Recorded ranges are no limits, but may lie outside of documented ones.
    const range = after['x-source'] === 'recorded' ? after['x-recorded']?.range : undefined
    const changes = listLimits(before, after).flatMap(({ first, second, isLower }) => {
      const observed = isLower ? range?.min : range?.max
      const isInside = observed !== undefined && (isLower ? observed >= first : observed <= first)
      const limit = range && before['x-source'] !== 'recorded' ? (isInside ? first : (observed ?? second)) : second
      return limit === first ? [] : ([limit < first === isLower ? 'widened' : 'narrowed'] as const)
    })
    for (const change of new Set(changes)) this.#report(`limit-${change}`, place, ...texts)
  }

  #compareValues(before: TypeSchema, after: TypeSchema, place: Place): void {
    const texts = [describeType(before), describeType(after)] as const
    const { enum: valuesBefore } = before
    const valuesAfter = valuesBefore ? listKnownValues(after) : (after.enum ?? null)
    if (valuesBefore && valuesAfter) {
      const added = valuesAfter.filter((value) => !valuesBefore.includes(value))
      // Words that are too rare for an enumeration tell nothing of the others.
      const removed = after.enum ? valuesBefore.filter((value) => !valuesAfter.includes(value)) : []
      if (added.length > 0) this.#report('value-added', place, '', added.join(', '))
      if (removed.length > 0) this.#report('value-removed', place, removed.join(', '))
    } else if (valuesBefore && !isShownLess(before, after)) this.#report('values-opened', place, ...texts)
    else if (valuesAfter) this.#report('values-closed', place, ...texts)
  }

  #compareFormats(before: TypeSchema, after: TypeSchema, place: Place): void {
    if (isShownLess(before, after)) return
    const texts = [describeType(before), describeType(after)] as const
    // The patterns of recorded texts only spell their formats.
    const hasPatterns = !isRecorded(before) && !isRecorded(after)
    const list = (type: TypeSchema): readonly string[] => [
      ...listFormats(type),
      ...(hasPatterns ? [type.pattern, type.contentEncoding].filter((text) => text !== undefined) : []),
    ]
    const lost = list(before).filter((format) => !list(after).includes(format))
    const gained = list(after).filter((format) => !list(before).includes(format))
    if (lost.length > 0 && gained.length > 0) this.#report('format-changed', place, ...texts)
    else if (lost.length > 0) this.#report('format-lost', place, ...texts)
    else if (gained.length > 0) this.#report('format-added', place, ...texts)
  }

  /** Shapes with the same tag are compared; a shape without a tag stands for all others. */
  #compareObjects(before: readonly TypeSchema[], after: readonly TypeSchema[], place: Place): void {
    const [objectsBefore, objectsAfter] = [toObjectsByTag(before), toObjectsByTag(after)]
    if (objectsBefore.has('') || objectsAfter.has('')) {
      const [[first], [second]] = [joinTypes(before), joinTypes(after)]
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

  #compareMembers(before: TypeSchema, after: TypeSchema, place: Place): void {
    const texts = [describeType(before), describeType(after)] as const
    if (isUnlooked(before) || isUnlooked(after)) {
      if (isUnlooked(before) && isUnlooked(after)) return
      return this.#report('shape-unrecorded', place, ...texts)
    }
    const [entriesBefore, entriesAfter] = [getEntries(before), getEntries(after)]
    if (entriesBefore && entriesAfter) {
      this.compare(entriesBefore, entriesAfter, { ...place, pointer: `${place.pointer}/{key}` })
    }
    const [membersBefore, membersAfter] = [listMembers(before), listMembers(after)]
    if (isDictionary(before) !== isDictionary(after) && membersBefore.length + membersAfter.length > 0) {
      return this.#report('dictionary-changed', place, ...texts)
    }
    const isClosed = [before, after].map(({ additionalProperties }) => additionalProperties === false)
    if (isClosed[0] !== isClosed[1]) this.#report(isClosed[1] ? 'members-closed' : 'members-opened', place)
    const others = new Map(membersAfter.map((member) => [member.name, member]))
    for (const member of membersBefore) {
      const other = others.get(member.name)
      const memberPlace = {
        ...place,
        pointer: place.pointer + toPointerStep(member.name),
        isOpen: place.isOpen || isOpen(member.schema) || (other !== undefined && isOpen(other.schema)),
      }
      others.delete(member.name)
      const text = describeSchema(member.schema)
      if (!other) {
        const isUnknown = isSampled(after) && after['x-source'] === 'recorded'
        if (isUnknown || (isRecorded(member.schema) && isShownLess(before, after))) {
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
    for (const { name, isRequired, schema } of others.values()) {
      const isDemanded = this.#context.direction === 'request' && isRequired
      const memberPlace = {
        ...place,
        pointer: place.pointer + toPointerStep(name),
        isOpen: place.isOpen || isOpen(schema),
      }
      this.#report(isDemanded ? 'required-member-added' : 'member-added', memberPlace, '', describeSchema(schema))
    }
  }
}

const isOpen = ({ 'x-basis': basis = 'spec' }: JsonSchema): boolean => !isBinding(basis)

/** The later side is the contract, which shows less than what was recorded of the earlier one. */
const isShownLess = (before: TypeSchema, after: TypeSchema): boolean =>
  getResponseCount(before) !== null && getResponseCount(after) === null && after['x-source'] !== 'recorded'

const limitKeywords = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
] as const

/** Pairs the limits of both sides; a missing one is infinite. */
const listLimits = (before: TypeSchema, after: TypeSchema) =>
  limitKeywords.flatMap(([min, max]) => {
    if ([min, max].every((name) => before[name] === undefined && after[name] === undefined)) return []
    return [
      { first: before[min] ?? -Infinity, second: after[min] ?? -Infinity, isLower: true },
      { first: before[max] ?? Infinity, second: after[max] ?? Infinity, isLower: false },
    ]
  })

const toObjectsByTag = (objects: readonly TypeSchema[]): Map<string, TypeSchema> =>
  new Map(
    objects.map((object) => [object['x-tag'] ? `${object['x-tag'].member}=${object['x-tag'].value}` : '', object]),
  )
