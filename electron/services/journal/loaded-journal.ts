import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { timestampSchema } from '../../../shared/format/timestamp.ts'
import { MAX_JSON_DEPTH } from '../../../shared/json/scan.ts'
import { operationEventSchema, type OperationEvent } from '../../../shared/operations/operation-events.ts'
import { isWithinDepth } from '../files/value-depth.ts'
import type { LoadedOperation, StoredOperation } from './types.ts'

export interface LoadedJournal {
  readonly records: readonly LoadedOperation[]
  /** Rows that could not be understood; they stay where they are. */
  readonly unreadableCount: number
}

/** Places that a record can reach; a number that JavaScript cannot hold would end the reading of all rows. */
const PLACED = 'place BETWEEN 0 AND 1000000000'

/** Every readable record, oldest first. Throws what SQLite throws for a file that is broken in a way no check found. */
export function loadJournal(database: DatabaseSync): LoadedJournal {
  const misplaced = database.prepare(`SELECT count(*) AS count FROM events WHERE NOT (${PLACED})`).get()
  let unreadable = Number(misplaced?.['count'] ?? 0)
  const events = new Map<unknown, { list: OperationEvent[]; next: number }>()
  const rows = `SELECT operation, place, event FROM events WHERE ${PLACED} ORDER BY operation, place`
  for (const { operation, place, event } of database.prepare(rows).iterate()) {
    const known = events.get(operation) ?? { list: [], next: 0 }
    events.set(operation, known)
    known.next = Number(place) + 1
    const parsed = parseEvent(event)
    if (parsed) known.list.push(parsed)
    else unreadable += 1
  }
  const records: LoadedOperation[] = []
  const all = 'SELECT id, stored, seen = 1 AS seen FROM operations ORDER BY created_at, rowid'
  for (const { id, stored, seen } of database.prepare(all).iterate()) {
    const parsed = parseStored(stored)
    const { list, next } = events.get(id) ?? { list: [], next: 0 }
    if (parsed && parsed.id === id) records.push({ ...parsed, events: list, nextPlace: next, isSeen: seen === 1 })
    else unreadable += 1
  }
  return { records, unreadableCount: unreadable }
}

/** The events of one record, in order. */
export function readEvents(database: DatabaseSync, id: string): OperationEvent[] {
  const rows = database.prepare(`SELECT event FROM events WHERE operation = ? AND ${PLACED} ORDER BY place`).all(id)
  return rows.flatMap(({ event }) => parseEvent(event) ?? [])
}

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
  createdAt: timestampSchema,
  requestId: text.nullable(),
  topicid: text.nullable(),
  noteid: text.nullable(),
  instanceNonce: text.nullable().default(null),
  caller: text.max(40).nullable().catch(null),
})

/** Null if the text is not a valid operation: a damaged row is left out and does not affect the others. */
const parseStored = (json: unknown): StoredOperation | null => parsed(storedSchema, json)

const parseEvent = (json: unknown): OperationEvent | null => parsed(operationEventSchema, json)

/** The depth of the deepest answer, within its event. */
const DEEPEST = MAX_JSON_DEPTH + 8

function parsed<T>(schema: z.ZodType<T>, json: unknown): T | null {
  if (typeof json !== 'string') return null
  try {
    const value: unknown = JSON.parse(json)
    return isWithinDepth(value, DEEPEST) ? (schema.safeParse(value).data ?? null) : null
  } catch {
    return null
  }
}
