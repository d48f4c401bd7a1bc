import { z } from 'zod'
import { momentSchema } from '../../../shared/format/moment.ts'
import { isShallow } from '../files/shallow.ts'
import { MAX_DEPTH } from '../../../shared/json/scan.ts'
import { operationEventSchema, type OperationEvent } from '../../../shared/operations/events.ts'
import type { StoredOperation } from './types.ts'

const text = z.string()

/** What the journal holds of an operation, as JSON. What an earlier version did not record is null. */
const storedSchema: z.ZodType<StoredOperation> = z.object({
  // Exactly what the contract accepts as an id: a record with any other could be seen, but never requested.
  id: text.min(1).max(64),
  endpoint: text,
  source: z.enum(['sent', 'watched', 'recorded']),
  profileId: text,
  profileName: text,
  host: text,
  method: text,
  path: text,
  body: text.nullable(),
  createdAt: momentSchema,
  requestId: text.nullable(),
  topicid: text.nullable(),
  noteid: text.nullable(),
  instanceNonce: text.nullable().default(null),
  caller: text.max(40).nullable().catch(null),
})

/** Null if the text is not a valid operation: a damaged row is left out and does not affect the others. */
export const parseStored = (json: unknown): StoredOperation | null => parsed(storedSchema, json)

export const parseEvent = (json: unknown): OperationEvent | null => parsed(operationEventSchema, json)

/** The depth of the deepest answer, within its event. */
const DEEPEST = MAX_DEPTH + 8

function parsed<T>(schema: z.ZodType<T>, json: unknown): T | null {
  if (typeof json !== 'string') return null
  try {
    const value: unknown = JSON.parse(json)
    return isShallow(value, DEEPEST) ? (schema.safeParse(value).data ?? null) : null
  } catch {
    return null
  }
}
