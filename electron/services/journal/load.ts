import type { DatabaseSync } from 'node:sqlite'
import type { OperationEvent } from '../../../shared/operations/events.ts'
import { parseEvent, parseStored } from './stored.ts'
import type { LoadedOperation } from './types.ts'

export interface Loaded {
  readonly records: readonly LoadedOperation[]
  /** Rows that could not be understood; they stay where they are. */
  readonly unreadable: number
}

/** Places that a record can reach; a number that JavaScript cannot hold would end the reading of all rows. */
const PLACED = 'place BETWEEN 0 AND 1000000000'

/** Every readable record, oldest first. Throws what SQLite throws for a file that is broken in a way no check found. */
export function loadAll(database: DatabaseSync): Loaded {
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
    if (parsed && parsed.id === id) records.push({ ...parsed, events: list, next, seen: seen === 1 })
    else unreadable += 1
  }
  return { records, unreadable }
}

/** The events of one record, in order. */
export function eventsOf(database: DatabaseSync, id: string): OperationEvent[] {
  const rows = database.prepare(`SELECT event FROM events WHERE operation = ? AND ${PLACED} ORDER BY place`).all(id)
  return rows.flatMap(({ event }) => parseEvent(event) ?? [])
}
