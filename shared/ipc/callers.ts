import { z } from 'zod'
import { callersSchema } from '../panel/callers.ts'
import { query } from './define.ts'

export const callerMethods = {
  /** Who may call this on the connected host, from what it says of itself; nothing of the call is sent. */
  'callers.who': query(
    z.strictObject({ method: z.string().max(20), path: z.string().min(1).max(8000) }),
    callersSchema,
  ),
}
