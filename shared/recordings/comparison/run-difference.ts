import { z } from 'zod'
import { storedBodySchema } from '../../traffic/exchange.ts'
import { checkDifferencesSchema } from '../check/check-difference.ts'

/**
 * How a request of the second run differs from the first one: it is missing there, or extra, asks
 * for something else, came at another time among the others, got another response, had another
 * effect on the library, or took much longer.
 */
export const runDifferenceKinds = ['missing', 'extra', 'request', 'response', 'effect', 'order', 'slower'] as const
export type RunDifferenceKind = (typeof runDifferenceKinds)[number]

/** Why bodies of a pair were not compared: the stored body says so, or they are too large. */
const notComparedReasonSchema = z.enum([...storedBodySchema.shape.missing.unwrap().options, 'large'])
export type NotComparedReason = z.infer<typeof notComparedReasonSchema>

const count = z.number().int().nonnegative()

export const comparedPairSchema = z.strictObject({
  /** Position in the run; null if the run has no such request. */
  before: count.nullable(),
  after: count.nullable(),
  /** Empty if nothing differs in what was compared. */
  kinds: z.array(z.enum(runDifferenceKinds)),
  /** The first differences of the responses and of the effects. */
  responses: checkDifferencesSchema,
  effects: checkDifferencesSchema,
  notCompared: notComparedReasonSchema.nullable(),
})
export type ComparedPair = z.infer<typeof comparedPairSchema>

export const comparisonFactsSchema = z.strictObject({
  /** Number of pairs of each kind. */
  counts: z.record(z.enum(runDifferenceKinds), count),
  /** Pairs without any difference. */
  sameCount: count,
  notCompared: z.partialRecord(notComparedReasonSchema, count),
  /** False if a redaction replaced the texts of a run, so that texts were not compared. */
  areTextsComparable: z.boolean(),
  /** True if the runs have no id in common. */
  haveForeignIds: z.boolean(),
})
