import { backgroundOriginKinds, type ExchangeRow } from '../../../shared/traffic/exchange.ts'
import type { TrafficFilter, TrafficSort } from '../../../shared/traffic/traffic-filter.ts'
import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'

/** What the filter's text is searched in, in lower case: the path also as a person writes it. */
export function buildSearchText({
  method,
  path,
  errorCode,
}: Pick<ExchangeRow, 'method' | 'path' | 'errorCode'>): string {
  const plain = decodePercent(path)
  return `${method} ${path}${plain === path ? '' : ` ${plain}`} ${errorCode ?? ''}`.toLowerCase()
}

/** Whether an answer is an error, or there is none. */
export const hasFailed = ({ state, status, errorCode }: Pick<ExchangeRow, 'state' | 'status' | 'errorCode'>): boolean =>
  state === 'failed' || state === 'lost' || (state === 'answered' && ((status ?? 0) >= 400 || errorCode !== null))

/**
 * Whether a filter lets a row of this run pass. `inBody` searches headers and bodies for a text in
 * lower case; it is asked last, because that takes longest.
 */
export function matchesFilter(row: ExchangeRow, filter: TrafficFilter, inBody: (text: string) => boolean): boolean {
  const { origin, status, durationMs } = row
  const within = <T>(list: readonly T[] | undefined, value: T): boolean => !list?.length || list.includes(value)
  const statusClass = (status === null ? 'none' : String(status)[0]) as '1'
  return (
    within(filter.methods, row.method) &&
    (filter.template === undefined || filter.template === row.template) &&
    within(filter.statuses, statusClass) &&
    within(filter.states, row.state) &&
    (filter.code === undefined || filter.code === row.errorCode) &&
    within(filter.origins, origin.kind) &&
    (filter.origins?.length ? true : filter.heartbeats === true || !backgroundOriginKinds.includes(origin.kind)) &&
    (filter.slowerThanMs === undefined || (durationMs ?? 0) > filter.slowerThanMs) &&
    (filter.largerThanBytes === undefined || row.bytes > filter.largerThanBytes) &&
    (filter.from === undefined || row.startedAt >= filter.from) &&
    (filter.to === undefined || row.startedAt <= filter.to) &&
    (filter.host === undefined || filter.host === row.host) &&
    (filter.pinned === undefined || filter.pinned === row.pinned) &&
    (filter.caller === undefined || filter.caller === origin.caller) &&
    (filter.load === undefined || filter.load === origin.load) &&
    holdsText(row, filter, inBody)
  )
}

function holdsText(
  row: ExchangeRow,
  { text = '', inBodies, id = '' }: TrafficFilter,
  inBody: (text: string) => boolean,
): boolean {
  const wanted = text.toLowerCase()
  if (wanted !== '' && !buildSearchText(row).includes(wanted) && !(inBodies === true && inBody(wanted))) return false
  const named = id.toLowerCase()
  return (
    named === '' ||
    buildSearchText(row).includes(named) ||
    (row.origin.label ?? '').toLowerCase().includes(named) ||
    inBody(named)
  )
}

type Compare = (one: ExchangeRow, other: ExchangeRow) => number

/**
 * Compares rows as a list is sorted; equal ones keep the order in which they arrived. `firstOf` and
 * `beganAt` (by a clock that only runs forward) are for the order of time.
 */
export function createRowComparator(
  { by, descending }: TrafficSort,
  firstOf: (row: ExchangeRow) => ExchangeRow,
  beganAt: (row: ExchangeRow) => number,
): Compare {
  if (by === 'time') return byTime(descending, firstOf, beganAt)
  const value: Record<typeof by, (row: ExchangeRow) => string | number> = {
    method: ({ method }) => method,
    path: ({ path }) => path,
    status: ({ status }) => status ?? 0,
    duration: ({ durationMs }) => durationMs ?? 0,
    size: ({ bytes }) => bytes,
    origin: ({ origin }) => origin.kind,
  }
  const of = value[by]
  return (one, other) => {
    const [a, b] = [of(one), of(other)]
    const order = a < b ? -1 : a > b ? 1 : one.seq - other.seq
    return descending ? -order : order
  }
}

/** The attempts at a request stand together, the first one on top. */
const byTime =
  (descending: boolean, firstOf: (row: ExchangeRow) => ExchangeRow, beganAt: (row: ExchangeRow) => number): Compare =>
  (one, other) => {
    const [a, b] = [firstOf(one), firstOf(other)]
    if (a.seq === b.seq) return one.attempt - other.attempt
    const order = beganAt(a) - beganAt(b) || a.seq - b.seq
    return descending ? -order : order
  }
