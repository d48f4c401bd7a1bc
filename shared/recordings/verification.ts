import { z } from 'zod'

const count = z.number().int().nonnegative()

/**
 * `intact`: as it was sealed. `redacted`: values were removed, the rest is as it was sealed.
 * `altered`: not what was sealed, and not what a redaction leaves. `missing`: sealed, and no longer
 * in the file. `added`: in the file, but not sealed. `removed`: taken out by a redaction.
 */
export const entryStates = ['intact', 'redacted', 'altered', 'missing', 'added', 'removed'] as const
export type EntryState = (typeof entryStates)[number]

/** What became of an entry since a seal was made. */
export const entryVerificationSchema = z.strictObject({
  entry: z.string(),
  state: z.enum(entryStates),
  /** Number of values that were removed and left their hash behind. */
  removedValues: count,
  /**
   * Number of lines, or 1 for a whole entry, that were replaced or taken out wholly: nothing that
   * stands in their place is what was sealed.
   */
  replaced: count,
  /** Line of the first alteration; null if it is about the whole entry or there is none. */
  line: count.nullable(),
  /** Why it counts as altered; empty otherwise. */
  reason: z.string(),
})
export type EntryVerification = z.infer<typeof entryVerificationSchema>

export const removedValueSchema = z.strictObject({
  entry: z.string(),
  line: count.nullable(),
  /** JSON pointer in the line or body. */
  pointer: z.string(),
})
export type RemovedValue = z.infer<typeof removedValueSchema>

export const sealVerificationSchema = z.strictObject({
  /** 1 for the seal of who saved the recording; each redaction added the next one. */
  number: z.number().int().positive(),
  createdAt: z.number(),
  program: z.string(),
  /** Of the key that signed it; null if it is not signed. */
  fingerprint: z.string().nullable(),
  /** False if it is signed and the signature is not of these bytes. */
  isSignatureValid: z.boolean(),
  entries: z.array(entryVerificationSchema),
  /** The first of all removed values. */
  removed: z.array(removedValueSchema),
  removedValues: count,
})
export type SealVerification = z.infer<typeof sealVerificationSchema>

export const recordingVerificationSchema = z.strictObject({
  /**
   * Whether the file is as its last seal says, and every earlier seal finds nothing but what a
   * redaction removed. It does not say that anybody signed it.
   */
  isIntact: z.boolean(),
  /** Damage that has nothing to do with a seal: changed bytes between the entries, for example. */
  problems: z.array(z.strictObject({ entry: z.string(), reason: z.string() })),
  seals: z.array(sealVerificationSchema),
})
export type RecordingVerification = z.infer<typeof recordingVerificationSchema>
