import { z } from 'zod'

/** Epoch milliseconds that a `Date` can hold; showing anything beyond would throw. */
export const timestampSchema = z.number().min(-8.64e15).max(8.64e15)
