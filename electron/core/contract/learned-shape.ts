// The recorded shape of a place that the contract leaves open. A shape grows with each
// response (response-observer.ts); merging two shapes (shape-merge.ts) gives the same result in any
// order and any grouping, and merging a shape with itself changes nothing. Read this file first.

import { createSketch, type ResponseSketch } from './response-sketch.ts'

export interface NumberShape {
  readonly responses: ResponseSketch
  isInteger: boolean
  /** Null if the numbers identify something, so that their range is not kept. */
  range: { min: number; max: number } | null
}

export interface StringShape {
  readonly responses: ResponseSketch
  minChars: number
  maxChars: number
  /** Bits of the formats that every text has. */
  formats: number
  /** Smallest hashes of each value's responses. Null for too many, or unsafe values. */
  values: Map<string, readonly number[]> | null
}

export interface ListShape {
  readonly responses: ResponseSketch
  minLength: number
  maxLength: number
  /** Elements beyond the first `MAX_OBSERVED_ELEMENTS` of a response were not looked at. */
  isSampled: boolean
  /** The response had so many members that its elements are no longer looked at. */
  isDropped: boolean
  /** Null if no element was seen, or if the list is dropped or too deep. */
  element: LearnedShape | null
}

interface MemberShape {
  readonly shape: LearnedShape
  /** Some object lacked the member. */
  isOptional: boolean
}

export interface RecordShape {
  readonly responses: ResponseSketch
  /** Null if there are so many names that the object is a dictionary. */
  members: Map<string, MemberShape> | null
  /** The merged values of all keys that are no names, such as ids; null if there are none. */
  entries: LearnedShape | null
  /** Some response had more entries than were looked at. */
  isSampled: boolean
}

export interface ObjectShape {
  readonly responses: ResponseSketch
  /** Shapes by tag (`kind=text`, or empty); null for one too deep or with too many members. */
  variants: Map<string, RecordShape> | null
  /** There were so many tags that all objects have the empty one; false if `variants` is null. */
  isMixed: boolean
}

export function createObjectShape(): ObjectShape {
  return {
    responses: createSketch(),
    variants: new Map(),
    isMixed: false,
  }
}

export function createRecord(): RecordShape {
  return {
    responses: createSketch(),
    members: new Map(),
    entries: null,
    isSampled: false,
  }
}

/** The types that a value had; a member is absent if the value never had the type. */
export interface LearnedShape {
  null?: ResponseSketch
  boolean?: { readonly responses: ResponseSketch; hasTrue: boolean; hasFalse: boolean }
  number?: NumberShape
  string?: StringShape
  list?: ListShape
  object?: ObjectShape
}
