import { z } from 'zod'

/** Epoch milliseconds in the range of `Date`, beyond which formatting would throw. */
export const timestampSchema = z.number().min(-8.64e15).max(8.64e15)
