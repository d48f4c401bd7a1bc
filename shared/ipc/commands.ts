import { z } from 'zod'

const text = z.string().max(2000)

/** A command as the page composes it; checked against the endpoint's row in the service process. */
export const commandDraftSchema = z.strictObject({
  endpoint: z.string().max(100),
  params: z.record(z.string().max(100), text),
  query: z.record(z.string().max(100), z.union([text, z.number()])),
  /** JSON; the gate adds `confirm: true` where the row asks for it. */
  body: z.unknown().optional(),
})
export type CommandDraft = z.infer<typeof commandDraftSchema>

/** What a person should know before a command is sent (`operations.warning.<code>`). */
export const operationWarnings = [
  /** It shows something on the screen of the host's user. */
  'takes-over-screen',
  'cannot-be-undone',
  /** The host executes it at once, whatever the body says of `confirm`. */
  'no-confirm-gate',
  /** From another device a person has to allow it. */
  'may-need-approval',
  /** `params.places`: the body is not as the table has it there; it is sent as it is. */
  'body-differs',
  /** A host rewrites `addon` for panels; from here it is sent as it stands. */
  'addon-is-rewritten',
  'requires-max',
  'not-listed',
  /** The page gave `confirm`; the gate alone decides on it. */
  'confirm-ignored',
  /** `params.requestId`: the unfinished commit of the same window. */
  'unfinished-commit',
  /** `params.operationId`: sent before with the same request. */
  'replay',
  /** `params.operationId`: sent before with another target. */
  'other-target',
  /** `params.operationId`: sent before, and whether the host still knows it is not certain. */
  'id-used-before',
  /** The journal is not on a disk: after a crash nothing would know of this. */
  'not-journaled',
] as const

/** An earlier command with the same request id, and its body as it was sent. */
export const earlierSchema = z.strictObject({
  operationId: z.string(),
  /** `replay` and `conflict` where this run of the host took it; `unclear`: whether the host knows it is not certain. */
  relation: z.enum(['replay', 'conflict', 'unclear']),
  /** It is the same request. */
  same: z.boolean(),
  body: z.string().nullable(),
})
export type Earlier = z.infer<typeof earlierSchema>

/** Everything that would be sent, and everything that a person should know before it is. */
export const preparedSchema = z.strictObject({
  /** Good for one send of exactly this, to this target, on this connection, for ten minutes. */
  ticket: z.string(),
  expiresAt: z.number(),
  endpoint: z.string(),
  access: z.enum(['write', 'navigate', 'task']),
  method: z.string(),
  /** Path with query as it will be sent, without scheme and host. */
  path: z.string(),
  /** `http://127.0.0.1:42340`, for the person to see where it goes. */
  origin: z.string(),
  /** `/bridge/v1`, which stands before `path` on the wire. */
  basePath: z.string(),
  /** Without the token: its header is named, its value replaced. */
  headers: z.record(z.string(), z.string()),
  /** The body's JSON text exactly as it will be sent; null = no body. */
  body: z.string().nullable(),
  /** Members that the gate added to what the page gave, such as `confirm`. */
  added: z.array(z.string()),
  /** From the capabilities; null where they do not say. */
  requiresMax: z.boolean().nullable(),
  /** Whether the capabilities list the route; null without capabilities. */
  listed: z.boolean().nullable(),
  /** The row has a confirm gate: without `confirm` nothing is executed, so a preview can be asked of the host. */
  canPreview: z.boolean(),
  warnings: z.array(z.strictObject({ code: z.enum(operationWarnings), params: z.record(z.string(), z.string()) })),
  /** The unfinished commit of the same window, which the host will not let another one pass. */
  blockedBy: z.string().nullable(),
  /** An earlier record with this request id. */
  sameRequestId: earlierSchema.nullable(),
})
export type Prepared = z.infer<typeof preparedSchema>

/** What a host answered to the command without `confirm`: nothing was executed. */
export const previewSchema = z.strictObject({
  status: z.number(),
  code: z.string().nullable(),
  message: z.string().nullable(),
  /** `error.details`: a true dry run on some routes. */
  details: z.unknown(),
  /** The whole answer. */
  body: z.unknown(),
  /** False when the host did not refuse: it may have executed the command although `confirm` was missing. */
  refusedAsExpected: z.boolean(),
  /** The record of it, which is kept unless the host refused as expected: then nothing was executed. */
  operationId: z.string().nullable(),
  /** The ticket is good for nothing any more: the command may have been executed. */
  spent: z.boolean(),
  durationMs: z.number(),
})
export type Preview = z.infer<typeof previewSchema>
