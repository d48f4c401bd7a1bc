import { toNonEmptyText } from '../../../shared/json/object.ts'
import { parseHostTime } from '../../../shared/bridge/host-time.ts'

/** An event of the synchronisation as a table shows it. No document shows its shape besides `sequence`: what is not recognised is in `otherMembers`. */
export interface SyncEventRow {
  /** Place in the list. */
  readonly position: number
  readonly sequence: number | null
  /** Epoch milliseconds; null if there is none that can be read as a time. */
  readonly timestamp: number | null
  readonly kind: string
  readonly operationId: string
  /** Every other member, as JSON text; empty if there is none. */
  readonly otherMembers: string
}

const times = ['at', 'time', 'timestamp', 'date', 'createdAt']
const kinds = ['kind', 'type', 'event', 'name']

/** The events of `GET /legacy-sync/events` as rows, in the order in which they were sent. */
export const toSyncEventRows = (events: readonly Readonly<Record<string, unknown>>[]): readonly SyncEventRow[] =>
  events.map((event, position) => {
    const timeName = times.find((name) => parseHostTime(event[name]).timestamp !== null)
    const kindName = kinds.find((name) => toNonEmptyText(event[name]) !== null)
    const taken = new Set(['sequence', 'operationId', timeName, kindName])
    const rest = Object.entries(event).filter(([name, value]) => !taken.has(name) && value !== undefined)
    const { sequence } = event
    return {
      position,
      sequence: typeof sequence === 'number' ? sequence : null,
      timestamp: timeName === undefined ? null : parseHostTime(event[timeName]).timestamp,
      kind: kindName === undefined ? '' : String(event[kindName]),
      operationId: toNonEmptyText(event['operationId']) ?? '',
      otherMembers: rest.length === 0 ? '' : JSON.stringify(Object.fromEntries(rest)),
    }
  })
