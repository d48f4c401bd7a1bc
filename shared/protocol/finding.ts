import { z } from 'zod'
import { originKinds, originSchema } from '../traffic/exchange.ts'

/**
 * Each rule has its texts under `protocol.rule.<id>`, and its part of the contract in the table of
 * rules.
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

/** A finding, or a row of findings, names at most this many exchanges. */
export const MAX_EXCHANGES_PER_FINDING = 50

/** A finding says what a caller did wrong. */
export const findingSchema = z.strictObject({
  /** The id is the same when the same exchanges are judged again. */
  id: z.string(),
  rule: z.enum(findingRuleIds),
  /** The finding became certain at this time. */
  at: z.number(),
  origin: originSchema,
  /**
   * This is the method and path of the exchange that shows the mistake, and what else distinguishes
   * findings of one rule. It is empty for findings of earlier versions.
   */
  resource: z.string().max(500).default(''),
  /**
   * These are the `seq` of the exchanges that the finding comes from, in order; the last one shows
   * the mistake.
   */
  exchanges: z.array(z.number().int().positive()).min(1).max(MAX_EXCHANGES_PER_FINDING),
  /** The texts of the rule contain these values: ids, limits, times. */
  params: z.record(z.string(), z.string()),
})
export type Finding = z.infer<typeof findingSchema>

/**
 * A group holds all findings of one rule about one resource. It has the members of its newest
 * finding and a count.
 */
export const findingGroupSchema = findingSchema.extend({
  /** See `getFindingGroupId`. */
  id: z.string(),
  count: z.number().int().positive(),
  /** Findings of the group show at these exchanges, newest last. */
  shownAt: z.array(z.number().int().positive()).min(1).max(MAX_EXCHANGES_PER_FINDING),
  /** The first finding of the group became certain at this time. */
  firstAt: z.number(),
  /** These callers broke the rule, the newest first. */
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

/** The user muted the rule for this reason. */
export const mutedRuleSchema = z.strictObject({
  rule: z.enum(findingRuleIds),
  reason: z.string().min(1).max(500),
  at: z.number(),
})
export type MutedRule = z.infer<typeof mutedRuleSchema>
