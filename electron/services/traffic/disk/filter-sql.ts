import { backgroundOriginKinds } from '../../../../shared/traffic/exchange.ts'
import type { TrafficFilter, TrafficSort } from '../../../../shared/traffic/traffic-filter.ts'

type Value = string | number

export interface SqlCondition {
  readonly sql: string
  readonly values: readonly Value[]
}

/** Whether an exchange failed; the same rule as `hasFailed`. */
export const FAILED_SQL =
  "(state IN ('failed', 'lost') OR (state = 'answered' AND (status >= 400 OR code IS NOT NULL)))"

/**
 * A filter as a condition. `named` returns a table of the bodies that hold a text, for a text that
 * may also be in a body; headers are searched where they are.
 */
export function buildFilterSql(filter: TrafficFilter, run: number, named: (text: string) => string): SqlCondition {
  const parts: string[] = []
  const values: Value[] = []
  const add = (sql: string, ...more: Value[]): void => {
    parts.push(sql)
    values.push(...more)
  }
  const oneOf = (column: string, list: readonly Value[] | undefined): void => {
    if (list?.length) add(`${column} IN (${list.map(() => '?').join(', ')})`, ...list)
  }
  const text = (filter.text ?? '').toLowerCase()
  const id = (filter.id ?? '').toLowerCase()
  const inBody = (wanted: string): string => {
    const table = named(wanted)
    const bodies = `(SELECT body FROM ${table})`
    return `seq IN (SELECT seq FROM details WHERE request_body IN ${bodies} UNION SELECT seq FROM details WHERE response_body IN ${bodies})`
  }
  oneOf('method', filter.methods)
  oneOf('state', filter.states)
  oneOf('origin', filter.origins)
  if (!filter.origins?.length && filter.heartbeats !== true) {
    add(`origin NOT IN (${backgroundOriginKinds.map(() => '?').join(', ')})`, ...backgroundOriginKinds)
  }
  if (filter.statuses?.length) {
    const classes = filter.statuses.map((one) => (one === 'none' ? 'status IS NULL' : `status / 100 = ${Number(one)}`))
    add(`(${classes.join(' OR ')})`)
  }
  if (filter.template !== undefined) add('template = ?', filter.template)
  if (filter.code !== undefined) add('code = ?', filter.code)
  if (filter.slowerThanMs !== undefined) add('duration_ms > ?', filter.slowerThanMs)
  if (filter.largerThanBytes !== undefined) add('bytes > ?', filter.largerThanBytes)
  if (filter.from !== undefined) add('started_at >= ?', filter.from)
  if (filter.to !== undefined) add('started_at <= ?', filter.to)
  if (filter.host !== undefined) add('host = ?', filter.host)
  if (filter.pinned !== undefined) add('pinned = ?', filter.pinned ? 1 : 0)
  if (filter.thisRun === true) add('run = ?', run)
  if (filter.caller !== undefined) add('caller = ?', filter.caller)
  if (filter.load !== undefined) add('load = ?', filter.load)
  if (text !== '' && filter.inBodies === true) {
    const headers = 'seq IN (SELECT seq FROM details WHERE instr(lower(request_headers || response_headers), ?))'
    add(`(instr(search, ?) OR ${inBody(text)} OR ${headers})`, text, text)
  } else if (text !== '') add('instr(search, ?)', text)
  if (id !== '') add(`(instr(search, ?) OR instr(lower(label), ?) OR ${inBody(id)})`, id, id)
  return { sql: parts.length === 0 ? 'TRUE' : parts.join(' AND '), values }
}

const sorts: Readonly<Record<Exclude<TrafficSort['by'], 'time'>, string>> = {
  method: 'method',
  path: 'path',
  status: 'coalesce(status, 0)',
  duration: 'coalesce(duration_ms, 0)',
  size: 'bytes',
  origin: 'origin',
}

/** Value of the first attempt that is kept of the same request. */
const ofFirst = (column: string): string =>
  `(SELECT first.${column} FROM exchanges AS first WHERE first.grp = exchanges.grp ORDER BY first.attempt, first.seq LIMIT 1)`

/**
 * Selects the `seq` of what is newer than a place and passes, in order; `most` limits how many. In
 * the order of time the attempts at a request stand together, the first one on top; the same rule
 * as `createRowComparator`.
 * Most exchanges are first attempts, which an index has in that order already, so that
 * a few of them cost no sort: only the retries are sorted, and then merged with them.
 */
export function buildListSql(
  { sql, values }: SqlCondition,
  { by, descending }: TrafficSort,
  after: number,
  most?: number,
): SqlCondition {
  const end = descending ? ' DESC' : ''
  const limit = most === undefined ? '' : ` LIMIT ${most}`
  // Everything is read by the index of the time; what has just arrived, by its place.
  const newer = after > 0 ? 'seq > ? AND ' : ''
  const some = `${newer}${sql}`
  const given = after > 0 ? [after, ...values] : values
  if (by !== 'time') {
    return {
      sql: `SELECT seq FROM exchanges WHERE ${some} ORDER BY ${sorts[by]}${end}, seq${end}${limit}`,
      values: given,
    }
  }
  return {
    sql: `SELECT seq FROM (
      SELECT seq, ordered_at AS began, seq AS first, attempt FROM exchanges WHERE attempt = 1 AND ${some}
      UNION ALL
      SELECT seq, ${ofFirst('ordered_at')}, ${ofFirst('seq')}, attempt
        FROM exchanges INDEXED BY exchanges_retries WHERE attempt > 1 AND ${some}
      ORDER BY began${end}, first${end}, attempt${limit})`,
    values: [...given, ...given],
  }
}

/** Whether an exchange is a retry of one up to this place, so that it belongs beside it. */
export const RETRY_SQL = `attempt > 1 AND EXISTS (SELECT 1 FROM exchanges AS first WHERE first.grp = exchanges.grp AND first.seq <= ?)`
