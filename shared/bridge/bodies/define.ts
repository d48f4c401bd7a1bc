import { z } from 'zod'
import { writeBody } from '../resources/common.ts'

/** Body of a write behind the confirm gate. */
export const gated = <T extends z.ZodRawShape>(members: T) => z.looseObject({ ...members, ...writeBody })

/** Body of a request that runs at once. */
export const ungated = <T extends z.ZodRawShape>(members: T) => z.looseObject(members)

export const ids = z.array(z.string())
export const optionalFlag = z.boolean().optional()
export const words = z.string().optional()
export const whole = z.number().int()
