import { z } from 'zod'
import { originSchema } from '../traffic/exchange.ts'

/** The rules over exchanges; each has its words under `findings.rule.<id>` and its part of the contract in the table of rules. */
export const findingRules = [
  'commit-not-polled',
  'result-of-new-id',
  'request-id-other-target',
  'second-commit-of-window',
  'stale-revision',
  'verdict-resent',
  'write-on-failed-id',
  'paging-stopped',
  'cursor-invented',
  'incomplete-listing-then-write',
  'parameter-out-of-range',
  'retry-too-early',
  'read-burst',
  'polling-too-fast',
  'binary-through-api',
  'confirm-or-addon-sent',
  'outside-allow-list',
  'ids-of-old-run',
] as const
export type FindingRule = (typeof findingRules)[number]

/** What a caller did wrong. */
export const findingSchema = z.strictObject({
  /** Stable over a re-read of the same exchanges. */
  id: z.string(),
  rule: z.enum(findingRules),
  /** When it became certain. */
  at: z.number(),
  origin: originSchema,
  /** `seq` of the exchanges that it comes from, in order; the last one is where it shows. */
  exchanges: z.array(z.number().int().positive()).min(1).max(50),
  /** Values for the words: ids, limits, times. */
  params: z.record(z.string(), z.string()),
})
export type Finding = z.infer<typeof findingSchema>

/** A rule that is not to be reported, and why. */
export const mutedRuleSchema = z.strictObject({
  rule: z.enum(findingRules),
  reason: z.string().min(1).max(500),
  at: z.number(),
})
export type MutedRule = z.infer<typeof mutedRuleSchema>
