import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import type { PanelCallSummary, PanelNote } from '../../../shared/panel/panel.ts'

export const timelineLanes = ['click', 'call', 'write', 'override', 'console', 'error'] as const
export type TimelineLane = (typeof timelineLanes)[number]

/** Times are in epoch milliseconds. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

export interface TimelineCall {
  readonly exchangeId: string
  readonly method: string
  /** Includes the query. */
  readonly path: string
  readonly template: string
  readonly isWrite: boolean
  readonly startedAt: number
  /** Null while the call waits. */
  readonly durationMs: number | null
  readonly host: string
  readonly outcome: Pick<ExchangeRow, 'state' | 'status' | 'errorCode'>
  /** Undefined while it is not loaded. */
  readonly summary: PanelCallSummary | undefined
}

interface EventTime {
  readonly key: string
  readonly lane: TimelineLane
  readonly start: number
  /** The same as the start for a moment. */
  readonly end: number
}
export type TimelineEvent = EventTime &
  ({ readonly kind: 'call'; readonly call: TimelineCall } | { readonly kind: 'note'; readonly note: PanelNote })

type CallEvent = TimelineEvent & { readonly kind: 'call' }

/** @param now end of the calls that wait. */
function toCallEvent(call: TimelineCall, now: number): TimelineEvent {
  const { summary } = call
  const start = summary?.at ?? call.startedAt
  const durationMs = summary === undefined ? call.durationMs : (summary.durationMs ?? null)
  const lane = summary?.decision === 'override' ? 'override' : call.isWrite ? 'write' : 'call'
  const end = durationMs === null ? Math.max(start, now) : start + durationMs
  return { kind: 'call', key: call.exchangeId, lane, start, end, call }
}

const getNoteLane = ({ kind, level }: PanelNote): TimelineLane =>
  kind === 'click' ? 'click' : kind === 'console' && level !== 'error' ? 'console' : 'error'

/** Lists what happened in a load of a page, in the order of time, without the load itself. */
export function listTimelineEvents(
  calls: readonly TimelineCall[],
  notes: readonly PanelNote[],
  now: number,
): readonly TimelineEvent[] {
  const noteEvents = notes
    .filter(({ kind }) => kind !== 'load')
    .map((note): TimelineEvent => ({
      kind: 'note',
      key: `note ${note.seq}`,
      lane: getNoteLane(note),
      start: note.at,
      end: note.at,
      note,
    }))
  return [...calls.map((call) => toCallEvent(call, now)), ...noteEvents].sort((a, b) => a.start - b.start)
}

/** Tells whether something began in the span; without a span, everything did. */
export function isInSpan(start: number, span: TimeSpan | null): boolean {
  return span === null || (start >= span.from && start <= span.to)
}

/** The ids of a page count its calls, which is more exact than the clock. */
function isEarlier(a: CallEvent, b: CallEvent): boolean {
  const [prefix, count] = a.call.summary?.pageId?.split('-') ?? []
  const [otherPrefix, otherCount] = b.call.summary?.pageId?.split('-') ?? []
  return prefix !== undefined && prefix === otherPrefix ? Number(count) < Number(otherCount) : a.start < b.start
}

/**
 * A call that begins within this time after another of its route began, or got its response,
 * belongs to the same batch: code that loads in parallel, or as soon as a connection is free.
 */
const BATCH_GAP_MS = 30

interface RouteCall {
  readonly event: CallEvent
  readonly pathname: string
  /** Number of the batch on this route. */
  readonly batch: number
  /** Number of the user's clicks in the page before the call. */
  readonly clicks: number
  /** True if it is under way together with no more than one other. */
  readonly isPaired: boolean
}

/** @param route calls of one route in the order of their starts, with the clicks before each. */
function toRouteCalls(route: readonly { readonly event: CallEvent; readonly clicks: number }[]): RouteCall[] {
  const starts = route.map(({ event }) => event.start)
  const ends = route.map(({ event }) => event.end).sort((a, b) => a - b)
  let batch = 0
  /** Counts the first times, which are sorted, up to one that is after a limit. */
  const countUpTo = (times: readonly number[], isAfter: (time: number) => boolean): number => {
    let [low, high] = [0, times.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isAfter(times[middle] ?? 0)) high = middle
      else low = middle + 1
    }
    return low
  }
  return route.map(({ event, clicks }, index) => {
    const { start, end } = event
    const endedCount = countUpTo(ends, (time) => time >= start)
    const begunCount = countUpTo(starts, (time) => time > end)
    const lastTime = Math.max(starts[index - 1] ?? start, ends[endedCount - 1] ?? 0)
    if (start - lastTime > BATCH_GAP_MS) batch += 1
    const pathname = event.call.path.split('?', 1)[0] ?? ''
    return { event, pathname, batch, clicks, isPaired: begunCount - endedCount <= 2 }
  })
}

/**
 * Tells whether two calls of one route may concern the same place of the page: they ask for the
 * same, they are the only two under way, or the page made them one after the other for the same
 * resource or after another click. Others are a batch, whose order means nothing.
 */
function canReplaceEachOther(early: RouteCall, late: RouteCall): boolean {
  const isGet = early.event.call.method === 'GET'
  if (isGet && early.event.call.path === late.event.call.path) return true
  if (early.isPaired && late.isPaired) return true
  if (early.batch === late.batch) return false
  return (isGet && early.pathname === late.pathname) || early.clicks !== late.clicks
}

/**
 * Finds calls whose responses crossed: the page made one before the other and got its response
 * after it. That is a race only if one response replaces the other in the page, which cannot be
 * seen from outside. Requests of elements are left out, because each fills its own element.
 * @param events in the order of time
 * @returns the exchange ids of the later calls by that of the earlier call
 */
export function findCrossedCalls(events: readonly TimelineEvent[]): ReadonlyMap<string, readonly string[]> {
  const routes = new Map<string, { event: CallEvent; clicks: number }[]>()
  let clicks = 0
  for (const event of events) {
    if (event.lane === 'click') clicks += 1
    if (event.kind !== 'call' || event.call.summary === undefined || event.call.summary.via === 'element') continue
    const route = `${event.call.method} ${event.call.template}`
    const sameRoute = routes.get(route)
    if (sameRoute) sameRoute.push({ event, clicks })
    else routes.set(route, [{ event, clicks }])
  }
  const crossed = new Map<string, string[]>()
  for (const route of routes.values()) {
    const ended = toRouteCalls(route).filter(({ event }) => event.call.summary?.durationMs !== undefined)
    for (const [index, first] of ended.entries()) {
      // Only calls that began before the first one ended can have crossed it.
      for (let next = index + 1; next < ended.length; next += 1) {
        const second = ended[next]
        if (second === undefined || second.event.start > first.event.end) break
        const [early, late] = isEarlier(first.event, second.event) ? [first, second] : [second, first]
        if (late.event.end >= early.event.end || late.event.start > early.event.end) continue
        if (!isEarlier(early.event, late.event) || !canReplaceEachOther(early, late)) continue
        const laterKeys = crossed.get(early.event.key)
        if (laterKeys) laterKeys.push(late.event.key)
        else crossed.set(early.event.key, [late.event.key])
      }
    }
  }
  return crossed
}
