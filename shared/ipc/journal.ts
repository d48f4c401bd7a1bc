import { z } from 'zod'
import { defineCommandMethod, defineQueryMethod } from './method-definition.ts'

const journalInfoSchema = z.strictObject({
  /**
   * The kind is `none` if the runtime has no database or the file could not be opened. Records are
   * then kept in memory.
   */
  kind: z.enum(['sqlite', 'none']),
  /** This tells the user why there is no database; it is null if there is one. */
  reason: z.string().nullable(),
  file: z.string().nullable(),
  bytes: z.number(),
  operations: z.number().int(),
  events: z.number().int(),
  oldestAt: z.number().nullable(),
  /** An unreadable journal was moved to this path when the program started. */
  setAside: z.string().nullable(),
})
export type JournalInfo = z.infer<typeof journalInfoSchema>

export const journalMethods = {
  'journal.info': defineQueryMethod(z.strictObject({}), journalInfoSchema),
  /** Removes finished records that ended before a time. */
  'journal.clear': defineCommandMethod(
    z.strictObject({ before: z.number() }),
    z.strictObject({ removed: z.number().int() }),
  ),
}
