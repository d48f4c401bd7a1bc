import { z } from 'zod'
import { wireErrorSchema } from '../errors.ts'
import { command, query } from './define.ts'

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
  result: z.enum(['planned', 'as-expected', 'differs', 'skipped', 'failed']),
  operationId: z.string().nullable(),
  /** `went-otherwise`: skipped, because an earlier step did · `says-nothing`: refused for a reason unrelated to the rule. */
  reason: z.enum(['went-otherwise', 'says-nothing']).nullable(),
})
export const labRunSchema = z.strictObject({
  probe: z.enum(labProbes),
  result: z.enum(['planned', 'as-expected', 'differs', 'skipped', 'failed']),
  /** Why it was skipped, as a code (`lab.skipped.<code>`). */
  reason: z.string().nullable(),
  /** Identifies the plan that was shown, so that it can be run; null if this is not a plan. */
  plan: z.string().nullable(),
  steps: z.array(labStepSchema),
})
export type LabRun = z.infer<typeof labRunSchema>
/** What the probes work on; the page sends what it knows, and the host's context supplies the rest. */
const labTargetSchema = z.strictObject({
  topicid: z.string().max(200).nullable(),
  noteid: z.string().max(200).nullable(),
})

export const labMethods = {
  'lab.plan': query(z.strictObject({ probe: z.enum(labProbes), target: labTargetSchema }), labRunSchema),
  /** On any host but the demo: only with writing unlocked, and only the plan that was shown on this connection, once. */
  'lab.run': command(
    z.strictObject({ probe: z.enum(labProbes), target: labTargetSchema, plan: z.string().max(100).nullable() }),
    labRunSchema,
  ),
}
