import { z } from 'zod'
import { momentSchema } from '../../../shared/format/moment.ts'
import { isShallow } from '../../../shared/json/shallow.ts'
import { MAX_DEPTH } from '../../../shared/json/scan.ts'
import { operationEventSchema, type OperationEvent } from '../../../shared/bridge/operation-states.ts'
import type { StoredOperation } from './types.ts'

const text = z.string()

/** What the journal holds of an operation, as JSON. What a record of an earlier version does not say is null. */
const storedSchema: z.ZodType<StoredOperation> = z.object({
  // What the contract takes for one: any other could be seen, and never be asked for.
  id: text.min(1).max(64),
  endpoint: text,
  source: z.enum(['sent', 'watched']),
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
})

/** Null where the text is none: a damaged row is left out, never in the way of the others. */
export const parseStored = (json: unknown): StoredOperation | null => parsed(storedSchema, json)

export const parseEvent = (json: unknown): OperationEvent | null => parsed(operationEventSchema, json)

/** An answer at its deepest, within its event. */
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
