import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { timestampSchema } from '../../../shared/format/timestamp.ts'
import { MAX_JSON_DEPTH } from '../../../shared/json/scan.ts'
import { operationEventSchema, type OperationEvent } from '../../../shared/operations/operation-events.ts'
import { isWithinDepth } from '../files/value-depth.ts'
import type { LoadedOperation, StoredOperation } from './types.ts'

export interface LoadedJournal {
  readonly records: readonly LoadedOperation[]
  /** Rows that could not be parsed; they stay in the file. */
  readonly unreadable: { readonly operations: number; readonly events: number }
}

/** An integer outside JavaScript's safe range would make the whole query fail. */
const VALID_PLACE = 'place BETWEEN 0 AND 1000000000'

/** Loads readable records, oldest first. Throws SQLite's errors for damage that no check found. */
export function loadJournal(database: DatabaseSync): LoadedJournal {
  const misplaced = database.prepare(`SELECT count(*) AS count FROM events WHERE NOT (${VALID_PLACE})`).get()
  const unreadable = { operations: 0, events: Number(misplaced?.['count'] ?? 0) }
  const events = new Map<unknown, { list: OperationEvent[]; next: number }>()
  const rows = `SELECT operation, place, event FROM events WHERE ${VALID_PLACE} ORDER BY operation, place`
  for (const { operation, place, event } of database.prepare(rows).iterate()) {
    const entry = events.get(operation) ?? { list: [], next: 0 }
    events.set(operation, entry)
    entry.next = Number(place) + 1
    const parsed = parseEvent(event)
    if (parsed) entry.list.push(parsed)
    else unreadable.events += 1
  }
  const records: LoadedOperation[] = []
  const operationRows = 'SELECT id, stored, seen = 1 AS seen FROM operations ORDER BY created_at, rowid'
  for (const { id, stored, seen } of database.prepare(operationRows).iterate()) {
    const parsed = parseStored(stored)
    const { list, next } = events.get(id) ?? { list: [], next: 0 }
    if (parsed && parsed.id === id) records.push({ ...parsed, events: list, nextPlace: next, isSeen: seen === 1 })
    else unreadable.operations += 1
  }
  return { records, unreadable }
}

export function readEvents(database: DatabaseSync, id: string): OperationEvent[] {
  const rows = database
    .prepare(`SELECT event FROM events WHERE operation = ? AND ${VALID_PLACE} ORDER BY place`)
    .all(id)
  return rows.flatMap(({ event }) => parseEvent(event) ?? [])
}

const text = z.string()

/** The stored JSON of an operation. Members that an earlier version did not record are null. */
const storedSchema: z.ZodType<StoredOperation> = z.object({
  // As for ids in the contract: another record could be listed but never requested.
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

/** Returns null for a damaged row, which is left out and does not affect the others. */
const parseStored = (json: unknown): StoredOperation | null => parseJson(storedSchema, json)

const parseEvent = (json: unknown): OperationEvent | null => parseJson(operationEventSchema, json)

/** The depth of the deepest response within its event. */
const MAX_EVENT_DEPTH = MAX_JSON_DEPTH + 8

function parseJson<T>(schema: z.ZodType<T>, json: unknown): T | null {
  if (typeof json !== 'string') return null
  try {
    const value: unknown = JSON.parse(json)
    return isWithinDepth(value, MAX_EVENT_DEPTH) ? (schema.safeParse(value).data ?? null) : null
  } catch {
    return null
  }
}
