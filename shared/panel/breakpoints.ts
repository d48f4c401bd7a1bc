// Data of breakpoints: rules, calls that are held, and what a person did to a call. The code that
// holds calls is in electron/services/breakpoints.

import { z } from 'zod'
import { originSchema } from '../traffic/exchange.ts'
import { callMatchSchema, headerSchema } from './call-match.ts'

/** After this time a held call goes on unchanged. */
export const DEFAULT_WAIT_SECONDS = 60
export const MAX_WAIT_SECONDS = 600
/** Beyond these limits a call goes on without being held. */
export const MAX_HELD_CALLS = 50
export const MAX_HELD_BODY_BYTES = 8 * 1024 * 1024
export const MAX_HELD_BYTES = 64 * 1024 * 1024
/** A longer body cannot be edited. */
export const MAX_EDITED_BODY_CHARS = 1_000_000

/** The `rule` of an exchange that a person held, or whose response a person decided. */
export const HELD_MARK = 'breakpoint: held'
export const BY_HAND_MARK = 'breakpoint: by hand'

/** A person interfered with the exchange. */
export function isBreakpointMark(rule: string | null): boolean {
  return rule === HELD_MARK || rule === BY_HAND_MARK
}

/** A call is held before it is sent to the host, or before its response reaches the caller. */
const heldPointSchema = z.enum(['request', 'response'])
export type HeldPoint = z.infer<typeof heldPointSchema>

export const breakpointRuleSchema = z.strictObject({
  id: z.string().min(1).max(100),
  on: z.boolean(),
  match: callMatchSchema,
  at: z.enum(['request', 'response', 'both']),
  /** If true, only responses with a status of 400 or more are held. */
  isErrorOnly: z.boolean(),
  waitSeconds: z.number().int().min(1).max(MAX_WAIT_SECONDS),
})
export type BreakpointRule = z.infer<typeof breakpointRuleSchema>

export const heldCallSchema = z.strictObject({
  id: z.string(),
  point: heldPointSchema,
  /** Time at which the call was held, and time at which it goes on unchanged. */
  at: z.number(),
  endsAt: z.number(),
  origin: originSchema,
  method: z.string(),
  /** Path with query, relative to the base URL. */
  path: z.string(),
  /** Id of the endpoint in the endpoint table; null if none fits. */
  endpoint: z.string().nullable(),
  /** Status of the response; null at the request. */
  status: z.number().int().nullable(),
  /** Id of the rule that holds the call; null if all calls are held. */
  rule: z.string().nullable(),
})
export type HeldCall = z.infer<typeof heldCallSchema>

/**
 * Reasons why calls went on by themselves: they were not held because too many were held already or
 * a body was too long or took too long to arrive, their time was over, the connection to the host
 * changed, or their caller gave them up (also by a reload, a stop or the end of a connection).
 */
export const lapseReasons = ['full', 'too-long', 'too-slow', 'timed-out', 'host-changed', 'gone'] as const
export type LapseReason = (typeof lapseReasons)[number]

export const breakpointsStateSchema = z.strictObject({
  rules: z.array(breakpointRuleSchema).max(200),
  /** If true, every response is held. */
  isHoldingAll: z.boolean(),
  held: z.array(heldCallSchema).max(MAX_HELD_CALLS),
  lapses: z.array(z.strictObject({ reason: z.enum(lapseReasons), count: z.number().int().positive() })),
})
export type BreakpointsState = z.infer<typeof breakpointsStateSchema>

const heldMessageSchema = z.strictObject({
  /** Without headers that the program or the connection sets. */
  headers: z.array(z.tuple([z.string(), z.string()])),
  /** Null if there is no body, or if it is not text. */
  body: z.string().nullable(),
  bytes: z.number().int().nonnegative(),
  /** False for bytes that are not text, for a long text, and for one with a token. */
  isBodyEditable: z.boolean(),
})
export type HeldMessage = z.infer<typeof heldMessageSchema>

export const heldCallDetailSchema = z.strictObject({
  call: heldCallSchema,
  request: heldMessageSchema,
  response: heldMessageSchema.nullable(),
})
export type HeldCallDetail = z.infer<typeof heldCallDetailSchema>

const statusSchema = z.number().int().min(200).max(599)
/** A request with another method would get a response that its caller cannot receive. */
export const editableMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const editSchema = z.strictObject({
  /** Only for a response. */
  status: statusSchema.optional(),
  headers: z.array(headerSchema).max(200).optional(),
  body: z.string().max(MAX_EDITED_BODY_CHARS).optional(),
})
const heldEditSchema = editSchema.extend({
  /** Only for a request, like the path. */
  method: z.enum(editableMethods).optional(),
  /** Path with query, relative to the base URL. */
  path: z.string().max(8_000).optional(),
})
export type HeldEdit = z.infer<typeof heldEditSchema>

export const resumptionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('continue'), edit: heldEditSchema.optional() }),
  /** Responds in place of the host. At a request, nothing is sent to the host. */
  z.strictObject({ kind: z.literal('answer'), ...editSchema.required().shape }),
  /** Ends the connection of the caller without a response. */
  z.strictObject({ kind: z.literal('fail') }),
])
export type Resumption = z.infer<typeof resumptionSchema>

/** A record of one call at one point. */
export const holdRecordSchema = z.strictObject({
  point: heldPointSchema,
  durationMs: z.number().nonnegative(),
  outcome: z.enum(['continued', 'timed-out', 'host-changed', 'answered', 'failed', 'gone']),
  edited: z.array(z.enum(['method', 'path', 'status', 'headers', 'body'])),
})
export type HoldRecord = z.infer<typeof holdRecordSchema>
