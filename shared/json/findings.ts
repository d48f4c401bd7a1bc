import type { RawText } from './raw-texts.ts'

/**
 * How a value was read that the host sent in another shape than the schema's: under another `name`, as the only `list` of the answer, in
 * place of the whole object (`self`), as a text that holds a `number` or a `flag`, as one `group` of a list, or with the whole answer
 * `inside` a member.
 */
export type ConversionKind = 'name' | 'list' | 'self' | 'number' | 'flag' | 'group' | 'inside'

/** Values that were read although the host sent them in another shape than the schema's. Nothing was left out. */
export interface ShapeConversion {
  /** JSON pointer to where they were, with `*` for every entry of a list. */
  readonly path: string
  /** The member they were read as. */
  readonly name: string
  readonly how: ConversionKind
  readonly count: number
}

/**
 * Something in an answer that plain `JSON.parse` would silently change or hide. `path` is a JSON pointer (RFC 6901); `at` and `offsets`
 * are positions in the decoded text.
 */
export type JsonFinding =
  | {
      readonly kind: 'unsafe-number'
      readonly path: string
      readonly raw: string
      /** What parsing makes of it. */
      readonly rounded: string
      readonly at: number
    }
  | {
      readonly kind: 'duplicate-key'
      readonly path: string
      readonly key: string
      /** Where the name first appears in its object, and where it appears again, so that both values can be read. */
      readonly offsets: readonly [first: number, again: number]
    }
  | { readonly kind: 'bidi-control'; readonly path: string; readonly at: number }
  | { readonly kind: 'lone-surrogate'; readonly path: string; readonly at: number }
  | { readonly kind: 'invalid-utf8'; readonly offset: number }
  | { readonly kind: 'bom' }
  /** Not found by parsing: the token was in the answer, and was masked before it reached the page. */
  | { readonly kind: 'token-masked'; readonly count: number }
  | { readonly kind: 'too-deep'; readonly depth: number }
  | { readonly kind: 'not-json'; readonly message: string }
  /** Values in a shape that the contract leaves open; nothing was left out. */
  | ({ readonly kind: 'read-as' } & ShapeConversion)
  /** A member that differs from the contract and was left out; without `sent` if there is nothing. */
  | SchemaViolation<'schema'>
  /** An entry of a list that was left out because of what is at `path`; `sent` is the whole entry. */
  | SchemaViolation<'entry'>

interface SchemaViolation<K extends string> {
  readonly kind: K
  readonly path: string
  /** JSON types, or values, that the contract allows there. */
  readonly expected: string
  /** JSON type that was found; `undefined` if there is nothing. */
  readonly found: string
  /** The value has the right type and was not left out. */
  readonly outOfRange?: true
  readonly sent?: RawText
}

/** How many findings are kept per answer; the rest is only counted. */
export const MAX_FINDINGS = 200

/** A bounded list of findings. */
export class FindingList {
  readonly items: JsonFinding[] = []
  total = 0

  /** Counts a finding. `make` is called only while there is room, because building a path costs more than finding the problem. */
  add(make: () => JsonFinding): void {
    this.total += 1
    if (this.items.length < MAX_FINDINGS) this.items.push(make())
  }
}
