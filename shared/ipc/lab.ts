import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { defineCommandMethod, defineQueryMethod } from './method-definition.ts'

/** Probes of the protocol lab: expected and actual side by side. */
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

/** The missing precondition of a probe that was not run (`lab.skipped.<code>`). */
const labSkips = ['no-card', 'no-surface', 'no-comment', 'no-revision', 'no-other-set', 'has-selection'] as const
export type LabSkipReason = (typeof labSkips)[number]

/** Further explanation of a step's result (`lab.reason.<code>`). */
const labReasons = [
  /** Skipped, because an earlier step had another result than expected. */
  'went-otherwise',
  /** Refused for a reason unrelated to the rule. */
  'other-reason',
  /** The same refusal comes when the rule does not apply, so it has another cause. */
  'control-too',
  /** The first commit had ended before the second one arrived. */
  'settled-too-soon',
  /** No outcome of the first commit came. */
  'not-settled',
  /** The host could create the band, so there is no difference to see. */
  'could-be-made',
  /** Refused, but changed nevertheless. */
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
  /** Id of the plan that was shown, with which it is run; null if this is a result. */
  plan: z.string().nullable(),
  steps: z.array(labStepSchema),
})
export type LabRun = z.infer<typeof labRunSchema>
/** Targets of the probes that the user names; the rest is read from the host. */
const labTargetSchema = z.strictObject({
  topicid: z.string().max(200).nullable(),
  noteid: z.string().max(200).nullable(),
  /** The canvas of a pencil commit. */
  surfaceId: z.string().max(200).nullable(),
  /** The comment that a verdict belongs to. */
  commentId: z.string().max(200).nullable(),
})
export type LabTarget = z.infer<typeof labTargetSchema>

export const labMethods = {
  'lab.plan': defineQueryMethod(z.strictObject({ probe: z.enum(labProbes), target: labTargetSchema }), labRunSchema),
  /**
   * On hosts other than the demo, only with writing unlocked, and only the plan that was shown on
   * this connection, once.
   */
  'lab.run': defineCommandMethod(
    z.strictObject({ probe: z.enum(labProbes), target: labTargetSchema, plan: z.string().max(100).nullable() }),
    labRunSchema,
  ),
}
