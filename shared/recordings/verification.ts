import { z } from 'zod'

const count = z.number().int().nonnegative()

/**
 * `intact`: everything is as the first seal says, which is signed. `redacted`: the same, except
 * that others, who signed, replaced a part or took it out. `unsigned`: nobody vouches for a part of
 * it, or for all. `changed`: something is otherwise than the seals say.
 */
export const verificationVerdicts = ['intact', 'redacted', 'unsigned', 'changed'] as const

/** In English; `recordings.verdictName` has them in each language. */
export const verdictNames: Readonly<Record<(typeof verificationVerdicts)[number], string>> = {
  intact: 'Intact',
  redacted: 'Redacted, and all of it is signed',
  unsigned: 'Not signed in full',
  changed: 'Not as it was sealed',
}

/** A number of lines, and of entries without lines. */
const amountSchema = z.strictObject({ lines: count, entries: count })
export type SealedAmount = z.infer<typeof amountSchema>

export const sealVerificationSchema = z.strictObject({
  /** 1 for the seal of who saved the recording; each redaction added the next one. */
  number: z.number().int().positive(),
  createdAt: z.number(),
  program: z.string(),
  /** Of the key that signed it; null if nobody did. */
  fingerprint: z.string().nullable(),
  /**
   * All lines of the file, and of all signed seals in this one first; what stands in none of them
   * counts for the first seal that has it.
   */
  vouched: amountSchema,
})
export type SealVerification = z.infer<typeof sealVerificationSchema>

export const recordingVerificationSchema = z.strictObject({
  verdict: z.enum(verificationVerdicts),
  /** Everything that stands in the file. */
  total: amountSchema,
  /** The first deviations from the seals. */
  problems: z.array(z.strictObject({ entry: z.string(), reason: z.string() })),
  seals: z.array(sealVerificationSchema),
  /** Entries that are not wholly as the first seal says, with the number of replaced leaves. */
  replaced: z.array(z.strictObject({ entry: z.string(), count })),
  /** Entries that a redaction took out. */
  removed: z.array(z.string()),
  /** The manifest says that nothing but tokens was removed. */
  hasOnlyTokensClaim: z.boolean(),
  /** An origin for which the signer does not vouch. */
  madeOf: z.enum(['archive', 'reduction']).nullable(),
})
export type RecordingVerification = z.infer<typeof recordingVerificationSchema>
