import { z } from 'zod'
import { defineCommandMethod, defineQueryMethod } from './method-definition.ts'

const journalInfoSchema = z.strictObject({
  /**
   * `none`: the runtime has no database, or the file could not be opened, so records live in
   * memory.
   */
  kind: z.enum(['sqlite', 'none']),
  /** Tells the user why there is none; null otherwise. */
  reason: z.string().nullable(),
  file: z.string().nullable(),
  bytes: z.number(),
  operations: z.number().int(),
  events: z.number().int(),
  oldestAt: z.number().nullable(),
  /** Where an unreadable journal was moved at this start. */
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
