import { backgroundOriginKinds, type ExchangeRow } from '../../../shared/traffic/exchange.ts'
import type { TrafficFilter, TrafficSort } from '../../../shared/traffic/traffic-filter.ts'
import { foldText } from '../../../shared/format/text-folding.ts'
import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'

/** The folded text in which a filter searches, with the path both as sent and decoded. */
export function buildSearchText({
  method,
  path,
  errorCode,
}: Pick<ExchangeRow, 'method' | 'path' | 'errorCode'>): string {
  const decodedPath = decodePercent(path)
  return foldText(`${method} ${path}${decodedPath === path ? '' : ` ${decodedPath}`} ${errorCode ?? ''}`)
}

/** Returns true for an error response and for a missing response. */
export function hasFailed({ state, status, errorCode }: Pick<ExchangeRow, 'state' | 'status' | 'errorCode'>): boolean {
  return (
    state === 'failed' || state === 'lost' || (state === 'answered' && ((status ?? 0) >= 400 || errorCode !== null))
  )
}

/** Ignores `thisRun`: all rows are of it. `isInBody`, in lower case, is slow and called last. */
export function matchesFilter(row: ExchangeRow, filter: TrafficFilter, isInBody: (text: string) => boolean): boolean {
  const { origin, status, durationMs } = row
  const isAllowed = <T>(list: readonly T[] | undefined, value: T): boolean => !list?.length || list.includes(value)
  const statusNames = status === null ? ['none'] : [String(status), String(status)[0]]
  return (
    isAllowed(filter.methods, row.method) &&
    (filter.template === undefined || filter.template === row.template) &&
    (!filter.statuses?.length || filter.statuses.some((name) => statusNames.includes(name))) &&
    (filter.seqs === undefined || toSet(filter.seqs).has(row.seq)) &&
    isAllowed(filter.states, row.state) &&
    (filter.code === undefined || filter.code === row.errorCode) &&
    isAllowed(filter.origins, origin.kind) &&
    (filter.origins?.length ? true : filter.heartbeats === true || !backgroundOriginKinds.includes(origin.kind)) &&
    (filter.slowerThanMs === undefined || (durationMs ?? 0) > filter.slowerThanMs) &&
    (filter.largerThanBytes === undefined || row.bytes > filter.largerThanBytes) &&
    (filter.from === undefined || row.startedAt >= filter.from) &&
    (filter.to === undefined || row.startedAt <= filter.to) &&
    (filter.host === undefined || filter.host === row.host) &&
    (filter.pinned === undefined || filter.pinned === row.pinned) &&
    (filter.caller === undefined || filter.caller === origin.caller) &&
    (filter.load === undefined || filter.load === origin.load) &&
    containsTexts(row, filter, isInBody) &&
    !filter.excluded?.some((part) => matchesFilter(row, { heartbeats: true, ...part }, isInBody))
  )
}

/** Every row is looked up in the same list, which may have as many positions as there are rows. */
const setsOfLists = new WeakMap<readonly number[], ReadonlySet<number>>()
function toSet(seqs: readonly number[]): ReadonlySet<number> {
  const set = setsOfLists.get(seqs) ?? new Set(seqs)
  setsOfLists.set(seqs, set)
  return set
}

function containsTexts(
  row: ExchangeRow,
  { text = '', inBodies, id = '' }: TrafficFilter,
  isInBody: (text: string) => boolean,
): boolean {
  const searchText = foldText(text)
  if (searchText !== '' && !buildSearchText(row).includes(searchText) && !(inBodies === true && isInBody(searchText)))
    return false
  const searchId = foldText(id)
  return (
    searchId === '' ||
    buildSearchText(row).includes(searchId) ||
    foldText(row.origin.label ?? '').includes(searchId) ||
    isInBody(searchId)
  )
}

type CompareRows = (first: ExchangeRow, second: ExchangeRow) => number

/**
 * Creates a comparator for the order of a list. Rows that are equal in the sorted column are
 * ordered by `seq` in the same direction.
 * @param findFirstAttempt Returns the first stored attempt at a row's request.
 * @param getBeganAt Returns a row's start in milliseconds of a monotonic clock.
 */
export function createRowComparator(
  { by, descending }: TrafficSort,
  findFirstAttempt: (row: ExchangeRow) => ExchangeRow,
  getBeganAt: (row: ExchangeRow) => number,
): CompareRows {
  if (by === 'time') return createTimeComparator(descending, findFirstAttempt, getBeganAt)
  const valueGetters: Record<typeof by, (row: ExchangeRow) => string | number> = {
    method: ({ method }) => method,
    path: ({ path }) => path,
    status: ({ status }) => status ?? 0,
    duration: ({ durationMs }) => durationMs ?? 0,
    size: ({ bytes }) => bytes,
    origin: ({ origin }) => origin.kind,
  }
  const getValue = valueGetters[by]
  return (first, second) => {
    const [a, b] = [getValue(first), getValue(second)]
    const order = a < b ? -1 : a > b ? 1 : first.seq - second.seq
    return descending ? -order : order
  }
}

/** All attempts at a request are listed together, the first attempt on top. */
const createTimeComparator =
  (
    isDescending: boolean,
    findFirstAttempt: (row: ExchangeRow) => ExchangeRow,
    getBeganAt: (row: ExchangeRow) => number,
  ): CompareRows =>
  (first, second) => {
    const [a, b] = [findFirstAttempt(first), findFirstAttempt(second)]
    if (a.seq === b.seq) return first.attempt - second.attempt
    const order = getBeganAt(a) - getBeganAt(b) || a.seq - b.seq
    return isDescending ? -order : order
  }

/** Members that ask for findings become exchanges, whose `seq`s `listSeqs` returns. */
export function resolveFindingFilter(filter: TrafficFilter, listSeqs: () => number[]): TrafficFilter {
  const resolve = <Part extends TrafficFilter>({ hasFinding, ...part }: Part): Omit<Part, 'hasFinding'> =>
    hasFinding === true ? { ...part, seqs: listSeqs() } : part
  return { ...resolve(filter), ...(filter.excluded ? { excluded: filter.excluded.map(resolve) } : {}) }
}
