import rangeParser from 'range-parser'

/** Bytes of a content, both ends inclusive. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

/** What a `Range` header requests of a content: all of it, one span, or nothing that exists. */
type RequestedRange =
  { readonly kind: 'all' } | { readonly kind: 'part'; readonly span: ByteSpan } | { readonly kind: 'none' }

const all: RequestedRange = { kind: 'all' }

/**
 * What a `Range` header requests of a content of this size (RFC 9110 §14). A header that is not a
 * range, has another unit, or names several spans gets everything, as a server may decide; only a
 * range wholly beyond the end cannot be satisfied.
 */
export function parseRange(header: string | null, size: number): RequestedRange {
  if (header === null) return all
  const text = header.trim()
  // A suffix longer than the content means all of it; the parser would reject it.
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

/**
 * `bytes=9-5` and ranges in another unit are not ranges, so nothing in them lies beyond the end.
 */
function isOneRange(text: string): boolean {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(text) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return false
  return first === '' || last === '' || Number(first) <= Number(last)
}

/** Whether a header requests everything from some byte on, as media elements do. */
export const isOpenEndedRange = (header: string | null): boolean =>
  header !== null && /^\s*bytes=\d+-\s*$/i.test(header)

/**
 * What a `Content-Range` header says; null if it cannot be parsed. `size` is null if the host does
 * not know it.
 */
export function parseContentRange(header: string | undefined): (ByteSpan & { readonly size: number | null }) | null {
  const [, first, last, size] = /^\s*bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)\s*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || size === undefined) return null
  const span = { start: Number(first), end: Number(last), size: size === '*' ? null : Number(size) }
  const possible = span.start <= span.end && (span.size === null || span.end < span.size)
  return possible ? span : null
}
