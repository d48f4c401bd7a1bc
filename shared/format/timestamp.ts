import { z } from 'zod'

/** The latest time that a date can represent; its negative is the earliest (ECMA-262). */
export const MAX_DATE_MS = 8.64e15

/** Epoch milliseconds in the range of `Date`, beyond which formatting would throw. */
export const timestampSchema = z.number().min(-MAX_DATE_MS).max(MAX_DATE_MS)
