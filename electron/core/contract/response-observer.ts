import {
  createObjectShape,
  createRecord,
  type LearnedShape,
  type ObjectShape,
  type RecordShape,
} from './learned-shape.ts'
import { addToSketch, createSketch } from './response-sketch.ts'
import {
  dropInnerTypes,
  dropVariants,
  extendRange,
  joinManyMembers,
  MAX_ENUMERATED_VALUES,
  mergeValueHashes,
  mixManyVariants,
} from './shape-merge.ts'
import {
  ALL_FORMATS,
  holdsDictionary,
  isEnumerable,
  isMemberName,
  mayKeepRange,
  narrowFormats,
} from '../../../shared/contract/string-traits.ts'

/** Deeper values are counted by type only. */
const MAX_DEPTH = 20
/** Elements of a list that are looked at in one response. */
export const MAX_OBSERVED_ELEMENTS = 200
/** Keys of either kind, names and others, that are looked at in one object. */
export const MAX_OBSERVED_KEYS = 1_000
/** Members of one shape; a larger one is dropped, so that a host cannot fill the memory. */
export const MAX_SHAPE_MEMBERS = 8_000
/** Members that may tell which shape an object has, the most telling first. */
const TAG_MEMBERS = ['kind', 'type', 'variant', 'mode', 'event', 'action', 'scope', 'state', 'status'] as const

interface Observation {
  readonly hash: number
  /** Members that were added to the shape, by this response and those before it. */
  memberCount: number
}

/**
 * Adds the whole body of a response to a shape. Of a shape with too many members only the outermost
 * types are kept.
 * @param hash of the response, see `hashResponseId`
 * @param memberCount what the responses before this one returned
 */
export function observeResponse(shape: LearnedShape, body: unknown, hash: number, memberCount = 0): number {
  const response = { hash, memberCount }
  observeValue(shape, body, response, null, 0)
  if (response.memberCount <= MAX_SHAPE_MEMBERS) return response.memberCount
  dropInnerTypes(shape)
  return 0
}

/** Observes a value of `member`, which is null for the response and entries of dictionaries. */
function observeValue(
  shape: LearnedShape,
  value: unknown,
  response: Observation,
  member: string | null,
  depth: number,
): void {
  if (typeof value === 'string') observeString(shape, value, response, member)
  else if (typeof value === 'number') observeNumber(shape, value, response, member)
  else if (typeof value === 'boolean') observeBoolean(shape, value, response)
  else if (value === null) addToSketch((shape.null ??= createSketch()), response.hash)
  else if (Array.isArray(value)) observeList(shape, value, response, member, depth)
  else if (typeof value === 'object') {
    observeObject((shape.object ??= createObjectShape()), value as Record<string, unknown>, response, member, depth)
  }
}

function observeBoolean(shape: LearnedShape, isTrue: boolean, { hash }: Observation): void {
  const booleans = (shape.boolean ??= { responses: createSketch(), hasTrue: false, hasFalse: false })
  addToSketch(booleans.responses, hash)
  if (isTrue) booleans.hasTrue = true
  else booleans.hasFalse = true
}

function observeNumber(shape: LearnedShape, value: number, response: Observation, member: string | null): void {
  // Zero and minus zero are equal but not the same.
  const number = value + 0
  const numbers = (shape.number ??= {
    responses: createSketch(),
    isInteger: true,
    range: mayKeepRange(member) ? { min: number, max: number } : null,
  })
  // A text of JSON may hold a number that is too large.
  if (!Number.isFinite(number)) numbers.range = null
  addToSketch(numbers.responses, response.hash)
  numbers.isInteger &&= Number.isInteger(number)
  if (numbers.range) extendRange(numbers.range, number, number)
}

