import type { RawText } from './raw-texts.ts'

/**
 * How a value was converted: read from another `name`, from the only `list` of the response, from
 * an id or text instead of an object, from a text with a `number` or a `flag`, from one `group` of
 * a list, or from a member that holds the whole response.
 */
export type ConversionKind = 'name' | 'list' | 'bare-value' | 'number' | 'flag' | 'group' | 'wrapped'

/** A value that was read although the host sent it in another shape. Nothing was omitted. */
export interface ShapeConversion {
  /** JSON pointer to the values as sent, with `*` for every entry of a list. */
  readonly path: string
  /** Name of the member in the contract's schema. */
  readonly name: string
  readonly conversionKind: ConversionKind
  readonly count: number
}

/** What `JSON.parse` would silently change or hide; offsets are places in the decoded text. */
export type JsonFinding =
  | {
      readonly kind: 'unsafe-number'
      readonly path: string
      readonly raw: string
      /** The number as JavaScript represents it, in place of the one that the host sent. */
      readonly rounded: string
      readonly offset: number
    }
  | {
      readonly kind: 'duplicate-key'
      readonly path: string
      readonly key: string
      /** Offsets of the first and of the repeated name. */
      readonly offsets: readonly [first: number, again: number]
    }
  | { readonly kind: 'bidi-control'; readonly path: string; readonly offset: number }
  | { readonly kind: 'lone-surrogate'; readonly path: string; readonly offset: number }
  | { readonly kind: 'invalid-utf8'; readonly offset: number }
  | { readonly kind: 'bom' }
  /** The token was in the response and was masked before it reached the page. */
  | { readonly kind: 'token-masked'; readonly count: number }
  | { readonly kind: 'too-deep'; readonly depth: number }
  | { readonly kind: 'not-json'; readonly message: string }
  | ({ readonly kind: 'read-as' } & ShapeConversion)
  /** The member was omitted as it does not fit; `rawText` is absent without a value. */
  | SchemaViolation<'schema'>
  /** A list entry that was omitted because of the value at `path`; `rawText` is the whole entry. */
  | SchemaViolation<'entry'>
  /**
   * A value that was omitted, alone or with its entry, because it is otherwise than seen on a host
   * of version 0.49. The contract leaves it open, so it is counted nowhere.
   */
  | SchemaViolation<'observed'>

interface SchemaViolation<K extends string> {
  readonly kind: K
  readonly path: string
  /** JSON types, or values, that the contract allows there. */
  readonly expected: string
  /** JSON type of the value; `undefined` if there is none. */
  readonly actual: string
  readonly rawText?: RawText
}

/** Further findings are only counted. */
export const MAX_JSON_FINDINGS = 200

export class JsonFindingList {
  readonly items: JsonFinding[] = []
  total = 0

  /** Called only while there is room, because building a path costs the most. */
  add(make: () => JsonFinding): void {
    this.total += 1
    if (this.items.length < MAX_JSON_FINDINGS) this.items.push(make())
  }
}
