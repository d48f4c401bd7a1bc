import type { RecordedExchange } from '../../../../shared/recordings/recording.ts'
import { findHeader, hasDeclaredRange, type TimelineEntry } from './replay-timeline.ts'

/** A part of a body, as one exchange recorded it. `end` is exclusive. */
export interface BytePiece {
  readonly exchange: RecordedExchange
  readonly start: number
  readonly end: number
}

/** The recorded parts of one body that belong together. */
export interface RecordedBytes {
  /** The exchange whose headers describe the body. */
  readonly head: RecordedExchange
  readonly total: number
  readonly pieces: readonly BytePiece[]
}

/** The requested bytes; `end` is exclusive. */
export type ByteRange = { readonly start: number; readonly end: number } | 'unsatisfiable'

/** @returns null if the header asks for the whole body, or for several ranges */
export function parseByteRange(header: string | null, total: number): ByteRange | null {
  const [match, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (match === undefined || (first === '' && last === '')) return null
  const start = first === '' ? Math.max(0, total - Number(last)) : Number(first)
  const end = first === '' || last === '' ? total : Math.min(total, Number(last) + 1)
  if (first !== '' && last !== '' && Number(last) < start) return null
  return start >= total || start >= end ? 'unsatisfiable' : { start, end }
}

/** Leaves out responses with another size or validator than the newest one. */
export function joinRecordedBytes(entries: readonly TimelineEntry[]): RecordedBytes | null {
  const parts = entries.flatMap((entry) => {
    const part = toPart(entry.exchange)
    return part && entry.outcome !== 'broken' ? [part] : []
  })
  const newest = parts.at(-1)
  if (!newest) return null
  const pieces = parts
    .filter(({ total, validator }) => total === newest.total && validator === newest.validator)
    .map(({ piece }) => piece)
    .sort((first, second) => first.start - second.start || second.end - first.end)
  return { head: newest.piece.exchange, total: newest.total, pieces }
}

/** @returns the pieces that hold all requested bytes, in order; null if some are missing */
export function findPieces(pieces: readonly BytePiece[], start: number, end: number): readonly BytePiece[] | null {
  const needed: BytePiece[] = []
  let reached = start
  for (const piece of pieces) {
    if (reached >= end) break
    if (piece.start > reached || piece.end <= reached) continue
    needed.push(piece)
    reached = piece.end
  }
  return reached >= end ? needed : null
}

function toPart(
  exchange: RecordedExchange,
): { readonly piece: BytePiece; readonly total: number; readonly validator: string | null } | null {
  const { row, response, responseBody, responseHeaders } = exchange
  if (responseBody === null) return null
  const validator = findHeader(responseHeaders, 'etag') ?? findHeader(responseHeaders, 'last-modified')
  const total = response.missing === null ? response.kept : response.total
  if (row.status === 200 && total !== null) {
    return { piece: { exchange, start: 0, end: response.kept }, total, validator }
  }
  if (row.status !== 206 || (response.missing === null && !hasDeclaredRange(exchange))) return null
  const [, first, declaredTotal] =
    /^bytes (\d+)-\d+\/(\d+)$/.exec(findHeader(responseHeaders, 'content-range') ?? '') ?? []
  if (first === undefined || declaredTotal === undefined) return null
  const start = Number(first)
  return { piece: { exchange, start, end: start + response.kept }, total: Number(declaredTotal), validator }
}
