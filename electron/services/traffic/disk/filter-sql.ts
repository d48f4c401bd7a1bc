import { foldText } from '../../../../shared/format/text-folding.ts'
import { backgroundOriginKinds } from '../../../../shared/traffic/exchange.ts'
import type { TrafficFilter, TrafficSort } from '../../../../shared/traffic/traffic-filter.ts'

type SqlValue = string | number

export interface SqlCondition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** An SQL condition for exchanges that failed, with the same result as `hasFailed`. */
export const FAILED_SQL =
  "(state IN ('failed', 'lost') OR (state = 'answered' AND (status >= 400 OR code IS NOT NULL)))"

/** Builds a condition for the current `run`; `findBodyTable` names a table of found bodies. */
export function buildFilterSql(
  filter: TrafficFilter,
  run: number,
  findBodyTable: (text: string) => string,
): SqlCondition {
  const parts: string[] = []
  const values: SqlValue[] = []
  const addCondition = (sql: string, ...more: SqlValue[]): void => {
    parts.push(sql)
    values.push(...more)
  }
  const addList = (column: string, list: readonly SqlValue[] | undefined): void => {
    if (list?.length) addCondition(`${column} IN (${list.map(() => '?').join(', ')})`, ...list)
  }
  const text = foldText(filter.text ?? '')
  const id = foldText(filter.id ?? '')
  const buildBodyCondition = (searchText: string): string => {
    const table = findBodyTable(searchText)
    const bodies = `(SELECT body FROM ${table})`
    return `seq IN (SELECT seq FROM details WHERE request_body IN ${bodies} UNION SELECT seq FROM details WHERE response_body IN ${bodies})`
  }
  addList('method', filter.methods)
  addList('state', filter.states)
  addList('origin', filter.origins)
  if (!filter.origins?.length && filter.heartbeats !== true) {
    addCondition(`origin NOT IN (${backgroundOriginKinds.map(() => '?').join(', ')})`, ...backgroundOriginKinds)
  }
  if (filter.statuses?.length) {
    const classes = filter.statuses.map((status) =>
      status === 'none' ? 'status IS NULL' : `${status.length === 1 ? 'status / 100' : 'status'} = ${Number(status)}`,
    )
    addCondition(`(${classes.join(' OR ')})`)
  }
  if (filter.template !== undefined) addCondition('template = ?', filter.template)
  if (filter.code !== undefined) addCondition('code = ?', filter.code)
  if (filter.slowerThanMs !== undefined) addCondition('duration_ms > ?', filter.slowerThanMs)
  if (filter.largerThanBytes !== undefined) addCondition('bytes > ?', filter.largerThanBytes)
  if (filter.from !== undefined) addCondition('started_at >= ?', filter.from)
  if (filter.to !== undefined) addCondition('started_at <= ?', filter.to)
  if (filter.host !== undefined) addCondition('host = ?', filter.host)
  if (filter.pinned !== undefined) addCondition('pinned = ?', filter.pinned ? 1 : 0)
  if (filter.thisRun === true) addCondition('run = ?', run)
  if (filter.caller !== undefined) addCondition('caller = ?', filter.caller)
  if (filter.load !== undefined) addCondition('load = ?', filter.load)
  if (text !== '' && filter.inBodies === true) {
    const headers = `${fold(text)}(request_headers || response_headers)`
    const inHeaders = `seq IN (SELECT seq FROM details WHERE instr(${headers}, ?))`
    addCondition(`(instr(search, ?) OR ${buildBodyCondition(text)} OR ${inHeaders})`, text, text)
  } else if (text !== '') addCondition('instr(search, ?)', text)
  if (id !== '') addCondition(`(instr(search, ?) OR instr(${fold(id)}(label), ?) OR ${buildBodyCondition(id)})`, id, id)
  if (filter.seqs !== undefined) addCondition('seq IN (SELECT value FROM json_each(?))', JSON.stringify(filter.seqs))
  for (const excluded of filter.excluded ?? []) {
    const condition = buildFilterSql({ heartbeats: true, ...excluded }, run, findBodyTable)
    // A part that compares with NULL excludes nothing.
    addCondition(`(${condition.sql}) IS NOT TRUE`, ...condition.values)
  }
  return { sql: parts.length === 0 ? 'TRUE' : parts.join(' AND '), values }
}

/** SQLite's own function is enough for an ASCII text, and takes a fraction of the time. */
const fold = (searchText: string): string => (/^[\0-\x7f]*$/.test(searchText) ? 'lower' : 'fold_text')

const SORT_EXPRESSIONS: Readonly<Record<Exclude<TrafficSort['by'], 'time'>, string>> = {
  method: 'method',
  path: 'path',
  status: 'coalesce(status, 0)',
  duration: 'coalesce(duration_ms, 0)',
  size: 'bytes',
  origin: 'origin',
}

/** Builds SQL for a column's value in the first stored attempt at the exchange's request. */
const selectOfFirstAttempt = (column: string): string =>
  `(SELECT first.${column} FROM exchanges AS first WHERE first.grp = exchanges.grp ORDER BY first.attempt, first.seq LIMIT 1)`

/**
 * Selects the `seq` of the exchanges that match a condition, in order. When sorted by time, all
 * attempts at a request are listed together, the first attempt on top, as with
 * `createRowComparator`. First attempts come from an index in that order; only the few retries are
 * sorted and then merged with them.
 * @param after Only exchanges with a larger `seq`.
 * @param limit Maximum number of exchanges; all if absent.
 */
export function buildListSql(
  { sql, values }: SqlCondition,
  { by, descending }: TrafficSort,
  after: number,
  limit?: number,
): SqlCondition {
  const direction = descending ? ' DESC' : ''
  const limitSql = limit === undefined ? '' : ` LIMIT ${limit}`
  // A complete list uses the index by time, and a list of new exchanges uses the index by `seq`.
  const newer = after > 0 ? 'seq > ? AND ' : ''
  const whereSql = `${newer}${sql}`
  const allValues = after > 0 ? [after, ...values] : values
  if (by !== 'time') {
    return {
      sql: `SELECT seq FROM exchanges WHERE ${whereSql} ORDER BY ${SORT_EXPRESSIONS[by]}${direction}, seq${direction}${limitSql}`,
      values: allValues,
    }
  }
  return {
    sql: `SELECT seq FROM (
      SELECT seq, ordered_at AS began, seq AS first, attempt FROM exchanges WHERE attempt = 1 AND ${whereSql}
      UNION ALL
      SELECT seq, ${selectOfFirstAttempt('ordered_at')}, ${selectOfFirstAttempt('seq')}, attempt
        FROM exchanges INDEXED BY exchanges_retries WHERE attempt > 1 AND ${whereSql}
      ORDER BY began${direction}, first${direction}, attempt${limitSql})`,
    values: [...allValues, ...allValues],
  }
}

/** An SQL condition for retries of exchanges up to a `seq`, listed beside the first attempt. */
export const RETRY_SQL = `attempt > 1 AND EXISTS (SELECT 1 FROM exchanges AS first WHERE first.grp = exchanges.grp AND first.seq <= ?)`
