import {
  createObjectShape,
  createRecord,
  type LearnedShape,
  type ObjectShape,
  type RecordShape,
} from './learned-shape.ts'
import { addToSketch, createSketch } from './response-sketch.ts'
import { extendRange, joinManyMembers, MAX_ENUMERATED_VALUES, mixManyVariants } from './shape-merge.ts'
import { ALL_FORMATS, isEnumerable, isMemberName, mayKeepRange, narrowFormats } from './string-traits.ts'

/** Deeper values are counted by type only. */
const MAX_DEPTH = 20
/** Elements of a list that are looked at in one response. */
export const MAX_OBSERVED_ELEMENTS = 200
/** Keys of either kind, names and others, that are looked at in one object. */
export const MAX_OBSERVED_KEYS = 1_000
/** Members that may tell which shape an object has, the most telling first. */
const TAG_MEMBERS = ['kind', 'type', 'variant', 'mode', 'event', 'action', 'scope', 'state', 'status'] as const

/**
 * Adds the whole body of a response to a shape.
 * @param hash of the response, see `hashResponseId`
 */
export function observeResponse(shape: LearnedShape, body: unknown, hash: number): void {
  observeValue(shape, body, hash, null, 0)
}

/**
 * @param member that holds the value or the list around it; null for the response itself and for
 *   the entries of a dictionary
 */
function observeValue(shape: LearnedShape, value: unknown, hash: number, member: string | null, depth: number): void {
  if (typeof value === 'string') observeString(shape, value, hash, member)
  else if (typeof value === 'number') observeNumber(shape, value, hash, member)
  else if (typeof value === 'boolean') observeBoolean(shape, value, hash)
  else if (value === null) addToSketch((shape.null ??= createSketch()), hash)
  else if (Array.isArray(value)) observeList(shape, value, hash, member, depth)
  else if (typeof value === 'object') {
    observeObject((shape.object ??= createObjectShape()), value as Record<string, unknown>, hash, depth)
  }
}

function observeBoolean(shape: LearnedShape, isTrue: boolean, hash: number): void {
  const booleans = (shape.boolean ??= { responses: createSketch(), hasTrue: false, hasFalse: false })
  addToSketch(booleans.responses, hash)
  if (isTrue) booleans.hasTrue = true
  else booleans.hasFalse = true
}

function observeNumber(shape: LearnedShape, value: number, hash: number, member: string | null): void {
  // Zero and minus zero are equal but not the same.
  const number = value + 0
  const numbers = (shape.number ??= {
    responses: createSketch(),
    isInteger: true,
    range: mayKeepRange(member) ? { min: number, max: number } : null,
  })
  addToSketch(numbers.responses, hash)
  numbers.isInteger &&= Number.isInteger(number)
  if (numbers.range) extendRange(numbers.range, number, number)
}

function observeString(shape: LearnedShape, text: string, hash: number, member: string | null): void {
  const { length } = text
  const strings = (shape.string ??= {
    responses: createSketch(),
    ...{ minChars: length, maxChars: length, formats: ALL_FORMATS, values: new Map() },
  })
  addToSketch(strings.responses, hash)
  if (length < strings.minChars) strings.minChars = length
  if (length > strings.maxChars) strings.maxChars = length
  if (strings.formats !== 0) strings.formats = narrowFormats(strings.formats, text)
  if (strings.values === null) return
  const present = strings.values.get(text)
  if (present) {
    present.isRepeated = true
    present.hash = Math.min(present.hash, hash)
  } else if (strings.values.size < MAX_ENUMERATED_VALUES && isEnumerable(member, text)) {
    strings.values.set(text, { hash, isRepeated: false })
  } else strings.values = null
}

function observeList(
  shape: LearnedShape,
  list: readonly unknown[],
  hash: number,
  member: string | null,
  depth: number,
): void {
  const { length } = list
  const lists = (shape.list ??= {
    responses: createSketch(),
    ...{ minLength: length, maxLength: length, isSampled: false, element: null },
  })
  addToSketch(lists.responses, hash)
  if (length < lists.minLength) lists.minLength = length
  if (length > lists.maxLength) lists.maxLength = length
  if (length === 0 || depth >= MAX_DEPTH) return
  if (length > MAX_OBSERVED_ELEMENTS) lists.isSampled = true
  const element = (lists.element ??= {})
  for (let index = 0; index < length && index < MAX_OBSERVED_ELEMENTS; index += 1) {
    observeValue(element, list[index], hash, member, depth + 1)
  }
}

function observeObject(
  shape: ObjectShape,
  object: Readonly<Record<string, unknown>>,
  hash: number,
  depth: number,
): void {
  addToSketch(shape.responses, hash)
  if (depth >= MAX_DEPTH) shape.variants = null
  if (shape.variants === null) return
  const tag = shape.isMixed ? '' : findTag(object, shape.variants)
  const present = shape.variants.get(tag)
  if (present) return observeRecord(present, object, hash, depth)
  const record = createRecord()
  observeRecord(record, object, hash, depth)
  shape.variants.set(tag, record)
  mixManyVariants(shape, depth)
}

function findTag(object: Readonly<Record<string, unknown>>, knownTags: ReadonlyMap<string, unknown>): string {
  for (const member of TAG_MEMBERS) {
    const value = Object.hasOwn(object, member) ? object[member] : undefined
    if (typeof value !== 'string') continue
    const tag = `${member}=${value}`
    if (knownTags.has(tag) || isEnumerable(member, value)) return tag
  }
  return ''
}

function observeRecord(
  record: RecordShape,
  object: Readonly<Record<string, unknown>>,
  hash: number,
  depth: number,
): void {
  const isFirst = record.responses.hashes.length === 0
  addToSketch(record.responses, hash)
  // Which keys are looked at must depend on this object alone, not on what was observed before.
  let [nameCount, keyCount] = [0, 0]
  for (const key of Object.keys(object)) {
    const member = record.members?.get(key)
    const isName = member !== undefined || isMemberName(key)
    const count = isName ? (nameCount += 1) : (keyCount += 1)
    if (count > MAX_OBSERVED_KEYS) {
      record.isSampled = true
      continue
    }
    if (record.members === null || !isName) {
      observeValue((record.entries ??= {}), object[key], hash, null, depth + 1)
      continue
    }
    if (member) {
      observeValue(member.shape, object[key], hash, key, depth + 1)
      continue
    }
    const newMember = { shape: {}, isOptional: !isFirst }
    record.members.set(key, newMember)
    observeValue(newMember.shape, object[key], hash, key, depth + 1)
    joinManyMembers(record, depth)
  }
  if (record.members === null || nameCount === record.members.size) return
  for (const [name, member] of record.members) if (!Object.hasOwn(object, name)) member.isOptional = true
}
