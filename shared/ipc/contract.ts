import { z } from 'zod'
import { assertionSchema } from '../collections/assertion.ts'
import { deviationSchema } from '../contract/deviation.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const emptySchema = z.strictObject({})
const count = z.number().int().nonnegative()
const seq = z.number().int().positive()
const deviationId = z.string().min(1).max(2_000)

const deviationListSchema = z.strictObject({
  /** The newest first. Those that are only otherwise than observed are among them. */
  deviations: z.array(deviationSchema),
  /** Occurrences that count but are in no group, because a host can invent any number of names. */
  ungroupedCount: count,
  /** When the mark was set, in epoch milliseconds; null if there is none. */
  markedAt: z.number().nullable(),
  judgedExchanges: count,
  /** Recorded exchanges that will be judged when the recorder has time. */
  unjudgedExchanges: count,
  /** Exchanges without a response, not stored whole, or answered not by the host alone. */
  skippedExchanges: count,
  /** False if the result is from another version of the contract. */
  isCurrent: z.boolean(),
})
export type DeviationList = z.infer<typeof deviationListSchema>

const exampleSchema = z.strictObject({
  seq,
  startedAt: z.number(),
  /** The found value, cut if it is long; empty if nothing was sent. */
  actual: z.string(),
})

const outcomeCountsSchema = z.strictObject({
  host: z.string(),
  /** Version that the host had reported by then; null if it had not. */
  version: z.string().nullable(),
  /** Local date of the exchanges: `2026-11-26`. */
  day: z.string(),
  held: count,
  broken: count,
  /** Exchanges that answer the question neither way, such as errors and incomplete bodies. */
  undecided: count,
})
export type OutcomeCounts = z.infer<typeof outcomeCountsSchema>

/**
 * A change of the outcome between two exchanges of one host. Between them lie only undecided ones.
 */
const transitionSchema = z.strictObject({
  host: z.string(),
  /** The outcome from then on. */
  becomes: z.enum(['held', 'broken']),
  lastSeq: seq,
  lastVersion: z.string().nullable(),
  firstSeq: seq,
  firstVersion: z.string().nullable(),
  /** When the first exchange of the new outcome began. */
  at: z.number(),
})
export type OutcomeTransition = z.infer<typeof transitionSchema>

/** The last decided exchange of a host, with which the next part compares its first one. */
const lastOutcomeSchema = z.strictObject({
  host: z.string(),
  outcome: z.enum(['held', 'broken']),
  seq,
  version: z.string().nullable(),
})

export const MAX_QUESTIONED_HOSTS = 50
export const MAX_TRANSITIONS_PER_PART = 200

const questionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('deviation'), id: deviationId }),
  z.strictObject({ kind: z.literal('assertion'), assertion: assertionSchema }),
])
export type ContractQuestion = z.infer<typeof questionSchema>

export const contractMethods = {
  'contract.deviations': defineQueryMethod(emptySchema, deviationListSchema),
  /** Writes the binding deviations as SARIF 2.1.0, with types instead of values. */
  'contract.exportDeviations': defineQueryMethod(
    emptySchema,
    z.strictObject({ text: z.string(), fileName: z.string(), mediaType: z.string() }),
  ),
  /**
   * Judges everything recorded again, in parts: 0 begins anew, and each further part gets the
   * `lastSeq` of the previous one. The list stays as it is until the last part replaces it.
   */
  'contract.judgeAgain': defineCommandMethod(
    z.strictObject({ after: count }),
    z.strictObject({
      judged: count,
      lastSeq: count,
      /** Recorded exchanges after this part. */
      left: count,
      /** True if this was the last part, which replaced the list. */
      isWhole: z.boolean(),
    }),
  ),
  /** Mutes a deviation, or, with a `reason` of null, no longer. */
  'contract.mute': defineCommandMethod(
    z.strictObject({ id: deviationId, reason: z.string().min(1).max(500).nullable() }),
    emptySchema,
  ),
  /** From now on, `isNew` means first seen after this moment. */
  'contract.mark': defineCommandMethod(emptySchema, z.strictObject({ markedAt: z.number() })),
  /** Asks the recorded exchanges after `after` whether something held, part by part. */
  'contract.ask': defineQueryMethod(
    z.strictObject({
      method: z.string().max(20),
      /** Template of a deviation, or of an endpoint. */
      template: z.string().max(2_000),
      question: questionSchema,
      after: count,
      lastOutcomes: z.array(lastOutcomeSchema).max(MAX_QUESTIONED_HOSTS),
    }),
    z.strictObject({
      counts: z.array(outcomeCountsSchema),
      transitions: z.array(transitionSchema).max(MAX_TRANSITIONS_PER_PART),
      /** Transitions of this part beyond those listed. */
      moreTransitions: count,
      examples: z.strictObject({ held: exampleSchema.nullable(), broken: exampleSchema.nullable() }),
      lastOutcomes: z.array(lastOutcomeSchema).max(MAX_QUESTIONED_HOSTS),
      asked: count,
      lastSeq: count,
      left: count,
      isWhole: z.boolean(),
    }),
  ),
}

export const contractTopics = {
  /** Reports changes of the list of deviations, in at most one message per 500 ms. */
  'contract.changed': defineTopic(
    z.strictObject({
      /** Number of deviations that may be held against the host and are not muted. */
      total: count,
      /** Number of those that are new since the mark. */
      newCount: count,
    }),
  ),
}
