import { z } from 'zod'
import { operationEventSchema, type OperationEvent } from '../../../shared/bridge/operation-states.ts'
import type { StoredOperation } from './types.ts'

const text = z.string()

/** What the journal holds of an operation, as JSON. What a record of an earlier version does not say is null. */
const storedSchema: z.ZodType<StoredOperation> = z.object({
  id: text,
  endpoint: text,
  source: z.enum(['sent', 'watched']),
  profileId: text,
  profileName: text,
  host: text,
  method: text,
  path: text,
  body: text.nullable(),
  createdAt: z.number(),
  requestId: text.nullable(),
  topicid: text.nullable(),
  noteid: text.nullable(),
  instanceNonce: text.nullable().default(null),
})

/** Null where the text is none: a damaged row is left out, never in the way of the others. */
export const parseStored = (json: string): StoredOperation | null => parsed(storedSchema, json)

export const parseEvent = (json: string): OperationEvent | null => parsed(operationEventSchema, json)

function parsed<T>(schema: z.ZodType<T>, json: string): T | null {
  try {
    return schema.safeParse(JSON.parse(json)).data ?? null
  } catch {
    return null
  }
}
