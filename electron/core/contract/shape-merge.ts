import {
  createObjectShape,
  createRecord,
  type LearnedShape,
  type ListShape,
  type NumberShape,
  type ObjectShape,
  type RecordShape,
  type StringShape,
} from './learned-shape.ts'
import { createSketch, mergeSketch } from './response-sketch.ts'
import { ALL_FORMATS } from '../../../shared/contract/string-traits.ts'

/** A text with more different values is no enumeration. */
export const MAX_ENUMERATED_VALUES = 16
/** Different responses with a value that are remembered. */
export const MAX_VALUE_HASHES = 3
/** More members make a dictionary. Limits fall so that a hostile response cannot multiply them. */
const MAX_MEMBERS_BY_DEPTH = [128, 64, 64, 24, 24, 12, 12]
const MAX_DEEP_MEMBERS = 8
/** A tag with more different values does not decide the shape. */
const MAX_VARIANTS = 16

const getMaxMembers = (depth: number): number => MAX_MEMBERS_BY_DEPTH[depth] ?? MAX_DEEP_MEMBERS

/** Adds the responses with a value to those that are remembered. */
export function mergeValueHashes(first: readonly number[], second: readonly number[]): readonly number[] {
  return [...new Set([...first, ...second])].sort((low, high) => low - high).slice(0, MAX_VALUE_HASHES)
}

/** Keeps only the outermost types of a shape that is too large, now and when it is merged. */
export function dropInnerTypes({ list, object }: LearnedShape): void {
  if (list) {
    list.isDropped = true
    list.element = null
  }
  if (object) dropVariants(object)
}

export function dropVariants(shape: ObjectShape): void {
  shape.variants = null
  shape.isMixed = false
}

export function extendRange(range: { min: number; max: number }, min: number, max: number): void {
  if (min < range.min) range.min = min
  if (max > range.max) range.max = max
}

/** Adds everything that `source` shows to `target`. Nothing of `source` is shared afterwards. */
export function mergeShape(target: LearnedShape, source: LearnedShape, depth = 0): void {
  if (source.null) mergeSketch((target.null ??= createSketch()), source.null)
  if (source.boolean) {
    const booleans = (target.boolean ??= { responses: createSketch(), hasTrue: false, hasFalse: false })
    mergeSketch(booleans.responses, source.boolean.responses)
    booleans.hasTrue ||= source.boolean.hasTrue
    booleans.hasFalse ||= source.boolean.hasFalse
  }
  if (source.number) mergeNumber(target, source.number)
  if (source.string) mergeString(target, source.string)
  if (source.list) mergeList(target, source.list, depth)
  if (source.object) mergeObjectShape((target.object ??= createObjectShape()), source.object, depth)
}

/** JSON texts may hold numbers that are too large, which have no limits. */
const hasLimits = ({ min, max }: { readonly min: number; readonly max: number }): boolean =>
  Number.isFinite(min) && Number.isFinite(max)

function mergeNumber(target: LearnedShape, source: NumberShape): void {
  const range = source.range && hasLimits(source.range) ? { ...source.range } : null
  const numbers = (target.number ??= { responses: createSketch(), isInteger: true, range })
  mergeSketch(numbers.responses, source.responses)
  numbers.isInteger &&= source.isInteger
  if (range === null) numbers.range = null
  else if (numbers.range) extendRange(numbers.range, range.min, range.max)
}

function mergeString(target: LearnedShape, source: StringShape): void {
  const { minChars, maxChars } = source
  const strings = (target.string ??= {
    responses: createSketch(),
    minChars,
    maxChars,
    formats: ALL_FORMATS,
    values: new Map(),
  })
  mergeSketch(strings.responses, source.responses)
  strings.minChars = Math.min(strings.minChars, minChars)
  strings.maxChars = Math.max(strings.maxChars, maxChars)
  strings.formats &= source.formats
  if (source.values === null) strings.values = null
  if (strings.values === null) return
  for (const [text, hashes] of source.values ?? []) {
    strings.values.set(text, mergeValueHashes(strings.values.get(text) ?? [], hashes))
  }
  if (strings.values.size > MAX_ENUMERATED_VALUES) strings.values = null
}

function mergeList(target: LearnedShape, source: ListShape, depth: number): void {
  const { minLength, maxLength } = source
  const lists = (target.list ??= {
    responses: createSketch(),
    minLength,
    maxLength,
    isSampled: false,
    isDropped: false,
    element: null,
  })
  mergeSketch(lists.responses, source.responses)
  lists.minLength = Math.min(lists.minLength, minLength)
  lists.maxLength = Math.max(lists.maxLength, maxLength)
  lists.isSampled ||= source.isSampled
  lists.isDropped ||= source.isDropped
  if (lists.isDropped) lists.element = null
  else if (source.element) mergeShape((lists.element ??= {}), source.element, depth + 1)
}

/** Makes a dictionary of a record with too many members. */
export function joinManyMembers(record: RecordShape, depth: number): void {
  if (record.members === null || record.members.size <= getMaxMembers(depth)) return
  for (const { shape } of record.members.values()) addEntries(record, shape, depth)
  record.members = null
}

function addEntries(record: RecordShape, member: LearnedShape, depth: number): void {
  const copy: LearnedShape = {}
  mergeShape(copy, member, depth + 1)
  forgetMemberName(copy)
  mergeShape((record.entries ??= {}), copy, depth + 1)
}

/** Removes what may be kept only because of the name of the member. */
function forgetMemberName({ string, number, list }: LearnedShape): void {
  if (string) string.values = null
  if (number) number.range = null
  if (list?.element) forgetMemberName(list.element)
}

/** Gives all objects the empty tag if there are too many tags. */
export function mixManyVariants(shape: ObjectShape, depth: number): void {
  if (shape.variants === null || (!shape.isMixed && shape.variants.size <= MAX_VARIANTS)) return
  shape.isMixed = true
  const [first, ...others] = shape.variants.values()
  if (!first) return
  for (const other of others) mergeRecord(first, other, depth)
  shape.variants = new Map([['', first]])
}

function mergeObjectShape(target: ObjectShape, source: ObjectShape, depth: number): void {
  mergeSketch(target.responses, source.responses)
  if (target.variants === null || source.variants === null) {
    dropVariants(target)
    return
  }
  for (const [tag, record] of source.variants) {
    const merged = target.variants.get(tag) ?? createRecord()
    mergeRecord(merged, record, depth)
    target.variants.set(tag, merged)
  }
  target.isMixed ||= source.isMixed
  mixManyVariants(target, depth)
}

function mergeRecord(target: RecordShape, source: RecordShape, depth: number): void {
  const isFirst = target.responses.hashes.length === 0
  mergeSketch(target.responses, source.responses)
  target.isSampled ||= source.isSampled
  if (source.entries) mergeShape((target.entries ??= {}), source.entries, depth + 1)
  if (target.members === null || source.members === null) {
    for (const { members } of [target, source]) {
      for (const { shape } of members?.values() ?? []) addEntries(target, shape, depth)
    }
    target.members = null
    return
  }
  for (const [name, member] of target.members) if (!source.members.has(name)) member.isOptional = true
  for (const [name, { shape, isOptional }] of source.members) {
    let member = target.members.get(name)
    if (!member) {
      member = { shape: {}, isOptional: !isFirst }
      target.members.set(name, member)
    }
    member.isOptional ||= isOptional
    mergeShape(member.shape, shape, depth + 1)
  }
  joinManyMembers(target, depth)
}
