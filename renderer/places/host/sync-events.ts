import { toNonEmptyText } from '../../../shared/json/object.ts'
import { parseHostTime } from '../../../shared/bridge/host-time.ts'

/**
 * Only `sequence` is documented, so the other members are recognized by name, and the rest is in
 * `otherMembers`.
 */
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
export const toSyncEventRows = (events: readonly Readonly<Record<string, unknown>>[]): readonly SyncEventRow[] =>
  events.map((event, position) => {
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
