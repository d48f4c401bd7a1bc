import { foldText } from '../../../shared/format/text-folding.ts'
import { backgroundOriginKinds, type ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { resolveRecentFilter, type TrafficFilter } from '../../../shared/traffic/traffic-filter.ts'

/** A pending exchange has no `seq`, because the store has not saved it yet. */
export type PendingRow = Omit<ExchangeRow, 'seq'>

/** The exchange's position in the traffic store (`seq`), or the id of an exchange under way. */
export type TrafficRowKey = number | string
export type TrafficRow = ExchangeRow | PendingRow

export function isStoredRow(row: TrafficRow | undefined): row is ExchangeRow {
  return row !== undefined && 'seq' in row
}

/** Conditions on the response exclude every pending exchange, because there is no response yet. */
export function isPendingRowIncluded(row: PendingRow, filter: TrafficFilter): boolean {
  const { text, methods, template, origins, states, host, from, to } = resolveRecentFilter(filter, Date.now())
  const foldedText = text === undefined ? undefined : foldText(text)
  const responseCondition =
    filter.statuses ??
    filter.code ??
    filter.id ??
    filter.slowerThanMs ??
    filter.largerThanBytes ??
    filter.pinned ??
    filter.hasFinding
  if (responseCondition !== undefined) return false
  if (filter.excluded?.some((part) => isPendingRowIncluded(row, { heartbeats: true, ...part }))) return false
  if (foldedText !== undefined && !foldText(`${row.method} ${row.path}`).includes(foldedText)) return false
  if (methods !== undefined && !methods.some((candidate) => candidate.toUpperCase() === row.method.toUpperCase()))
    return false
  if (template !== undefined && template !== row.template) return false
  if (states !== undefined && !states.includes('pending')) return false
  if (host !== undefined && host !== row.host) return false
  if ((from !== undefined && row.startedAt < from) || (to !== undefined && row.startedAt > to)) return false
  if (filter.caller !== undefined && filter.caller !== row.origin.caller) return false
  if (filter.load !== undefined && filter.load !== row.origin.load) return false
  if (origins !== undefined) return origins.includes(row.origin.kind)
  return filter.heartbeats === true || !backgroundOriginKinds.includes(row.origin.kind)
}
