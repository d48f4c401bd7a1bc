import { z } from 'zod'
import { versioned, writeBody } from './common.ts'

/** spec §2 Band. */
const bandSchema = z.looseObject({
  noteid: z.string(),
  closed: z.boolean(),
  owner: z.string(),
  blankPageNo: z.number(),
  hasInk: z.boolean(),
  seq: z.number(),
  live: z.boolean(),
  inkParts: z.number(),
  height: z.number(),
  physicalNoteId: z.string(),
  role: z.string(),
  pageNo: z.number(),
})

/** spec §4 blank-bands: the spec does not show whether role and height are required. */
export const blankBandBodySchema = z.looseObject({
  role: z.string().optional(),
  height: z.number().optional(),
  ...writeBody,
})

/** spec §2 Blank band: the answer to the creation of a blank band. */
export const blankBandSchema = z.looseObject({
  ...versioned,
  band: bandSchema,
  bands: z.array(bandSchema),
  noteid: z.string(),
  persisted: z.boolean().optional(),
})
