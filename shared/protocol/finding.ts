import { z } from 'zod'
import { originKinds, originSchema } from '../traffic/exchange.ts'

/**
 * The rules over exchanges; each has its words under `findings.rule.<id>` and its part of the
 * contract in the table of rules.
 */
export const findingRuleIds = [
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
  'session-not-confirmed',
  'batch-of-one',
  'unknown-route',
] as const
export type FindingRuleId = (typeof findingRuleIds)[number]

/** Exchanges that one finding, or one row of them, names. */
export const MAX_EXCHANGES_PER_FINDING = 50

/** What a caller did wrong. */
export const findingSchema = z.strictObject({
  /** Stable over a re-read of the same exchanges. */
  id: z.string(),
  rule: z.enum(findingRuleIds),
  /** When it became certain. */
  at: z.number(),
  origin: originSchema,
  /**
   * What it is about: method and path of the exchange at which it shows, with what else tells
   * findings of one rule apart. Empty for one of an earlier version.
   */
  resource: z.string().max(500).default(''),
  /** `seq` of the exchanges that it comes from, in order; the last one is where it shows. */
  exchanges: z.array(z.number().int().positive()).min(1).max(MAX_EXCHANGES_PER_FINDING),
  /** Values for the words: ids, limits, times. */
  params: z.record(z.string(), z.string()),
})
export type Finding = z.infer<typeof findingSchema>

/** All findings of one rule about one resource, as one row: its newest finding, and how often. */
export const findingGroupSchema = findingSchema.extend({
  /** See `getFindingGroupId`. */
  id: z.string(),
  count: z.number().int().positive(),
  /** Exchanges at which its findings show, newest last. */
  shownAt: z.array(z.number().int().positive()).min(1).max(MAX_EXCHANGES_PER_FINDING),
  /** When the first of them became certain. */
  firstAt: z.number(),
  /** Who broke the rule, the newest first. */
  origins: z.array(originSchema).min(1).max(20),
})
export type FindingGroup = z.infer<typeof findingGroupSchema>

/** Returns the id that all findings of one row share: rule and resource. */
export const getFindingGroupId = ({ rule, resource, id }: Pick<Finding, 'rule' | 'resource' | 'id'>): string =>
  resource === '' ? id : `${rule} ${resource}`

/** Selects findings by origin: every member that is present must match. */
export const findingScopeSchema = z.strictObject({
  kind: z.enum(originKinds).optional(),
  caller: z.string().max(100).optional(),
  load: z.number().int().positive().optional(),
})
export type FindingScope = z.infer<typeof findingScopeSchema>

/** A rule that is not to be reported, and why. */
export const mutedRuleSchema = z.strictObject({
  rule: z.enum(findingRuleIds),
  reason: z.string().min(1).max(500),
  at: z.number(),
})
export type MutedRule = z.infer<typeof mutedRuleSchema>
