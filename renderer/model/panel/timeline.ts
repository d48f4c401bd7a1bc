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
function isEarlier(a: TimelineEvent & { kind: 'call' }, b: TimelineEvent & { kind: 'call' }): boolean {
  const [prefix, count] = a.call.summary?.pageId?.split('-') ?? []
  const [otherPrefix, otherCount] = b.call.summary?.pageId?.split('-') ?? []
  return prefix !== undefined && prefix === otherPrefix ? Number(count) < Number(otherCount) : a.start < b.start
}

/** The same route, and the same line of code, make calls whose responses replace each other. */
function listRaceGroups({ call }: TimelineEvent & { kind: 'call' }): readonly string[] {
  const { frame } = call.summary ?? {}
  const line = frame ? [`${frame.file}:${frame.line}:${frame.column ?? ''}`] : []
  return [`${call.method} ${call.template}`, ...line]
}

/**
 * Finds calls whose responses crossed: the page made one before the other and got its response
 * after it, so that old data may replace new data. Only calls of the same route or line count.
 * @returns the exchange ids of the later calls by that of the earlier call
 */
export function findRaces(events: readonly TimelineEvent[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, (TimelineEvent & { kind: 'call' })[]>()
  for (const event of events) {
    if (event.kind !== 'call' || event.call.summary?.durationMs === undefined) continue
    for (const group of listRaceGroups(event)) groups.set(group, [...(groups.get(group) ?? []), event])
  }
  const races = new Map<string, Set<string>>()
  for (const group of groups.values()) {
    for (const early of group) {
      for (const late of group) {
        if (early === late || late.start > early.end || late.end >= early.end || !isEarlier(early, late)) continue
        races.set(early.key, (races.get(early.key) ?? new Set()).add(late.key))
      }
    }
  }
  return new Map([...races].map(([key, others]) => [key, [...others]]))
}
