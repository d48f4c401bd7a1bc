import { z } from 'zod'
import { getMember } from '../json/object.ts'

/**
 * The cards that a body's JSON text names in its `noteIds` (observed-0.49: writes to several
 * cards).
 */
export function parseNoteIds(body: string | null): readonly string[] {
  const ids = getMember(parseBodyText(body), 'noteIds')
  return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : []
}

/** The JSON text of a body as it was sent, parsed; null if there was none, or it is not JSON. */
export function parseBodyText(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}

const text = z.string().max(2000)

/** A command as the page composes it; the service process checks it against the endpoint's row. */
export const commandDraftSchema = z.strictObject({
  endpoint: z.string().max(300),
  params: z.record(z.string().max(100), text),
  query: z.record(z.string().max(100), z.union([text, z.number()])),
  /** JSON; the gate adds `confirm: true` if the row requires it. */
  body: z.unknown().optional(),
  /** JSON text instead of `body`: what was written by hand is sent as it was written. */
  bodyText: z.string().max(4_000_000).optional(),
  /** A file that was handed over (`uploads.begin`), for a row whose body is one. */
  upload: z.string().max(100).optional(),
  /**
   * Who composed it: the name of a place of the page, or of another part of the program. It is
   * recorded, and never sent.
   */
  caller: z
    .string()
    .regex(/^[a-z][a-z-]{0,39}$/)
    .optional(),
})
export type CommandDraft = z.infer<typeof commandDraftSchema>

/** What the user should know before a command is sent (`operations.warning.<code>`). */
export const operationWarnings = [
  /** It shows something on the screen of the host's user. */
  'takes-over-screen',
  'cannot-be-undone',
  /** The host executes it at once, whatever the body says about `confirm`. */
  'no-confirm-gate',
  /** From another device, a person has to approve it. */
  'may-need-approval',
  /** `params.places`: where the body differs from the table; it is sent as it is. */
  'body-differs',
  /** The body is not an object: `confirm` cannot be added, so the host executes nothing. */
  'confirm-not-added',
  /** The table lacks it: only the host that lists it knows what it does. */
  'not-known',
  /**
   * Unknown as well, but since it needs no subscription it should not write (observed-0.49:
   * `requiresMax` decides, not the verb).
   */
  'not-known-no-max',
  /** A host rewrites `addon` for panels; from here it is sent unchanged. */
  'addon-is-rewritten',
  'requires-max',
  'not-listed',
  /** The page sent `confirm`, which only the gate decides. */
  'confirm-ignored',
  /** `params.requestId`: the unfinished commit of the same window. */
  'unfinished-commit',
  /** `params.operationId`: sent before with the same request. */
  'replay',
  /** `params.operationId`: sent before with another target. */
  'other-target',
  /** `params.operationId`: sent before, but the host may no longer know it. */
  'id-used-before',
  /** The journal is not on disk: after a crash nothing would know about this. */
  'not-journaled',
] as const

/** An earlier command with the same request id, and its body as it was sent. */
export const earlierCommandSchema = z.strictObject({
  operationId: z.string(),
  /**
   * `replay` and `conflict` if this run of the host accepted it; `unclear` if it is uncertain
   * whether the host knows it.
   */
  relation: z.enum(['replay', 'conflict', 'unclear']),
  /** It is the same request. */
  same: z.boolean(),
  body: z.string().nullable(),
})
export type EarlierCommand = z.infer<typeof earlierCommandSchema>

/** Everything that would be sent, and everything the user should know beforehand. */
export const preparedWriteSchema = z.strictObject({
  /** Good for one send of exactly this, to this target, on this connection, for ten minutes. */
  ticket: z.string(),
  expiresAt: z.number(),
  endpoint: z.string(),
  access: z.enum(['write', 'navigate', 'task']),
  method: z.string(),
  /** Path with query as it will be sent, without scheme and host. */
  path: z.string(),
  /** `http://127.0.0.1:42340`, so that the user sees where it goes. */
  origin: z.string(),
  /** `/bridge/v1`, which precedes `path` on the wire. */
  basePath: z.string(),
  /** Without the token: its header is named, its value replaced. */
  headers: z.record(z.string(), z.string()),
  /** The body's JSON text exactly as it will be sent; null if there is no body. */
  body: z.string().nullable(),
  /** Members that the gate added to what the page sent, such as `confirm`. */
  added: z.array(z.string()),
  /** The file whose bytes are the body. */
  file: z.strictObject({ size: z.number(), sha256: z.string() }).nullable(),
  /** From the capabilities; null if they do not say. */
  requiresMax: z.boolean().nullable(),
  /** Whether the capabilities list the route; null without capabilities. */
  listed: z.boolean().nullable(),
  /**
   * The row has a confirm gate: without `confirm` nothing is executed, so the host can be asked for
   * a preview.
   */
  canPreview: z.boolean(),
  warnings: z.array(z.strictObject({ code: z.enum(operationWarnings), params: z.record(z.string(), z.string()) })),
  /** The unfinished commit of the same window, which keeps the host from accepting another one. */
  blockedBy: z.string().nullable(),
  /** An earlier record with this request id. */
  sameRequestId: earlierCommandSchema.nullable(),
})
export type PreparedWrite = z.infer<typeof preparedWriteSchema>

/** What a host answered to the command without `confirm`, when nothing is executed. */
export const previewResponseSchema = z.strictObject({
  status: z.number(),
  code: z.string().nullable(),
  message: z.string().nullable(),
  /** `error.details`: a true dry run on some routes. */
  details: z.unknown(),
  /** The whole response. */
  body: z.unknown(),
  /**
   * False if the host did not refuse: it may have executed the command although `confirm` was
   * missing.
   */
  refusedAsExpected: z.boolean(),
  /**
   * Its record, which is kept unless the host refused as expected, in which case nothing was
   * executed.
   */
  operationId: z.string().nullable(),
  /** The ticket cannot be used any more, because the command may have been executed. */
  spent: z.boolean(),
  durationMs: z.number(),
})
export type PreviewResponse = z.infer<typeof previewResponseSchema>
