import { z } from 'zod'
import { originSchema } from '../traffic/exchange.ts'
import { snapshotPaletteSchema } from './palette.ts'

/**
 * Why a snapshot does not cover all cards of a study set, or not at one moment. `subMap`: only one
 * sub-map was read. `walkLimit`: the host stopped listing (spec §2 `walkLimitReached`). `fewer`:
 * the host listed fewer cards than it counted. `unreadable`: some entries named no card.
 * `cancelled`: reading was cancelled. `failed`: reading ended with an error. `restarted`: the host
 * was restarted while it was read. `changed`: cards were changed while it was read.
 */
export const snapshotGaps = [
  'subMap',
  'walkLimit',
  'fewer',
  'unreadable',
  'cancelled',
  'failed',
  'restarted',
  'changed',
] as const
export type SnapshotGap = (typeof snapshotGaps)[number]

const count = z.number().int().nonnegative()

/** Extent of a reading. The cards are stored beside it. */
export const snapshotInfoSchema = z.strictObject({
  id: z.number().int().positive(),
  topicid: z.string(),
  /** Base URL. */
  host: z.string(),
  /** When the first page was requested and the last one had arrived, in epoch milliseconds. */
  startedAt: z.number(),
  endedAt: z.number(),
  /** When the same cards were last read again; equal to `endedAt` until then. */
  seenAt: z.number(),
  /** Who read the listing. */
  origin: originSchema,
  /** True if the user asked for it; false if it came from a listing that was read anyway. */
  isRequested: z.boolean(),
  cards: count,
  /** Number of cards of which texts, parts, tags and so on were read as well. */
  detailed: count,
  /**
   * Of how many documents the excerpts were read, of all documents of the study set. Excerpts are
   * kept and compared only if both are equal. Null if excerpts were not requested.
   */
  excerpts: z.strictObject({ documents: count, total: count }).nullable().default(null),
  /** Null if the palette was not requested, or the host sent none. */
  palette: snapshotPaletteSchema.nullable().default(null),
  /** Number of responses from which it was read. */
  pages: count,
  /** The number of cards according to the host; null if it did not say. */
  hostCount: count.nullable(),
  /** Empty if the snapshot is whole: only then does a missing card mean that it was not there. */
  gaps: z.array(z.enum(snapshotGaps)),
  /** False for a listing that was sorted by document, which does not tell the order of children. */
  isInTreeOrder: z.boolean(),
  /** Members that the listing has, besides those that follow from the tree. */
  members: z.array(z.string()),
  anomalies: z.strictObject({ duplicates: count, orphans: count, circles: count }),
  /** Bytes that it takes in the store; null if it is not stored by itself, as in a file. */
  bytes: count.nullable(),
})
export type SnapshotInfo = z.infer<typeof snapshotInfoSchema>

/** All documents were read, so that a card without excerpts has none. */
export function hasAllExcerpts({ excerpts }: Pick<SnapshotInfo, 'excerpts'>): boolean {
  return excerpts !== null && excerpts.documents === excerpts.total
}
