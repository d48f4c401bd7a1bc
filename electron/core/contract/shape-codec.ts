import { isObject } from '../../../shared/json/object.ts'
import type { LearnedShape, ObjectShape, RecordShape } from './learned-shape.ts'
import { createSketch, type ResponseSketch } from './response-sketch.ts'

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

const compareKeys = ([first]: readonly [string, unknown], [second]: readonly [string, unknown]): number =>
  first < second ? -1 : first > second ? 1 : 0

const toFlag = (isSet: boolean): Json => (isSet ? 1 : 0)

/** The text is the same for equal shapes, in whatever order their values were observed. */
export function formatShape(shape: LearnedShape): string {
  return JSON.stringify(toJson(shape))
}

// Members and variants are lists of pairs, so that their order is fixed and any name is safe.
function toJson({ null: nulls, boolean, number, string, list, object }: LearnedShape): Json {
  const json: Record<string, Json> = {}
  if (nulls) json['z'] = nulls.hashes
  if (boolean) json['b'] = [boolean.responses.hashes, toFlag(boolean.hasTrue), toFlag(boolean.hasFalse)]
  if (number) {
    const range = number.range && [number.range.min, number.range.max]
    json['n'] = [number.responses.hashes, toFlag(number.isInteger), range]
  }
  if (string) {
    const { responses, minChars, maxChars, formats } = string
    const values = string.values && [...string.values].sort(compareKeys).map(([text, hashes]) => [text, hashes])
    json['s'] = [responses.hashes, minChars, maxChars, formats, values]
  }
  if (list) {
    const { responses, minLength, maxLength, isSampled, isDropped, element } = list
    const flags = [toFlag(isSampled), element && toJson(element), toFlag(isDropped)]
    json['l'] = [responses.hashes, minLength, maxLength, ...flags]
  }
  if (object) {
    const variants =
      object.variants && [...object.variants].sort(compareKeys).map(([tag, record]) => [tag, toRecordJson(record)])
    json['o'] = [object.responses.hashes, toFlag(object.isMixed), variants]
  }
  return json
}

function toRecordJson({ responses, members, entries, isSampled }: RecordShape): Json {
  const pairs =
    members &&
    [...members].sort(compareKeys).map(([name, { shape, isOptional }]) => [name, toFlag(isOptional), toJson(shape)])
  return [responses.hashes, toFlag(isSampled), entries && toJson(entries), pairs]
}

/** @returns null if the text is not one of `formatShape` */
export function parseShape(text: string): LearnedShape | null {
  try {
    return fromJson(JSON.parse(text))
  } catch {
    return null
  }
}

function fromJson(value: unknown): LearnedShape {
  if (!isObject(value)) throw new TypeError('no shape')
  const shape: LearnedShape = {}
  if (value['z'] !== undefined) shape.null = toSketch(value['z'])
  if (value['b'] !== undefined) {
    const [hashes, hasTrue, hasFalse] = toList(value['b'])
    shape.boolean = { responses: toSketch(hashes), hasTrue: hasTrue === 1, hasFalse: hasFalse === 1 }
  }
  if (value['n'] !== undefined) {
    const [hashes, isInteger, range] = toList(value['n'])
    const [min, max] = range === null ? [null, null] : toList(range)
    shape.number = {
      responses: toSketch(hashes),
      isInteger: isInteger === 1,
      // An infinite limit is written as null.
      range: min === null || max === null ? null : { min: toNumber(min), max: toNumber(max) },
    }
  }
  if (value['s'] !== undefined) {
    const [hashes, minChars, maxChars, formats, values] = toList(value['s'])
    shape.string = {
      responses: toSketch(hashes),
      minChars: toNumber(minChars),
      maxChars: toNumber(maxChars),
      formats: toNumber(formats),
      values: values === null ? null : new Map(toList(values).map(toEnumeratedValue)),
    }
  }
  if (value['l'] !== undefined) {
    const [hashes, minLength, maxLength, isSampled, element, isDropped] = toList(value['l'])
    shape.list = {
      responses: toSketch(hashes),
      minLength: toNumber(minLength),
      maxLength: toNumber(maxLength),
      isSampled: isSampled === 1,
      isDropped: isDropped === 1,
      element: element === null ? null : fromJson(element),
    }
  }
  if (value['o'] !== undefined) shape.object = toObjectShape(toList(value['o']))
  return shape
}

function toObjectShape([hashes, isMixed, variants]: readonly unknown[]): ObjectShape {
  const toVariant = (variant: unknown): readonly [string, RecordShape] => {
    const [tag, record] = toList(variant)
    return [toText(tag), toRecord(toList(record))]
  }
  return {
    responses: toSketch(hashes),
    isMixed: isMixed === 1,
    variants: variants === null ? null : new Map(toList(variants).map(toVariant)),
  }
}

function toRecord([hashes, isSampled, entries, members]: readonly unknown[]): RecordShape {
  const toMember = (member: unknown) => {
    const [name, isOptional, shape] = toList(member)
    return [toText(name), { isOptional: isOptional === 1, shape: fromJson(shape) }] as const
  }
  return {
    responses: toSketch(hashes),
    isSampled: isSampled === 1,
    entries: entries === null ? null : fromJson(entries),
    members: members === null ? null : new Map(toList(members).map(toMember)),
  }
}

/** Older versions stored one hash for each value. */
function toEnumeratedValue(value: unknown): readonly [string, readonly number[]] {
  const [text, hashes] = toList(value)
  return [toText(text), [hashes].flat().map(toNumber)]
}

function toList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('no list')
  return value
}

function toNumber(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError('no number')
  return value
}

function toText(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('no text')
  return value
}

function toSketch(hashes: unknown): ResponseSketch {
  const sketch = createSketch()
  sketch.hashes.push(...toList(hashes).map(toNumber))
  return sketch
}
