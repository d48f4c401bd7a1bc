import { z } from 'zod'
import { defineCommandMethod, defineQueryMethod } from './method-definition.ts'

const journalInfoSchema = z.strictObject({
  /** `none`: no database in the runtime, or an unusable file. Records are in memory. */
  kind: z.enum(['sqlite', 'none']),
  /** The reason why there is no database; null if there is one. */
  reason: z.string().nullable(),
  file: z.string().nullable(),
  bytes: z.number(),
  operations: z.number().int(),
  events: z.number().int(),
  oldestAt: z.number().nullable(),
  /** Path to which an unreadable journal was moved when the program started; null if none was. */
  setAside: z.string().nullable(),
})
export type JournalInfo = z.infer<typeof journalInfoSchema>

export const journalMethods = {
  'journal.info': defineQueryMethod(z.strictObject({}), journalInfoSchema),
  /** Finished records that ended before this time are removed. */
  'journal.clear': defineCommandMethod(
    z.strictObject({ before: z.number() }),
    z.strictObject({ removed: z.number().int() }),
  ),
}
