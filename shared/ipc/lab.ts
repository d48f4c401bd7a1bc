import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { defineCommandMethod, defineQueryMethod } from './method-definition.ts'

/** Tests of the host whose expected and actual results the page shows side by side. */
export const labProbes = [
  'same-request-id-again',
  'same-id-other-target',
  'second-unfinished-commit',
  'stale-expected-revision',
  'wrong-study-set',
  'band-without-selection',
  'missing-confirm',
] as const
export type LabProbe = (typeof labProbes)[number]

/** Missing preconditions of a probe that was not run (`lab.skipped.<code>`). */
const labSkips = [
  /** The host does not list a route that the probe needs. */
  'not-listed',
  'no-card',
  /** Nothing that was read names the open card, or the card itself could not be read. */
  'card-not-read',
  'set-not-read',
  'title-not-read',
  'no-surface',
  'no-comment',
  'no-revision',
  'no-other-set',
  'has-selection',
] as const
export type LabSkipReason = (typeof labSkips)[number]

/** Further explanations of a step's result (`lab.reason.<code>`). */
const labReasons = [
  /** The step was skipped, because an earlier step had another result than expected. */
  'went-otherwise',
  /** The host refused for a reason unrelated to the rule. */
  'other-reason',
  /** The host also refuses where the rule does not apply, so there is another cause. */
  'control-too',
  /** The first commit had ended before the second one arrived. */
  'settled-too-soon',
  /** The first commit had no outcome in time. */
  'not-settled',
  /** The host was able to create the band, so there is no difference to see. */
  'could-be-made',
  /** The contract does not promise what was expected, so the difference is none. */
  'left-open',
  /** The host refused the write but changed data nevertheless. */
  'changed',
] as const
export type LabResultReason = (typeof labReasons)[number]

const labResults = ['planned', 'as-expected', 'differs', 'says-nothing', 'skipped', 'failed'] as const

/** One exchange of a probe, planned or done. */
const labStepSchema = z.strictObject({
  code: z.string(),
  method: z.string(),
  path: z.string(),
  body: z.string().nullable(),
  expected: z.string(),
  actual: z
    .strictObject({ status: z.number().nullable(), body: z.unknown(), error: wireErrorSchema.nullable() })
    .nullable(),
  result: z.enum(labResults),
  operationId: z.string().nullable(),
  reason: z.enum(labReasons).nullable(),
})
const labRunSchema = z.strictObject({
  probe: z.enum(labProbes),
  result: z.enum(labResults),
  reason: z.enum(labSkips).nullable(),
  /** Id of the plan that was shown, with which the probe is run; null if this is a result. */
  plan: z.string().nullable(),
  steps: z.array(labStepSchema),
})
export type LabRun = z.infer<typeof labRunSchema>
/** Targets that the user names; all other targets are read from the host. */
const labTargetSchema = z.strictObject({
  topicid: z.string().max(200).nullable(),
  noteid: z.string().max(200).nullable(),
  /** The canvas on which a pencil commit draws. */
  surfaceId: z.string().max(200).nullable(),
  /** The comment to which a verdict belongs. */
  commentId: z.string().max(200).nullable(),
})
export type LabTarget = z.infer<typeof labTargetSchema>

export const labMethods = {
  'lab.plan': defineQueryMethod(z.strictObject({ probe: z.enum(labProbes), target: labTargetSchema }), labRunSchema),
  /** Needs, on a real host, unlocked writing and the plan shown on this connection; works once. */
  'lab.run': defineCommandMethod(
    z.strictObject({ probe: z.enum(labProbes), target: labTargetSchema, plan: z.string().max(100).nullable() }),
    labRunSchema,
  ),
}