function observeString(shape: LearnedShape, text: string, response: Observation, member: string | null): void {
  const { length } = text
  const strings = (shape.string ??= {
    responses: createSketch(),
    minChars: length,
    maxChars: length,
    formats: ALL_FORMATS,
    values: new Map(),
  })
  addToSketch(strings.responses, response.hash)
  if (length < strings.minChars) strings.minChars = length
  if (length > strings.maxChars) strings.maxChars = length
  if (strings.formats !== 0) strings.formats = narrowFormats(strings.formats, text)
  if (strings.values === null) return
  const present = strings.values.get(text)
  if (present?.includes(response.hash)) return
  if (present || (strings.values.size < MAX_ENUMERATED_VALUES && isEnumerable(member, text))) {
    strings.values.set(text, mergeValueHashes(present ?? [], [response.hash]))
  } else strings.values = null
}

function observeList(
  shape: LearnedShape,
  list: readonly unknown[],
  response: Observation,
  member: string | null,
  depth: number,
): void {
  const { length } = list
  const lists = (shape.list ??= {
    responses: createSketch(),
    minLength: length,
    maxLength: length,
    isSampled: false,
    isDropped: false,
    element: null,
  })
  addToSketch(lists.responses, response.hash)
  if (length < lists.minLength) lists.minLength = length
  if (length > lists.maxLength) lists.maxLength = length
  if (length === 0 || depth >= MAX_DEPTH) return
  if (length > MAX_OBSERVED_ELEMENTS) lists.isSampled = true
  if (lists.isDropped) return
  const element = (lists.element ??= {})
  for (let index = 0; index < length && index < MAX_OBSERVED_ELEMENTS; index += 1) {
    if (response.memberCount > MAX_SHAPE_MEMBERS) return
    const value = list[index]
    // Objects in a list are no dictionary, whatever the name of the list is.
    observeValue(element, value, response, isRecord(value) ? null : member, depth + 1)
  }
}

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

function observeObject(
  shape: ObjectShape,
  object: Readonly<Record<string, unknown>>,
  response: Observation,
  holder: string | null,
  depth: number,
): void {
  addToSketch(shape.responses, response.hash)
  if (depth >= MAX_DEPTH) dropVariants(shape)
  if (shape.variants === null) return
  const isDictionary = holder !== null && holdsDictionary(holder)
  const tag = shape.isMixed || isDictionary ? '' : findTag(object, shape.variants)
  const present = shape.variants.get(tag)
  if (present) return observeRecord(present, object, response, isDictionary, depth)
  const record = createRecord()
  observeRecord(record, object, response, isDictionary, depth)
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
  response: Observation,
  isDictionary: boolean,
  depth: number,
): void {
  const isFirst = record.responses.hashes.length === 0
  addToSketch(record.responses, response.hash)
  // Which keys are looked at must depend on this object alone, not on what was observed before.
  let [nameCount, keyCount] = [0, 0]
  for (const key of Object.keys(object)) {
    if (response.memberCount > MAX_SHAPE_MEMBERS) return
    const member = isDictionary ? undefined : record.members?.get(key)
    const isName = member !== undefined || (!isDictionary && isMemberName(key))
    const count = isName ? (nameCount += 1) : (keyCount += 1)
    if (count > MAX_OBSERVED_KEYS) {
      record.isSampled = true
      continue
    }
    if (record.members === null || !isName) {
      const value = object[key]
      // Values of joined members are read as before they were joined.
      const holder = isName && isRecord(value) ? key : null
      observeValue((record.entries ??= {}), value, response, holder, depth + 1)
      continue
    }
    if (member) {
      observeValue(member.shape, object[key], response, key, depth + 1)
      continue
    }
    const newMember = { shape: {}, isOptional: !isFirst }
    record.members.set(key, newMember)
    response.memberCount += 1
    observeValue(newMember.shape, object[key], response, key, depth + 1)
    joinManyMembers(record, depth)
  }
  if (record.members === null || nameCount === record.members.size) return
  // A key of a dictionary is no member, even if a member has the same name.
  for (const [name, member] of record.members) {
    if (isDictionary || !Object.hasOwn(object, name)) member.isOptional = true
  }
}
