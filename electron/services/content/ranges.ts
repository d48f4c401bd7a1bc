import rangeParser from 'range-parser'

/** Bytes of a content, both ends included. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

/** What a `Range` header asks of a content: all of it, one span, or nothing that is there. */
export type Wanted =
  { readonly kind: 'all' } | { readonly kind: 'part'; readonly span: ByteSpan } | { readonly kind: 'none' }

const all: Wanted = { kind: 'all' }

/**
 * What a `Range` header asks for, of a content with so many bytes (RFC 9110 §14). What is no range, has another unit, or names
 * several spans is answered with everything, as a server may; only what lies wholly beyond the end cannot be answered.
 */
export function wantedOf(header: string | null, size: number): Wanted {
  if (header === null) return all
  const text = header.trim()
  // A suffix longer than the content means all of it; the parser would refuse it.
  const suffix = /^bytes=-(\d{1,15})$/i.exec(text)?.[1]
  const parsed = rangeParser(
    size,
    suffix !== undefined && Number(suffix) > size ? `bytes=-${size}` : text.toLowerCase(),
  )
  if (parsed === -2 || (parsed !== -1 && parsed.type !== 'bytes')) return all
  if (parsed === -1) return isOneRange(text) ? { kind: 'none' } : all
  const [span, ...more] = parsed
  if (!span || more.length > 0 || text.includes(',')) return all
  return { kind: 'part', span: { start: span.start, end: span.end } }
}

/** `bytes=9-5` is no range at all, and so are ranges of another unit: there is nothing beyond an end in them. */
function isOneRange(text: string): boolean {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(text) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return false
  return first === '' || last === '' || Number(first) <= Number(last)
}

/** Whether a header asks for everything from some byte on: how media elements ask. */
export const isOpenEnded = (header: string | null): boolean => header !== null && /^\s*bytes=\d+-\s*$/i.test(header)

/** What a `Content-Range` header says; null where it cannot be read. `size` null = the host does not know. */
export function contentRange(header: string | undefined): (ByteSpan & { readonly size: number | null }) | null {
  const [, first, last, size] = /^\s*bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)\s*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || size === undefined) return null
  const span = { start: Number(first), end: Number(last), size: size === '*' ? null : Number(size) }
  const possible = span.start <= span.end && (span.size === null || span.end < span.size)
  return possible ? span : null
}
