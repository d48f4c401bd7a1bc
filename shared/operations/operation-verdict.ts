import { z } from 'zod'

/** The proof that a write is in the host. The page translates the codes. */
export const operationVerdictSchema = z.strictObject({
  code: z.enum([
    'in-progress',
    'saved-and-verified',
    'saved-unverified',
    // `persisted: true`, but the data that was read back differs from what was sent.
    'saved-but-differs',
    'accepted-only',
    'settled-not-saved',
    // The host reported a failure and a verified snapshot at once.
    'settled-contradictory',
    // The command ended, and the host did not say whether it verified a snapshot.
    'settled-unverified',
    // The session record was read again and names this request. It says nothing about the canvas.
    'session-recorded',
    // The host reported the end of a session command. It says nothing about the canvas.
    'session-settled',
    // The session record was read again and names another request.
    'session-other',
    // The session record was read again and shows no session.
    'session-none',
    'nothing-sent',
    'refused',
    'refused-unchanged',
    'refused-changed',
    // The host did not say that the write was done, but the data that was read back equals what was
    // sent and was different before.
    'unsaid-but-verified',
    'unknown-not-read-back',
    'unknown-changed',
    'unknown-unchanged',
    'no-confirmation-exists',
  ]),
  /** Separate facts in the host's words; each is null if the host never reported it. */
  persisted: z.boolean().nullable(),
  outcome: z.string().nullable(),
  persistedSnapshotVerified: z.boolean().nullable(),
  snapshotCurrent: z.boolean().nullable(),
  /** What the response's documented members mean; null without one, or if polled later. */
  done: z.enum(['yes', 'partly', 'no', 'not reported']).nullable(),
  /** Documented members as JSON pointer and JSON text; long texts are truncated. */
  quoted: z.array(z.strictObject({ at: z.string(), value: z.string() })),
})
export type OperationVerdict = z.infer<typeof operationVerdictSchema>

/** The page has its own texts. */
export const verdictTexts: Readonly<Record<OperationVerdict['code'], string>> = {
  'in-progress': 'On its way: nothing is known yet.',
  'saved-and-verified': 'Saved and verified.',
  'saved-unverified': 'The host reports it saved; nothing that can be read again confirms it.',
  'unsaid-but-verified': 'The host did not say that it was written, but it reads back as it was sent.',
  'session-recorded': 'The session record shows this command. That says nothing about the canvas.',
  'session-settled': 'The host reports that the command has ended. Nothing says whether the canvas was saved.',
  'saved-but-differs': 'The host reports it saved, but it reads back differently.',
  'settled-not-saved': 'It ended, and no snapshot was verified.',
  'settled-contradictory': 'The host reports a failure together with a verified snapshot.',
  'session-other': 'The session record names another command.',
  'session-none': 'There is no practice session.',
  'settled-unverified': 'It ended; the host did not say whether a snapshot was verified.',
  'accepted-only': 'Only accepted: the outcome is not known.',
  'no-confirmation-exists': 'Only the session record was written; this host has no route that could confirm more.',
  'unknown-not-read-back': 'Unknown, and nothing could be read back.',
  'unknown-changed': 'Not confirmed; what it touches has changed.',
  'unknown-unchanged': 'Not confirmed; what it touches is unchanged.',
  'nothing-sent': 'Nothing reached the host.',
  refused: 'The host refused it.',
  'refused-unchanged': 'The host refused it, and what it touches is unchanged.',
  'refused-changed': 'The host refused it, and yet what it touches has changed.',
}
