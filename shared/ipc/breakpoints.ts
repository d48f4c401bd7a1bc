import { z } from 'zod'
import {
  breakpointRuleSchema,
  breakpointsStateSchema,
  heldCallDetailSchema,
  heldCallSchema,
  holdRecordSchema,
  resumptionSchema,
} from '../panel/breakpoints.ts'
import { defineCommandMethod, defineQueryMethod, defineTopic } from './method-definition.ts'

const emptySchema = z.strictObject({})
const heldIdSchema = z.strictObject({ id: z.string().max(100) })

/** Breakpoints on calls of panels and of recorded clients. */
export const breakpointMethods = {
  'breakpoints.get': defineQueryMethod(emptySchema, breakpointsStateSchema),
  /** Replaces all rules, and counts calls anew. Calls that are held already stay held. */
  'breakpoints.save': defineCommandMethod(
    z.strictObject({ rules: z.array(breakpointRuleSchema).max(200) }),
    breakpointsStateSchema,
  ),
  /** Without `on`, the calls that only this switch holds go on. */
  'breakpoints.holdAll': defineCommandMethod(z.strictObject({ on: z.boolean() }), breakpointsStateSchema),
  /** @throws HELD_UNKNOWN when the call is no longer held */
  'breakpoints.held': defineQueryMethod(heldIdSchema, heldCallDetailSchema),
  /** A person is editing the call, so it is held for the longest time. @throws HELD_UNKNOWN */
  'breakpoints.extend': defineCommandMethod(heldIdSchema, heldCallSchema),
  /** @throws HELD_UNKNOWN, TOKEN_IN_REQUEST, HEADER_FIXED, PATH_AMBIGUOUS, PATH_OUTSIDE */
  'breakpoints.resume': defineCommandMethod(heldIdSchema.extend({ resumption: resumptionSchema }), emptySchema),
  'breakpoints.forgetLapses': defineCommandMethod(emptySchema, breakpointsStateSchema),
  /** Empty if the call was not held, or is no longer stored. */
  'breakpoints.records': defineQueryMethod(
    z.strictObject({ exchangeId: z.string().max(100) }),
    z.strictObject({ records: z.array(holdRecordSchema).max(2) }),
  ),
}

export const breakpointTopics = {
  'breakpoints.changed': defineTopic(breakpointsStateSchema),
}
