import type { DatabaseSync } from 'node:sqlite'
import type { OperationEvent } from '../../../shared/bridge/operation-states.ts'
import { parseEvent, parseStored } from './stored.ts'
import type { LoadedOperation } from './types.ts'

export interface Loaded {
  readonly records: readonly LoadedOperation[]
  /** Rows that could not be understood; they stay where they are. */
  readonly unreadable: number
}

/** Every record that can be read, oldest first. Throws what SQLite throws for a file that is broken in a way that no check found. */
export function loadAll(database: DatabaseSync): Loaded {
  let unreadable = 0
  const events = new Map<string, { list: OperationEvent[]; next: number }>()
  for (const row of database
    .prepare('SELECT operation, place, event FROM events ORDER BY operation, place')
    .iterate()) {
    const { operation, place, event } = row as { operation: string; place: number; event: string }
    const known = events.get(operation) ?? { list: [], next: 0 }
    events.set(operation, known)
    known.next = place + 1
    const parsed = parseEvent(event)
    if (parsed) known.list.push(parsed)
    else unreadable += 1
  }
  const records: LoadedOperation[] = []
  for (const row of database.prepare('SELECT id, stored, seen FROM operations ORDER BY created_at, rowid').iterate()) {
    const { id, stored, seen } = row as { id: string; stored: string; seen: number }
    const parsed = parseStored(stored)
    const { list, next } = events.get(id) ?? { list: [], next: 0 }
    if (parsed?.id === id) records.push({ ...parsed, events: list, next, seen: seen === 1 })
    else unreadable += 1
  }
  return { records, unreadable }
}

/** Events of one record, in order. */
export function eventsOf(database: DatabaseSync, id: string): OperationEvent[] {
  const rows = database.prepare('SELECT event FROM events WHERE operation = ? ORDER BY place').all(id)
  return rows.flatMap((row) => parseEvent((row as { event: string }).event) ?? [])
}
