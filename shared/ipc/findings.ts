import { z } from 'zod'
import {
  findingGroupSchema,
  findingRuleIds,
  findingSchema,
  findingScopeSchema,
  mutedRuleSchema,
} from '../protocol/finding.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const mutedRulesSchema = z.strictObject({ muted: z.array(mutedRuleSchema) })

export const findingsMethods = {
  /** One row for each rule and resource within the scope, the newest first, without those of muted rules; `total` counts rows. */
  'findings.list': defineQueryMethod(
    z.strictObject({
      offset: z.number().int().nonnegative(),
      limit: z.number().int().min(1).max(1000),
      scope: findingScopeSchema.optional(),
    }),
    z.strictObject({ findings: z.array(findingGroupSchema), total: z.number().int(), muted: z.array(mutedRuleSchema) }),
  ),
  /** Those that an exchange is part of. */
  'findings.of': defineQueryMethod(
    z.strictObject({ seq: z.number().int().positive() }),
    z.strictObject({ findings: z.array(findingSchema) }),
  ),
  /**
   * The rules look at what earlier runs of the program kept, once in a run; what they find comes with the others. `left` older exchanges
   * were not looked at.
   */
  'findings.judge': defineCommandMethod(
    z.strictObject({}),
    z.strictObject({ judged: z.number().int(), left: z.number().int() }),
  ),
  /** Forgets all findings, and what would be found in what is recorded now: a new count begins. */
  'findings.clear': defineCommandMethod(z.strictObject({}), z.strictObject({})),
  'findings.mute': defineCommandMethod(
    z.strictObject({ rule: z.enum(findingRuleIds), reason: z.string().min(1).max(500) }),
    mutedRulesSchema,
  ),
  'findings.unmute': defineCommandMethod(z.strictObject({ rule: z.enum(findingRuleIds) }), mutedRulesSchema),
}

export const findingsTopics = {
  /** Without muted rules; at most one message in 200 ms. */
  'findings.changed': defineTopic(
    z.strictObject({
      /** Rows of all origins. */
      total: z.number().int(),
    }),
  ),
}
