import { z } from 'zod'
import { timestampSchema } from '../format/timestamp.ts'
import { findInitiatorPlace, initiatorPlaceSchema, type CallInitiator } from '../traffic/call-initiator.ts'
import { originKinds, originSchema, type Origin } from '../traffic/exchange.ts'

/** Texts are under `protocol.rule.<id>`; `ruleTable` names the part of the contract. */
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

/** A finding or a group of findings names at most this many exchanges. */
export const MAX_EXCHANGES_PER_FINDING = 50

/** A mistake that a caller made against the contract. */
export const findingSchema = z.strictObject({
  /** Stays the same when the same exchanges are judged again. */
  id: z.string(),
  rule: z.enum(findingRuleIds),
  /** Time at which the finding became certain. */
  at: timestampSchema,
  origin: originSchema,
  /**
   * Method and path of the exchange that shows the mistake, and further text that distinguishes
   * findings of one rule. Empty for findings of earlier versions.
   */
  resource: z.string().max(500).default(''),
  /** The `seq` of the exchanges that show it, in order. The last one shows the mistake. */
  exchanges: z.array(z.number().int().positive()).min(1).max(MAX_EXCHANGES_PER_FINDING),
  /** Values for the texts of the rule: ids, limits, times. */
  params: z.record(z.string(), z.string()),
  /** Present if the finding became certain only after its last exchange. */
  late: z
    .strictObject({
      /** Milliseconds from the end of the last exchange until the finding became certain. */
      afterMs: z.number().nonnegative(),
      /** The expected request did not follow in time, or its caller ended before. */
      because: z.enum(['timeout', 'ended']),
    })
    .optional(),
  /** Time at which the finding was withdrawn, because what was owed followed after all. */
  withdrawnAt: z.number().optional(),
})
export type Finding = z.infer<typeof findingSchema>

/** A change of a finding that turned out to be wrong. */
export interface Withdrawal {
  readonly id: string
  readonly at: number
}

/** Findings and advice that stand, and findings that were withdrawn. */
export const findingClasses = ['findings', 'advice', 'withdrawn'] as const
export type FindingClass = (typeof findingClasses)[number]

/** All findings of one rule about one resource: the members of the newest finding, and a count. */
export const findingGroupSchema = findingSchema.extend({
  /** See `getFindingGroupId`. */
  id: z.string(),
  count: z.number().int().positive(),
  /** The `seq` of the exchanges that show findings of the group, newest last. */
  shownAt: z.array(z.number().int().positive()).min(1).max(MAX_EXCHANGES_PER_FINDING),
  /** Time at which the first finding of the group became certain. */
  firstAt: timestampSchema,
  /** Callers that broke the rule, newest first. */
  origins: z.array(originSchema).min(1).max(20),
})
export type FindingGroup = z.infer<typeof findingGroupSchema>

/** A group with the line of code that made the call which shows the newest finding. */
export const locatedFindingSchema = findingGroupSchema.extend({
  /** Null if no panel made the call, or nothing tells the line. */
  initiator: initiatorPlaceSchema.nullable().default(null),
})
export type LocatedFinding = z.infer<typeof locatedFindingSchema>

/** Returns the `seq` of the exchange that shows the newest finding of a group. */
export function getShownSeq({ shownAt }: Pick<FindingGroup, 'shownAt'>): number {
  return shownAt.at(-1) ?? 0
}

/** @param initiators those that are known of the exchanges at `getShownSeq` */
export function locateFindings(
  groups: readonly FindingGroup[],
  initiators: readonly { readonly seq: number; readonly initiator: CallInitiator }[],
): LocatedFinding[] {
  const places = new Map(initiators.map(({ seq, initiator }) => [seq, findInitiatorPlace(initiator)] as const))
  return groups.map((group) => ({ ...group, initiator: places.get(getShownSeq(group)) ?? null }))
}

/** All findings about the same rule and resource have the same group id. */
export function getFindingGroupId({ rule, resource, id }: Pick<Finding, 'rule' | 'resource' | 'id'>): string {
  return resource === '' ? id : `${rule} ${resource}`
}

/** Selects findings whose origin matches every member that is present. */
export const findingScopeSchema = z.strictObject({
  kind: z.enum(originKinds).optional(),
  caller: z.string().max(100).optional(),
  load: z.number().int().positive().optional(),
})
export type FindingScope = z.infer<typeof findingScopeSchema>

export function isOriginWithin(origin: Origin, { kind, caller, load }: FindingScope): boolean {
  return (
    (kind === undefined || kind === origin.kind) &&
    (caller === undefined || caller === origin.caller) &&
    (load === undefined || load === origin.load)
  )
}

/** A rule that the user muted, with the user's reason. */
export const mutedRuleSchema = z.strictObject({
  rule: z.enum(findingRuleIds),
  reason: z.string().min(1).max(500),
  at: z.number(),
})
export type MutedRule = z.infer<typeof mutedRuleSchema>

/** The maximum number of origins in one group. */
const MAX_ORIGINS = 20

/** Groups by rule and resource, newest first; `findings` are in the order they became certain. */
export function groupFindings(findings: readonly Finding[]): FindingGroup[] {
  const rows = new Map<string, FindingGroup>()
  for (const finding of findings) {
    const id = getFindingGroupId(finding)
    const row = rows.get(id)
    const others = row?.origins.filter((origin) => JSON.stringify(origin) !== JSON.stringify(finding.origin)) ?? []
    rows.delete(id)
    rows.set(id, {
      ...finding,
      id,
      exchanges: [...new Set([...(row?.exchanges ?? []), ...finding.exchanges])].slice(-MAX_EXCHANGES_PER_FINDING),
      shownAt: [...(row?.shownAt ?? []), finding.exchanges.at(-1) ?? 0].slice(-MAX_EXCHANGES_PER_FINDING),
      count: (row?.count ?? 0) + 1,
      firstAt: row?.firstAt ?? finding.at,
      origins: [finding.origin, ...others].slice(0, MAX_ORIGINS),
    })
  }
  return [...rows.values()].reverse()
}
