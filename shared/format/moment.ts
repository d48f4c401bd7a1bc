import { z } from 'zod'

/** Epoch milliseconds that a date can be made of; of anything beyond, every attempt to show it throws. */
export const momentSchema = z.number().min(-8.64e15).max(8.64e15)
