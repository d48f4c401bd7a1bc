import rangeParser from 'range-parser'

/** First and last byte of a range; both are part of it. */
export interface ByteSpan {
  readonly start: number
  readonly end: number
}

/** The bytes that a `Range` header requests: all, a span, or none that exist. */
type RequestedRange =
  { readonly kind: 'all' } | { readonly kind: 'part'; readonly span: ByteSpan } | { readonly kind: 'none' }

const ALL_BYTES: RequestedRange = { kind: 'all' }

/**
 * Parses a `Range` header for content of `size` bytes. A header that is not a range, has another
 * unit, or names several spans gets everything, as RFC 9110 allows; only a range that lies entirely
 * beyond the end cannot be satisfied.
 * @see RFC 9110 §14
 */
export function parseRange(header: string | null, size: number): RequestedRange {
  if (header === null) return ALL_BYTES
  const text = header.trim()
  // A suffix longer than the content means all of it; the parser would reject it.
  const suffixLength = /^bytes=-(\d{1,15})$/i.exec(text)?.[1]
  const parsedRanges = rangeParser(
    size,
    suffixLength !== undefined && Number(suffixLength) > size ? `bytes=-${size}` : text.toLowerCase(),
  )
  if (parsedRanges === -2 || (parsedRanges !== -1 && parsedRanges.type !== 'bytes')) return ALL_BYTES
  if (parsedRanges === -1) return isSatisfiableSyntax(text) ? { kind: 'none' } : ALL_BYTES
  const [firstSpan, ...furtherSpans] = parsedRanges
  if (!firstSpan || furtherSpans.length > 0 || text.includes(',')) return ALL_BYTES
  return { kind: 'part', span: { start: firstSpan.start, end: firstSpan.end } }
}

/** False for `bytes=9-5` and other units. They are no ranges, so cannot lie beyond the end. */
function isSatisfiableSyntax(text: string): boolean {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(text) ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return false
  return first === '' || last === '' || Number(first) <= Number(last)
}

/** True for a range without an end, as media elements request it. */
export function isOpenEndedRange(header: string | null): boolean {
  return header !== null && /^\s*bytes=\d+-\s*$/i.test(header)
}

/** Null if the header is invalid. `size` is null if the host does not know it. */
export function parseContentRange(header: string | undefined): (ByteSpan & { readonly size: number | null }) | null {
  const [, first, last, size] = /^\s*bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)\s*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || size === undefined) return null
  const span = { start: Number(first), end: Number(last), size: size === '*' ? null : Number(size) }
  const isConsistent = span.start <= span.end && (span.size === null || span.end < span.size)
  return isConsistent ? span : null
}
