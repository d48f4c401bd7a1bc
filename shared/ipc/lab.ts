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

/** Why a probe is not run: what it would need (`lab.skipped.<code>`). */
const labSkips = ['no-card', 'no-surface', 'no-comment', 'no-revision', 'no-other-set', 'has-selection'] as const
export type LabSkipReason = (typeof labSkips)[number]

/** Further explanation of a step's result (`lab.reason.<code>`). */
const labReasons = [
  /** Skipped, because an earlier step went otherwise. */
  'went-otherwise',
  /** Refused for a reason unrelated to the rule. */
  'other-reason',
  /** The same refusal comes when the rule does not apply, so it had another reason. */
  'control-too',
  /** The first commit had ended before the second one arrived. */
  'settled-too-soon',
  /** No outcome of the first commit came. */
  'not-settled',
  /** The host was able to make the band, which is no difference. */
  'could-be-made',
  /** Refused, but changed nevertheless. */
  'changed',
] as const
export type LabResultReason = (typeof labReasons)[number]

const labResults = ['planned', 'as-expected', 'differs', 'says-nothing', 'skipped', 'failed'] as const

/** One exchange of a probe, as planned or as it went. */
const labStepSchema = z.strictObject({
  /** `lab.step.<code>`. */
  code: z.string(),
  method: z.string(),
  path: z.string(),
  body: z.string().nullable(),
  expected: z.string(),
  /** Null in a plan. */
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
  /** Why it was skipped. */
  reason: z.enum(labSkips).nullable(),
  /** Identifies the plan that was shown, so that it can be run; null if this is not a plan. */
  plan: z.string().nullable(),
  steps: z.array(labStepSchema),
})
export type LabRun = z.infer<typeof labRunSchema>
/** What the probes work on, as far as the user names it; the host is asked for the rest. */
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
  /** On any host but the demo: only with writing unlocked, and only the plan that was shown on this connection, once. */
  'lab.run': defineCommandMethod(
    z.strictObject({ probe: z.enum(labProbes), target: labTargetSchema, plan: z.string().max(100).nullable() }),
    labRunSchema,
  ),
}
