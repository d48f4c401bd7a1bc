import type { PanelCallSummary, PanelNote } from '../../../shared/panel/panel.ts'

export const timelineLanes = ['click', 'call', 'write', 'override', 'console', 'error'] as const
export type TimelineLane = (typeof timelineLanes)[number]

/** Times are in epoch milliseconds. */
export interface TimeSpan {
  readonly from: number
  readonly to: number
}

/** A call as the timeline sees it. */
export interface TimelineCall {
  readonly exchangeId: string
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly template: string
  readonly isWrite: boolean
  readonly startedAt: number
  /** Null while the call waits. */
  readonly durationMs: number | null
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
      ...{ kind: 'note', key: `note ${note.seq}`, lane: getNoteLane(note) },
      ...{ start: note.at, end: note.at, note },
    }))
  return [...calls.map((call) => toCallEvent(call, now)), ...noteEvents].sort((a, b) => a.start - b.start)
}

/** Tells whether something began in the span; without a span, everything did. */
export const isInSpan = (start: number, span: TimeSpan | null): boolean =>
  span === null || (start >= span.from && start <= span.to)

/**
 * Tells whether the page made call `a` before call `b`. The ids of a page count its calls, which
 * is more exact than the clock.
 */
function isEarlier(a: CallEvent, b: CallEvent): boolean {
  const [prefix, count] = a.call.summary?.pageId?.split('-') ?? []
  const [otherPrefix, otherCount] = b.call.summary?.pageId?.split('-') ?? []
  return prefix !== undefined && prefix === otherPrefix ? Number(count) < Number(otherCount) : a.start < b.start
}

const isUnderWayTogether = (a: CallEvent, b: CallEvent): boolean => a.start <= b.end && b.start <= a.end

/**
 * Finds calls whose responses crossed: the page made one before the other and got its response
 * after it. That is a race only if one response replaces the other in the page, which nothing here
 * tells. Requests of elements are left out, because each fills its own element.
 * @returns the exchange ids of the later calls by that of the earlier call
 */
export function findCrossedCalls(events: readonly TimelineEvent[]): ReadonlyMap<string, readonly string[]> {
  const routes = new Map<string, CallEvent[]>()
  for (const event of events) {
    if (event.kind !== 'call' || event.call.summary === undefined || event.call.summary.via === 'element') continue
    const route = `${event.call.method} ${event.call.template}`
    const sameRoute = routes.get(route)
    if (sameRoute) sameRoute.push(event)
    else routes.set(route, [event])
  }
  const crossed = new Map<string, string[]>()
  for (const route of routes.values()) {
    /** Calls that are under way together with no more than one other. */
    const paired = new Set(
      route.filter((event) => route.filter((other) => isUnderWayTogether(other, event)).length <= 2),
    )
    /**
     * Two calls of one route may concern the same place of the page. More at once are a batch,
     * whose order means nothing, unless they ask for the same.
     */
    const canReplaceEachOther = (early: CallEvent, late: CallEvent): boolean =>
      (early.call.method === 'GET' && early.call.path === late.call.path) || (paired.has(early) && paired.has(late))
    const ended = route.filter(({ call }) => call.summary?.durationMs !== undefined)
    for (const early of ended) {
      for (const late of ended) {
        if (early === late || late.start > early.end || late.end >= early.end || !isEarlier(early, late)) continue
        if (!canReplaceEachOther(early, late)) continue
        crossed.set(early.key, [...(crossed.get(early.key) ?? []), late.key])
      }
    }
  }
  return crossed
}
