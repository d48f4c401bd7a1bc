import { z } from 'zod'
import { getMember } from '../json/object.ts'

/** Reads the ids in `noteIds` of a body (observed-0.49: writes to several cards). */
export function parseNoteIds(body: string | null): readonly string[] {
  const ids = getMember(parseBodyText(body), 'noteIds')
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : []
}

/** Parses the text of a body; null if there is no body or it is not JSON. */
export function parseBodyText(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

const text = z.string().max(2000)

/** A command as the page composes it. The service process checks it against the endpoint table. */
export const commandDraftSchema = z.strictObject({
  endpoint: z.string().max(300),
  params: z.record(z.string().max(100), text),
  query: z.record(z.string().max(100), z.union([text, z.number()])),
  /** JSON. `confirm: true` is added if the endpoint requires it. */
  body: z.unknown().optional(),
  /** Text that the user wrote by hand; it is sent unchanged instead of `body`. */
  bodyText: z.string().max(4_000_000).optional(),
  /** Id of an uploaded file (`uploads.begin`), for an endpoint whose body is a file. */
  upload: z.string().max(100).optional(),
  /** The place or part of the program that composed the command. It is recorded and never sent. */
  caller: z
    .string()
    .regex(/^[a-z][a-z-]{0,39}$/)
    .optional(),
})
export type CommandDraft = z.infer<typeof commandDraftSchema>

/** Warnings for the user before a command is sent (`operations.warning.<code>`). */
export const operationWarnings = [
  /** The command changes what the host's user sees on the screen. */
  'takes-over-screen',
  'cannot-be-undone',
  /** The host executes it at once, whatever `confirm` says. */
  'no-confirm-gate',
  /** A person has to approve the command if it comes from another device. */
  'may-need-approval',
  /** The body differs from the contract at `params.places` and is sent unchanged. */
  'body-differs',
  /** `confirm` cannot be added, because the body is not an object. */
  'confirm-not-added',
  /** The endpoint table lacks the route, so only the host knows its effect. */
  'not-known',
  /** The table lacks it, but it needs no subscription and so should not write (observed-0.49). */
  'not-known-no-max',
  /** A host rewrites `addon` for panels, but this program sends it unchanged. */
  'addon-is-rewritten',
  'requires-max',
  'not-listed',
  /** The page sent `confirm`, which only the service process sets. */
  'confirm-ignored',
  /** `params.requestId` belongs to an unfinished commit of the same window. */
  'unfinished-commit',
  /** `params.operationId` had the same request id and the same request. */
  'replay',
  /** `params.operationId` had the same request id with another target. */
  'other-target',
  /** `params.operationId` had the same request id, but the host may no longer know it. */
  'id-used-before',
  /** The journal is not on disk, so this write would not be known after a crash. */
  'not-journaled',
] as const

/** A command that was sent before with the same request id, with its body. */
export const earlierCommandSchema = z.strictObject({
  operationId: z.string(),
  /** `replay`, `conflict`: accepted by this run. `unclear`: the host may not know it. */
  relation: z.enum(['replay', 'conflict', 'unclear']),
  /** Both commands are the same request. */
  same: z.boolean(),
  body: z.string().nullable(),
})
export type EarlierCommand = z.infer<typeof earlierCommandSchema>

/** Exactly the request that would be sent, with all warnings, for the user's review. */
export const preparedWriteSchema = z.strictObject({
  /** Valid for one send of this request, on this connection, for ten minutes. */
  ticket: z.string(),
  expiresAt: z.number(),
  endpoint: z.string(),
  access: z.enum(['write', 'navigate', 'task']),
  method: z.string(),
  /** The path includes the query as it will be sent, but neither scheme nor host. */
  path: z.string(),
  /** The address where the write goes: `http://127.0.0.1:42340`. */
  origin: z.string(),
  /** `/bridge/v1` precedes `path` in the request. */
  basePath: z.string(),
  /** The token's header is named, but its value is replaced. */
  headers: z.record(z.string(), z.string()),
  /** JSON text exactly as it will be sent; null if there is no body. */
  body: z.string().nullable(),
  /** Members that the service process added to the page's body, such as `confirm`. */
  added: z.array(z.string()),
  /** The file whose bytes are the body. */
  file: z.strictObject({ size: z.number(), sha256: z.string() }).nullable(),
  /** From the capabilities; null if they do not say. */
  requiresMax: z.boolean().nullable(),
  /** Null without any list in the capabilities. */
  listed: z.boolean().nullable(),
  /** A host asking for `confirm` does nothing without it (observed-0.49), so it can preview. */
  canPreview: z.boolean(),
  warnings: z.array(z.strictObject({ code: z.enum(operationWarnings), params: z.record(z.string(), z.string()) })),
  /** An unfinished commit of this window, which keeps the host from another one. */
  blockedBy: z.string().nullable(),
  /** A record that already has this request id. */
  sameRequestId: earlierCommandSchema.nullable(),
})
export type PreparedWrite = z.infer<typeof preparedWriteSchema>

/** The response to a command without `confirm`, which the host must not execute. */
export const previewResponseSchema = z.strictObject({
  status: z.number(),
  code: z.string().nullable(),
  message: z.string().nullable(),
  /** `error.details` is a true dry run on some endpoints. */
  details: z.unknown(),
  body: z.unknown(),
  /** False: the host may have executed the command although `confirm` was missing. */
  refusedAsExpected: z.boolean(),
  /** The record of the preview; null if the host refused as expected and thus executed nothing. */
  operationId: z.string().nullable(),
  /** True if the command may have been executed, so that the ticket can no longer be used. */
  spent: z.boolean(),
  durationMs: z.number(),
})
export type PreviewResponse = z.infer<typeof previewResponseSchema>
