import { isObject, toNonEmptyText } from '../../../shared/json/object.ts'
import { parseHostTime } from '../../../shared/bridge/host-time.ts'

/** Only `sequence` is documented: others are recognized by name or are in `otherMembers`. */
export interface SyncEventRow {
  /** Index in the list as sent. */
  readonly position: number
  readonly sequence: number | null
  /** Epoch milliseconds; null if no member is a time. */
  readonly timestamp: number | null
  readonly kind: string
  readonly operationId: string
  /** Unrecognized members as JSON text; empty if all members were recognized. */
  readonly otherMembers: string
}

const TIME_MEMBERS = ['at', 'time', 'timestamp', 'date', 'createdAt']
const KIND_MEMBERS = ['kind', 'type', 'event', 'name']

/** Converts the events of `GET /legacy-sync/events`, in the order as sent. */
export function toSyncEventRows(events: readonly Readonly<Record<string, unknown>>[]): readonly SyncEventRow[] {
  return events.map((event, position) => {
    const timeName = TIME_MEMBERS.find((name) => parseHostTime(event[name]).timestamp !== null)
    const kindName = KIND_MEMBERS.find((name) => toNonEmptyText(event[name]) !== null)
    const recognizedNames = new Set(['sequence', 'operationId', timeName, kindName])
    const otherEntries = Object.entries(event).filter(
      ([name, value]) => !recognizedNames.has(name) && value !== undefined,
    )
    const { sequence } = event
    return {
      position,
      sequence: typeof sequence === 'number' ? sequence : null,
      timestamp: timeName === undefined ? null : parseHostTime(event[timeName]).timestamp,
      kind: kindName === undefined ? '' : String(event[kindName]),
      operationId: toNonEmptyText(event['operationId']) ?? '',
      otherMembers: otherEntries.length === 0 ? '' : JSON.stringify(Object.fromEntries(otherEntries)),
    }
  })
}

/** Names that hosts give to the members that are times, such as `lastSyncAt`. */
const TIME_NAME_PATTERN = /(At|Time|Date|timestamp)$/
/** Times are searched in this many members of a part, which has about five. */
const MAX_SEARCHED_MEMBERS = 200

export interface StatusTime {
  readonly name: string
  /** Epoch milliseconds. */
  readonly timestamp: number
}

/** Finds the times among the members of a part of the status, which the contract does not list. */
export function findStatusTimes(lane: unknown): readonly StatusTime[] {
  const members = isObject(lane) ? Object.entries(lane).slice(0, MAX_SEARCHED_MEMBERS) : []
  return members.flatMap(([name, value]) => {
    const { timestamp } = TIME_NAME_PATTERN.test(name) ? parseHostTime(value) : { timestamp: null }
    return timestamp === null ? [] : [{ name, timestamp }]
  })
}
