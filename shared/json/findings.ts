/** Something in an answer that plain `JSON.parse` would change or hide without a word. */
export type Finding =
  | { readonly kind: 'unsafe-number'; readonly path: string; readonly raw: string; readonly rounded: string }
  | { readonly kind: 'duplicate-key'; readonly path: string; readonly key: string }
  | { readonly kind: 'bidi-control'; readonly path: string }
  | { readonly kind: 'lone-surrogate'; readonly path: string }
  | { readonly kind: 'invalid-utf8'; readonly offset: number }
  | { readonly kind: 'bom' }
  | { readonly kind: 'too-deep'; readonly depth: number }
  | { readonly kind: 'not-json'; readonly message: string }
  | { readonly kind: 'schema'; readonly path: string; readonly message: string }

/** Findings kept of one answer; the rest is only counted. */
export const MAX_FINDINGS = 200

/** A bounded list of findings. */
export class FindingList {
  readonly items: Finding[] = []
  total = 0

  add(finding: Finding): void {
    this.total += 1
    if (this.items.length < MAX_FINDINGS) this.items.push(finding)
  }
}
