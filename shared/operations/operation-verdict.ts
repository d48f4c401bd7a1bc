import { z } from 'zod'

/** What proves, or does not prove, that a write is in the host (the page translates the codes). */
export const operationVerdictSchema = z.strictObject({
  code: z.enum([
    'in-progress',
    'saved-and-verified',
    'saved-unverified',
    // The host said `persisted: true`, but what was read back is not what was sent.
    'saved-but-differs',
    'accepted-only',
    'settled-not-saved',
    // A snapshot was verified, but it was no longer the current one by then.
    'saved-not-current',
    // It ended with a failure in the host's own word, and yet with a verified snapshot.
    'settled-contradictory',
    // It ended, and the host did not say whether a snapshot was verified.
    'settled-unverified',
    // The session record was read again and names this request; it says nothing about the canvas.
    'session-recorded',
    // The session record was read again and names another request.
    'session-other',
    // The session record was read again, and there is no session.
    'session-none',
    'nothing-sent',
    'refused',
    'refused-unchanged',
    'refused-changed',
    // A success that does not say that it was done, but what was read back is what was sent, and
    // was different before.
    'unsaid-but-verified',
    'unknown-not-read-back',
    'unknown-changed',
    'unknown-unchanged',
    'no-confirmation-exists',
  ]),
  /** Separate facts, in the host's words; null if never said. */
  persisted: z.boolean().nullable(),
  outcome: z.string().nullable(),
  persistedSnapshotVerified: z.boolean().nullable(),
  snapshotCurrent: z.boolean().nullable(),
  /**
   * What the response says through the members that its row documents; null without a response, and
   * if the outcome is asked for later.
   */
  done: z.enum(['yes', 'partly', 'no', 'not reported']).nullable(),
  /** Those members: JSON pointer and JSON text, cut if it is long. */
  quoted: z.array(z.strictObject({ at: z.string(), value: z.string() })),
})
export type OperationVerdict = z.infer<typeof operationVerdictSchema>
