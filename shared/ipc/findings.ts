import { z } from 'zod'
import {
  findingClasses,
  findingRuleIds,
  findingSchema,
  findingScopeSchema,
  locatedFindingSchema,
  mutedRuleSchema,
} from '../protocol/finding.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const mutedRulesSchema = z.strictObject({ muted: z.array(mutedRuleSchema) })

export const findingsMethods = {
  /** A row per rule and resource, newest first, without muted rules; `totals` by class. */
  'findings.list': defineQueryMethod(
    z.strictObject({
      offset: z.number().int().nonnegative(),
      limit: z.number().int().min(1).max(1000),
      scope: findingScopeSchema.optional(),
      class: z.enum(findingClasses).optional(),
    }),
    z.strictObject({
      findings: z.array(locatedFindingSchema),
      total: z.number().int(),
      totals: z.record(z.enum(findingClasses), z.number().int()),
      muted: z.array(mutedRuleSchema),
    }),
  ),
  /** Lists the findings of all classes. */
  'findings.of': defineQueryMethod(
    z.strictObject({ seq: z.number().int().positive() }),
    z.strictObject({ findings: z.array(findingSchema) }),
  ),
  /** Judges earlier runs once; `left` counts older exchanges that were not judged. */
  'findings.judge': defineCommandMethod(
    z.strictObject({}),
    z.strictObject({ judged: z.number().int(), left: z.number().int() }),
  ),
  /** Removes all findings. Exchanges recorded so far are not judged again. */
  'findings.clear': defineCommandMethod(z.strictObject({}), z.strictObject({})),
  'findings.mute': defineCommandMethod(
    z.strictObject({ rule: z.enum(findingRuleIds), reason: z.string().min(1).max(500) }),
    mutedRulesSchema,
  ),
  'findings.unmute': defineCommandMethod(z.strictObject({ rule: z.enum(findingRuleIds) }), mutedRulesSchema),
}

export const findingsTopics = {
  /** Reports changes in at most one message per 200 ms; muted rules are left out. */
  'findings.changed': defineTopic(
    z.strictObject({
      /** Number of rows of all origins, without advice and without what was withdrawn. */
      total: z.number().int(),
    }),
  ),
}
